import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { hasFocus } from '../../support/pages/browser-pages.js';
import {
  buyResearch,
  createKey,
  expectGoodLook,
  openAccount,
  openTab,
  signIn,
  SLOW_MS,
  withAccountSite,
  type AccountVisit,
  type TestSite,
} from '../../support/pages/account-visit.js';

const run = promisify(execFile);
let browser: Browser;
let site: TestSite;
withAccountSite((started) => ({ browser, site } = started));

it(
  'leads from signing in over buying, a key and a download to the end of the subscription',
  async () => {
    const visit = await openTab(browser);
    const { page, faults, urls, tokens } = visit;
    await page.goto(site.accountUrl);
    await page.getByText('Sign in to see your plan').waitFor();
    await expectGoodLook(visit, 'signed-out');
    await signIn(visit, 'ada');
    await page.getByRole('heading', { name: 'No plan yet' }).waitFor();
    await expectGoodLook(visit, 'no-plan');

    await page.getByRole('button', { name: 'Buy Single Chain' }).click();
    await page.getByText('Choose a chain first.').waitFor(); // no chain is chosen for the buyer
    await page.getByLabel('Chain', { exact: true }).selectOption('base');
    await page.getByRole('button', { name: 'Buy Single Chain' }).click();
    await page.getByText('confirm it later').click();
    await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
    await expectGoodLook(visit, 'waiting');
    site.confirmPayments();
    await page.getByRole('heading', { name: 'Single Chain for Base' }).waitFor();
    await page.getByText('Thank you. Your plan is active.').waitFor();
    expect(await page.getByLabel('Chain of the file').locator('option').allTextContents()).toEqual(['Base']);
    await page.getByLabel('Content').selectOption({ label: 'Metrics' });
    await page.getByLabel('Period').selectOption({ label: 'Last 30 days' });
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const saved = await readFile(await (await saving).path(), 'utf8');
    expect(JSON.parse(saved)).toMatchObject({ genre: 'gold', chain: 'base', window: '30d' });

    const key = await createKey(visit, 'notebook');
    expect(key).toMatch(/^crd_test_/);
    await expectGoodLook(visit, 'new-key');
    await page.getByRole('button', { name: 'Copy key' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.getByRole('button', { name: 'Copy command' }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    const { stdout } = await run('bash', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ chain: 'base', genre: 'meta' });
    const refused = run('bash', ['-c', command.replace('/base/', '/bitcoin/')]);
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('403') });
    await page.getByRole('button', { name: 'Copy export line' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`export CRD_API_KEY=${key}`);
    await page.getByRole('button', { name: 'Copy program' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'import crd\nweek = crd.bundle("meta", "base", "7d")\nprint(week[["date", "regime", "confidence"]])',
    );
    expect(await page.getByRole('cell', { name: 'active', exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.locator('#new-key').count()).toBe(0);

    await page.getByRole('button', { name: 'Change or cancel' }).click();
    await page.getByRole('button', { name: 'Let the payment of the renewal fail' }).click();
    await page.getByRole('link', { name: 'Back to the account' }).click();
    await page.getByRole('heading', { name: 'the payment failed' }).waitFor();
    await expectGoodLook(visit, 'unpaid');
    await page.getByRole('button', { name: 'Pay in the billing portal' }).click();
    await page.getByRole('button', { name: 'Pay the renewal' }).click();
    await page.getByRole('button', { name: 'Cancel at the end' }).click();
    await page.getByRole('link', { name: 'Back to the account' }).click();
    await page.getByRole('heading', { name: 'Single Chain for Base, cancelled' }).waitFor();
    await expectGoodLook(visit, 'cancelled');
    await page.getByRole('button', { name: 'Renew in the billing portal' }).click();
    expect(await page.getByRole('button', { name: 'Cancel at the end' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByRole('button', { name: 'Cancel at the end' }).waitFor();
    await page.getByRole('button', { name: 'Cancel now' }).click();
    await page.getByRole('link', { name: 'Back to the account' }).click();
    await page.getByRole('heading', { name: 'has ended' }).waitFor();
    await page.getByRole('cell', { name: 'paused: no plan' }).waitFor();
    await expectGoodLook(visit, 'ended');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click(); // the provider asks
    await page.getByText('Sign in to see your plan').waitFor();
    expect(urls.filter((url) => /id_token|logout_redirect/.test(url))).toEqual([]);
    expect(await page.evaluate('[sessionStorage.length, localStorage.length, document.cookie]')).toEqual([
      0,
      0,
      '',
    ]);
    expect(faults).toEqual([]);

    const own = [
      site.url,
      site.provider.issuer,
      new URL(await site.billing.createPortal('cus_1', '')).origin,
    ];
    expect(urls.filter((url) => !own.some((each) => url.startsWith(each)) && url !== 'data:,')).toEqual([]);
    expect(tokens.size).toBe(5); // signed in by hand, and silently after the payment and three visits to the portal
    for (const token of tokens) expect(urls.filter((url) => url.includes(token))).toEqual([]);
    const cookies = await visit.context.cookies(site.url);
    expect(
      cookies.filter(({ domain, path: at }) => domain === '127.0.0.1' && at.startsWith('/account')),
    ).toEqual([]);
  },
  SLOW_MS,
);

it(
  'shows a label with markup as text',
  async () => {
    const visit = await openTab(browser);
    const { page, faults } = visit;
    await openAccount(visit, site, 'mallory');
    await buyResearch(visit);
    const label = `<img src=x onerror="document.title='hit'"><b>b</b>`;
    await createKey(visit, label);
    await page.getByRole('button', { name: /^Revoke/ }).click();
    const title = page.locator('dialog h2');
    expect(await title.textContent()).toContain(label);
    expect(await page.locator('main img, main b, dialog img, dialog b').count()).toBe(0);
    expect(await page.title()).toMatch(/^Account · /);
    await page.keyboard.press('Escape');
    expect(faults).toEqual([]);
  },
  SLOW_MS,
);

it(
  'never shows the keys of another account, and does not revoke them',
  async () => {
    const [one, other] = [await openTab(browser), await openTab(browser)];
    await openAccount(one, site, 'eve');
    await buyResearch(one);
    const key = await createKey(one, 'secret label');
    const id = key.split('_')[2] ?? '';
    await openAccount(other, site, 'oscar');
    expect(await other.page.locator('body').textContent()).not.toMatch(new RegExp(`secret label|${id}`));
    const [token = ''] = other.tokens;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const keys = `${site.url}/api/v1/keys`;
    expect(await (await fetch(keys, { headers })).json()).toEqual({ keys: [] });
    const revoked = await fetch(keys, { method: 'DELETE', headers, body: JSON.stringify({ id }) });
    expect(revoked.status).toBe(404);
    const before = one.tokens.size; // the token is only in memory, and the provider gives a new one without asking
    await one.page.reload();
    await one.page.getByText('secret label').waitFor();
    expect(one.tokens.size).toBe(before + 1);
  },
  SLOW_MS,
);

it(
  'lets the owner download and delete the account',
  async () => {
    const visit = await openTab(browser);
    const { page } = visit;
    await openAccount(visit, site, 'leaver');
    await buyResearch(visit);
    const key = await createKey(visit, 'old laptop');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download your data' }).click();
    const saved = await readFile(await (await saving).path(), 'utf8');
    expect(JSON.parse(saved)).toMatchObject({ account: { account: 'leaver', billing: {} } });
    expect(saved).toContain('old laptop');
    expect(saved).not.toContain(key);

    const remove = async (word: string): Promise<void> => {
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.getByLabel('Type delete to confirm').fill(word);
      await page.keyboard.press('Enter');
    };
    await remove('yes');
    await page.getByText('Type delete to confirm.').waitFor();
    await page.keyboard.press('Escape');
    await remove('delete');
    await page.getByText('The account has a subscription').waitFor();
    await page.getByRole('button', { name: 'Change or cancel' }).click();
    await page.getByRole('button', { name: 'Cancel now' }).click();
    await page.getByRole('link', { name: 'Back to the account' }).click();
    await page.getByRole('heading', { name: 'has ended' }).waitFor();
    await remove('delete');
    await page.getByText('Your account was deleted').waitFor();
    const answer = await fetch(`${site.url}/api/v1/entitlements`, { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(401);
  },
  SLOW_MS,
);

describe('an attack on the sign-in', () => {
  it(
    'does not accept a code twice',
    async () => {
      const visit = await openTab(browser);
      await openAccount(visit, site, 'ada');
      const callback = visit.urls.find(
        (url) => url.startsWith(`${site.accountUrl}?`) && url.includes('code='),
      );
      const asked = visit.urls.length;
      await visit.page.goto(callback ?? '');
      await visit.page.getByText('This sign-in was already used').waitFor();
      expect(visit.page.url()).toBe(site.accountUrl);
      const later = visit.urls.slice(asked);
      expect(later.filter((url) => url.startsWith(site.provider.issuer))).toEqual([]); // not even sent to the provider
    },
    SLOW_MS,
  );

  /** Changes a member of the pending sign-in before the page reads it. */
  const change = (member: string, value: string): string => `
    if (location.pathname === '/account' && location.search.includes('code=')) {
      const pending = JSON.parse(sessionStorage.getItem('sign-in'));
      sessionStorage.setItem('sign-in', JSON.stringify({ ...pending, ${member}: ${JSON.stringify(value)} }));
    }`;

  it.each([
    ['state', 'was not valid'],
    ['nonce', 'was not valid'],
    ['verifier', 'did not sign you in'], // the provider refuses it
  ])(
    'refuses a response with another %s',
    async (member, words) => {
      const visit = await openTab(browser, { script: change(member, 'a'.repeat(43)) });
      await visit.page.goto(site.accountUrl);
      await signIn(visit, 'ada');
      await visit.page.getByText(words).waitFor();
      expect(visit.tokens.size).toBe(0);
      expect(await visit.page.evaluate('sessionStorage.length')).toBe(0);
    },
    SLOW_MS,
  );

  it(
    'refuses a response that names another issuer, or none',
    async () => {
      for (const iss of ['&iss=https://evil.example', '']) {
        const visit = await openTab(browser);
        await visit.page.goto(site.accountUrl);
        const state = await beginOnly(visit);
        await visit.page.goto(`${site.accountUrl}?code=stolen&state=${state}${iss}`);
        await visit.page.getByText('was not valid').waitFor();
        expect(visit.urls.filter((url) => url.endsWith('/token'))).toEqual([]);
        await visit.context.close();
      }
    },
    SLOW_MS,
  );

  /** Presses the button, stays at the provider's form, and returns the state of the request. */
  async function beginOnly({ page, urls }: AccountVisit): Promise<string> {
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name').waitFor();
    const request = urls.find((url) => url.includes('code_challenge='));
    return new URL(request ?? '').searchParams.get('state') ?? '';
  }

  it(
    'never leads to another origin after the sign-in',
    async () => {
      const visit = await openTab(browser, { script: change('returnPath', 'https://evil.example/account') });
      await visit.page.goto(
        `${site.accountUrl}?return=https://evil.example&redirect_uri=https://evil.example`,
      );
      await signIn(visit, 'ada');
      await visit.page.getByRole('button', { name: 'Sign out' }).waitFor();
      expect(visit.page.url()).toBe(site.accountUrl);
      expect(visit.urls.filter((url) => new URL(url).host.includes('evil'))).toEqual([]);
      const sent = visit.urls.filter((url) => url.includes('code_challenge='));
      expect(sent.map((url) => new URL(url).searchParams.get('redirect_uri'))).toEqual([site.accountUrl]);
      expect(sent.map((url) => new URL(url).searchParams.get('code_challenge_method'))).toEqual(['S256']);
    },
    SLOW_MS,
  );

  it(
    'asks to sign in again when the token has expired, and does not keep the keys on the page',
    async () => {
      const visit = await openTab(browser);
      await openAccount(visit, site, 'tess');
      site.clock.aheadMs = 2 * 3_600_000;
      try {
        await visit.page.getByRole('button', { name: /^Buy Research/ }).click();
        await visit.page.getByText('Your session has ended').waitFor();
      } finally {
        site.clock.aheadMs = 0;
      }
      expect(await visit.page.getByRole('heading', { name: 'API keys' }).count()).toBe(0);
    },
    SLOW_MS,
  );

  it.each([
    [
      'the gateway does not accept the sign-in',
      async ({ page }: AccountVisit) => {
        const body = JSON.stringify({ code: 'session-invalid', detail: 'why', status: 401 });
        await page.route('**/api/v1/entitlements', (route) =>
          route.fulfill({ status: 401, contentType: 'application/problem+json', body }),
        );
        await page.goto(`${site.accountUrl}?plan=research`);
        await signIn({ page }, 'ada');
        await page.getByText('its operator has to correct the configuration').waitFor();
      },
      'Sign in to buy Research',
    ],
    [
      'the browser blocks site data',
      async ({ page }: AccountVisit) => {
        await page.addInitScript('Storage.prototype.setItem = () => { throw new DOMException("no"); }');
        await page.goto(site.accountUrl);
        await page.getByRole('button', { name: 'Sign in' }).click();
      },
      'Your browser blocks site data',
    ],
    [
      'the page was opened over plain HTTP',
      async ({ page }: AccountVisit) => {
        await page.addInitScript('Object.defineProperty(window, "isSecureContext", { value: false })');
        await page.goto(site.accountUrl);
        await page.getByRole('button', { name: 'Sign in' }).click();
      },
      'Sign-in needs a secure connection',
    ],
  ])(
    'says so when %s',
    async (_when, visitPage, words) => {
      const visit = await openTab(browser);
      await visitPage(visit);
      await visit.page.getByText(words).waitFor();
      expect(await visit.page.getByText('does not answer').count()).toBe(0);
    },
    SLOW_MS,
  );

  it(
    'cannot be framed, and its answers cannot be read, by a page of another origin',
    async () => {
      const { page } = await openTab(browser);
      await page.goto(`${site.provider.issuer}/.well-known/openid-configuration`);
      const read = (at: string): Promise<string> =>
        page.evaluate(`fetch(${JSON.stringify(site.url + at)}).then(() => 'read', () => 'refused')`);
      expect(await read('/account')).toBe('refused');
      expect(await read('/account/config.json')).toBe('refused');
      await page.evaluate(`new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = resolve;
        frame.src = ${JSON.stringify(site.accountUrl)};
        document.body.append(frame);
      })`);
      expect(page.frames().map((frame) => frame.url())).not.toContain(site.accountUrl);
    },
    SLOW_MS,
  );
});

describe('without a part of the service', () => {
  it(
    'says what works while the provider is down, and recovers',
    async () => {
      const visit = await openTab(browser);
      await visit.page.goto(site.accountUrl);
      await visit.context.route(`${site.provider.issuer}/**`, (route) => route.abort());
      await visit.page.getByRole('button', { name: 'Sign in' }).click();
      await visit.page.getByRole('heading', { name: 'Sign-in is not available right now' }).waitFor();
      await expectGoodLook(visit, 'provider-down');
      await visit.context.unroute(`${site.provider.issuer}/**`);
      await visit.page.getByRole('button', { name: 'Try again' }).click();
      await visit.page.getByLabel('Name').waitFor();
    },
    SLOW_MS,
  );

  it(
    'says what works while the accounts cannot be read, and recovers',
    async () => {
      const visit = await openTab(browser);
      await visit.context.route('**/api/v1/entitlements', (route) => route.abort());
      await visit.page.goto(site.accountUrl);
      await signIn(visit, 'ada');
      await visit.page.getByRole('heading', { name: 'Your account cannot be read right now' }).waitFor();
      await expectGoodLook(visit, 'gateway-down');
      await visit.context.unroute('**/api/v1/entitlements');
      await visit.page.getByRole('button', { name: 'Try again' }).click();
      await visit.page.getByRole('heading', { name: 'API keys' }).waitFor();
    },
    SLOW_MS,
  );

  it(
    'says that sign-in is not configured',
    async () => {
      const visit = await openTab(browser);
      await visit.context.route('**/account/config.json', (route) =>
        route.fulfill({ json: { sign_in: null, sells: false } }),
      );
      await visit.page.goto(site.accountUrl);
      await visit.page.getByText('Sign-in is not configured').waitFor();
      await expectGoodLook(visit, 'unconfigured');
    },
    SLOW_MS,
  );
});

/** Asks to revoke, refuses, asks again without leaving the browser a task between, and returns whether the page asked. */
function askedAgainAtOnce(page: Page): Promise<boolean> {
  return page.evaluate(`(async () => {
    const revoke = document.activeElement;
    revoke.click();
    document.querySelector('dialog[open] button').click();
    for (let turns = 0; turns < 8; turns += 1) await Promise.resolve();
    revoke.click();
    return document.querySelectorAll('dialog[open]').length === 1;
  })()`);
}

it(
  'can be used with the keyboard alone',
  async () => {
    const visit = await openTab(browser);
    const { page } = visit;
    const reach = async (name: string | RegExp): Promise<void> => {
      const target = page.getByRole('button', { name });
      await target.first().waitFor();
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press('Tab');
        if (await target.first().evaluate((each) => each === each.ownerDocument.activeElement)) return;
      }
      throw new Error(`the key Tab does not reach ${String(name)}`);
    };
    await page.goto(site.accountUrl);
    await page.getByText('Sign in to see your plan').waitFor();
    await page.keyboard.press('Tab');
    expect(await hasFocus(page, 'a.skip')).toBe(true);
    await page.keyboard.press('Enter');
    await reach('Sign in');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').fill('grace');
    await page.keyboard.press('Enter');
    await reach('Buy Research');
    await page.keyboard.press('Enter');
    await reach('Pay');
    await page.keyboard.press('Enter');
    await page.getByText('It renews on').waitFor();
    await reach('Create key');
    await page.keyboard.press('Enter');
    await page.locator('#new-key').waitFor();
    await page.locator('#key-box:focus').waitFor();
    await reach('I have saved it');
    await page.keyboard.press('Enter');
    await reach(/^Revoke/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(
      await page
        .getByRole('button', { name: /^Revoke/ })
        .evaluate((each) => each === each.ownerDocument.activeElement),
    ).toBe(true);
    expect(await askedAgainAtOnce(page)).toBe(true);
    await reach('Revoke key');
    await page.keyboard.press('Enter');
    await page.getByText('is revoked.').waitFor();
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
  },
  SLOW_MS,
);
