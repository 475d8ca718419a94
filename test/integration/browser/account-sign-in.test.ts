import type { Browser, Request } from 'playwright-core';
import {
  buyResearch,
  expectGoodLook,
  openAccount,
  openTab,
  signIn,
  SLOW_MS,
  withAccountSite,
  type AccountVisit,
  type TestSite,
} from '../../support/pages/account-visit.js';

let browser: Browser;
let site: TestSite;
withAccountSite((started) => ({ browser, site } = started));

/** Lets the provider answer every request to sign in with an error, as one that does not ask. */
async function refuseWith(visit: AccountVisit, error: string, { hasState = true } = {}): Promise<void> {
  await visit.context.route(`${site.provider.issuer}/auth?*`, async (route) => {
    const { searchParams: asked } = new URL(route.request().url());
    const answer = new URL(asked.get('redirect_uri') ?? '');
    const words = { error, error_description: '<b id="evil">Call 555 0100</b>', iss: site.provider.issuer };
    for (const [name, value] of Object.entries(words)) answer.searchParams.set(name, value);
    if (hasState) answer.searchParams.set('state', asked.get('state') ?? '');
    await route.fulfill({ status: 303, headers: { Location: answer.href } });
  });
}

/** Lets the token endpoint answer with an error. */
async function refuseCodesWith(visit: AccountVisit, error: string): Promise<void> {
  await visit.context.route(`${site.provider.issuer}/token`, (route) =>
    route.fulfill({
      status: 400,
      headers: { 'Access-Control-Allow-Origin': '*' },
      json: { error, error_description: '<b id="evil">Call 555 0100</b>' },
    }),
  );
}

async function holdBack(visit: AccountVisit, path: string): Promise<void> {
  await visit.context.route(`${site.provider.issuer}${path}`, (route) => route.abort());
}

describe('signing out', () => {
  it(
    'sends the ID token to the provider in a form, and in no address, and ends its session',
    async () => {
      const visit = await openTab(browser);
      const { page, urls, faults } = visit;
      await openAccount(visit, site, 'ada');
      const sent: Request[] = [];
      page.on('request', (request) => sent.push(request));
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign out of the demo?' }).waitFor();
      const [request] = sent.filter((each) => each.url() === `${site.provider.issuer}/session/end`);
      const fields = new URLSearchParams(request?.postData() ?? '');
      const hint = fields.get('id_token_hint') ?? '';
      const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString()) as object;
      expect(claims).toMatchObject({ sub: 'ada', aud: site.provider.clientId });
      expect([request?.method(), fields.get('client_id'), fields.get('post_logout_redirect_uri')]).toEqual([
        'POST',
        site.provider.clientId,
        site.accountUrl,
      ]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('Sign in to see your plan').waitFor();
      expect(urls.filter((url) => url.includes(hint) || url.includes('id_token'))).toEqual([]);
      expect(faults).toEqual([]);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Name').waitFor(); // the provider asks again
    },
    SLOW_MS,
  );

  it(
    'says that the provider may still know the person if the policy of the page blocks the way there',
    async () => {
      const visit = await openTab(browser);
      const { page } = visit;
      // Hydra 2.3.0 leads over a page of the operator, which may be at any origin.
      await visit.context.route(`${site.provider.issuer}/session/end`, (route) =>
        route.fulfill({ status: 302, headers: { Location: 'https://sso.example.com/end' } }),
      );
      await openAccount(visit, site, 'ada');
      await page.getByRole('button', { name: 'Sign out' }).dispatchEvent('click'); // a click would wait for a navigation
      await page.getByText('but perhaps not at the sign-in service').waitFor();
      expect(visit.urls.filter((url) => url.includes('sso.example.com'))).toEqual([]);
      await expectGoodLook(visit, 'signed-out-here');
    },
    SLOW_MS,
  );

  it(
    'does not take another violation of the policy for a blocked way to the provider',
    async () => {
      const visit = await openTab(browser);
      const { page } = visit;
      await visit.context.route(`${site.provider.issuer}/session/end`, (route) =>
        route.fulfill({ status: 204 }),
      );
      await openAccount(visit, site, 'ada');
      await page.getByRole('button', { name: 'Sign out' }).dispatchEvent('click');
      await page.getByText('You are signed out.').waitFor();
      const violations = await page.evaluate<string[]>(`new Promise((resolve) => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          seen.push(effectiveDirective);
          resolve(seen);
        });
        document.body.append(Object.assign(new Image(), { src: 'https://images.example.com/a.png' }));
      })`);
      expect(violations).toEqual(['img-src']);
      expect(await page.getByText('but perhaps not at the sign-in service').count()).toBe(0);
    },
    SLOW_MS,
  );
});

describe('a return from the payment service that the provider does not sign in', () => {
  it.each<[string, (visit: AccountVisit) => Promise<void>]>([
    ['login_required', (visit) => refuseWith(visit, 'login_required')],
    ['access_denied', (visit) => refuseWith(visit, 'access_denied')],
    ['an error that no standard knows', (visit) => refuseWith(visit, 'request_forbidden')],
    ['an error without the state', (visit) => refuseWith(visit, 'server_error', { hasState: false })],
    ['a refused code', (visit) => refuseCodesWith(visit, 'invalid_grant')],
    ['a token endpoint that does not answer', (visit) => holdBack(visit, '/token')],
    ['a provider that does not answer', (visit) => holdBack(visit, '/**')],
  ])(
    'asks to sign in, and keeps what the person came for, after %s',
    async (_what, spoil) => {
      const visit = await openTab(browser);
      const { page } = visit;
      await openAccount(visit, site, 'bea');
      await spoil(visit);
      await page.goto(`${site.accountUrl}?checkout=success&session_id=cs_1`);
      await page.getByText('Sign in again to see whether your payment is confirmed.').waitFor();
      expect(await page.locator('.notice, .bad').count()).toBe(0);
      expect(await page.locator('body').textContent()).not.toMatch(/not valid|does not answer|555/);
      await visit.context.unrouteAll();
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
    },
    SLOW_MS,
  );

  it(
    'looks calm',
    async () => {
      const visit = await openTab(browser);
      await refuseWith(visit, 'interaction_required');
      await visit.page.goto(`${site.accountUrl}?portal=returned`);
      await visit.page.getByText('changes that you made in the billing portal').waitFor();
      await expectGoodLook(visit, 'silent-return');
    },
    SLOW_MS,
  );
});

describe('a refused sign-in', () => {
  it.each<[string, (visit: AccountVisit) => Promise<void>, string]>([
    ['scope', (visit) => refuseWith(visit, 'invalid_scope'), 'did not sign you in.*(Code: invalid_scope.)'],
    ['outage', (visit) => refuseWith(visit, 'server_error'), 'did not sign you in.*(Code: server_error.)'],
    ['denial', (visit) => refuseWith(visit, 'access_denied'), 'was cancelled. (Code: access_denied.)'],
    [
      'client',
      (visit) => refuseCodesWith(visit, 'invalid_client'),
      'did not sign you in.*(Code: invalid_client.)',
    ],
    ['text', (visit) => refuseWith(visit, '<b id="evil">'), 'did not sign you in.*(Code: unknown.)'],
    ['address', (visit) => holdBack(visit, '/token'), 'does not answer.*(Code: token_unreadable.)'],
  ])(
    'is explained with its code, and without the words of the provider: %s',
    async (_what, spoil, words) => {
      const visit = await openTab(browser);
      const { page } = visit;
      await page.goto(`${site.accountUrl}?plan=research`);
      await spoil(visit);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const expected = new RegExp(words.replace(/[().]/g, '\\$&').replace('\\.*', '.*'));
      const form = page.getByLabel('Name');
      await page.getByText(expected).or(form).waitFor();
      if (await form.isVisible()) {
        await form.fill('ada');
        await page.getByRole('button', { name: 'Sign in' }).click();
      }
      await page.getByText(expected).waitFor();
      expect(await page.locator('#evil').count()).toBe(0);
      expect(await page.locator('body').textContent()).not.toContain('555');
      expect(visit.faults.some((fault) => fault.startsWith('sign-in: '))).toBe(true);
      expect(visit.faults.filter((fault) => fault.includes('555'))).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'by the gateway is explained with the code of its log',
    async () => {
      const visit = await openTab(browser);
      const { page } = visit;
      await visit.context.route('**/api/v1/keys', (route) =>
        route.fulfill({
          status: 401,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            code: 'session-invalid',
            status: 401,
            detail: 'The session token was refused.',
            refusal: 'audience',
          }),
        }),
      );
      await page.goto(site.accountUrl);
      await signIn(visit, 'ada');
      await page.getByText('does not accept its sign-in').waitFor();
      await page.getByText('(Code: audience.)').waitFor();
      await expectGoodLook(visit, 'not-accepted');
    },
    SLOW_MS,
  );

  it(
    'by the gateway is explained if the provider sends an opaque access token',
    async () => {
      const visit = await openTab(browser);
      const { page } = visit;
      await visit.context.route(`${site.provider.issuer}/token`, async (route) => {
        const response = await route.fetch();
        const document = (await response.json()) as object;
        await route.fulfill({ response, json: { ...document, access_token: 'ory_at_AbC-123.dEf_456' } });
      });
      await page.goto(site.accountUrl);
      await signIn(visit, 'ada');
      await page.getByText('(Code: no-jwt.)').waitFor();
    },
    SLOW_MS,
  );
});

it(
  'still buys after a sign-out and another sign-in',
  async () => {
    const visit = await openTab(browser);
    await openAccount(visit, site, 'carol');
    await visit.page.getByRole('button', { name: 'Sign out' }).click();
    await visit.page.getByRole('button', { name: 'Sign out' }).click();
    await visit.page.getByText('Sign in to see your plan').waitFor();
    await signIn(visit, 'carol');
    await buyResearch(visit);
    expect(visit.faults).toEqual([]);
  },
  SLOW_MS,
);
