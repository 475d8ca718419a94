import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../../scripts/browser/browser.js';
import type { Attack } from '../../../scripts/trust/attack-table.js';
import { FILES_PATH, PAGE_PATHS, TRUST_PATHS } from '../../../schemas/paths.js';
import { TRUST_FAULTS } from '../../../schemas/trust/trust-error.js';
import {
  findBarriers,
  hasFocus,
  keepScreen,
  overflowOf,
  overlapsOf,
  visit,
  type Look,
} from '../../support/pages/browser-pages.js';
import {
  applyChanges,
  ATTACKS,
  loadAttack,
  loadState,
  VECTORS,
  type VectorSite,
} from '../../support/trust/vector-site.js';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { siteFiles } from '../../../generator/core/draft/site.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { isAssetPath } from '../../../schemas/release-paths.js';

/** How a host answers a request for a file of its site. */
type HostAnswer = {
  readonly status: number;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A host on this machine with the page that verifies it. */
type VectorHost = {
  readonly url: string;
  /** Serves the files of another site. */
  readonly serve: (site: VectorSite) => void;
  /** Serves what a function returns. `isFresh`: the request asks caches to revalidate. */
  readonly answer: (to: (urlPath: string, isFresh: boolean) => HostAnswer) => void;
  readonly stop: () => Promise<void>;
};

/** Returns whether a file belongs to the page. No vector has one. */
const isOwn = (path: string): boolean =>
  path === PAGE_PATHS.verify || path === PAGE_PATHS.icon || isAssetPath(path);
const STAMP = { revision: '2026-03-04.000001', sequence: 3, publishedAt: '2026-03-04T06:00:00Z' };

/** Starts a host that serves nothing yet but the page that verifies it. */
async function startVectorHost(): Promise<VectorHost> {
  const own = new Map(
    siteFiles(await readProductTexts())
      .filter(({ path }) => isOwn(path))
      .map(({ path, type, content }) => [path, { type, text: content(STAMP).text }]),
  );
  let answerTo: (urlPath: string, isFresh: boolean) => HostAnswer = () => ({ status: 404 });
  const respond = ({ url: urlPath = '', headers }: IncomingMessage, response: ServerResponse): void => {
    const file = own.get(urlPath);
    if (file !== undefined) {
      response.writeHead(200, { 'Content-Type': file.type }).end(file.text);
      return;
    }
    const { status, bytes, headers: special } = answerTo(urlPath, headers['cache-control'] === 'no-cache');
    response.writeHead(status, { 'Cache-Control': 'public, max-age=300', ...special }).end(bytes);
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens to TCP
  return {
    url: `http://127.0.0.1:${port}`,
    serve(site) {
      answerTo = (urlPath) => {
        const bytes = site.get(urlPath);
        return bytes === undefined ? { status: 404 } : { status: 200, bytes };
      };
    },
    answer: (to) => void (answerTo = to),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const SLOW_MS = 300_000;
const WIDE: Look = { width: 1440, scheme: 'light' };
const STEPS = ['keys', 'timestamp', 'release', 'history', 'files'];
const GOOD = VECTORS.states['release-3'] ?? { anchor: '', now: '' };
const DONE = '#verdict:is([data-state=proven], [data-state=failed], [data-state=unproven])';

const closing: (() => Promise<unknown>)[] = [];
let browser: Browser;
let host: VectorHost;
/** A page that the tests of vectors share: a visit of its own for each takes longer than the test. */
let shared: Page;
beforeAll(async () => {
  browser = await startBrowser();
  closing.push(() => browser.close());
  host = await startVectorHost();
  closing.push(() => host.stop());
  shared = (await open()).page;
}, SLOW_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

async function open(look: Look = WIDE): ReturnType<typeof visit> {
  return visit(browser, host.url + PAGE_PATHS.verify, look);
}

/** Verifies the host, which serves something else than before, and returns the result in words. */
async function verify(
  page: Page,
  { anchor, now }: { readonly anchor: string; readonly now: string } = GOOD,
): Promise<{ readonly state: string | null; readonly words: string }> {
  await page.clock.setFixedTime(now);
  await page.reload();
  await page.getByLabel('Trust anchor').fill(anchor);
  await page.getByRole('button', { name: 'Verify', exact: true }).press('Enter');
  const verdict = page.locator(DONE);
  await verdict.waitFor();
  return { state: await verdict.getAttribute('data-state'), words: await verdict.innerText() };
}

/** Returns the state of each step. */
function stepsOf(page: Page): Promise<(string | null)[]> {
  return Promise.all(STEPS.map((id) => page.locator(`#step-${id}`).getAttribute('data-state')));
}

/** Chooses the subscriber files of a site, and returns the results by path: the state and the words. */
async function chooseFiles(page: Page, site: ReadonlyMap<string, Uint8Array>): Promise<Map<string, string>> {
  const files = [...site].filter(([urlPath]) => urlPath.startsWith(FILES_PATH));
  await page.getByLabel('Files to check').setInputFiles(
    files.map(([urlPath, bytes]) => ({
      name: urlPath.slice(1).replaceAll('/', '-'),
      mimeType: '',
      buffer: Buffer.from(bytes),
    })),
  );
  await page.getByText(` of ${files.length} files proven.`).waitFor();
  const items = await page.locator('#results li').all();
  const words = await Promise.all(
    items.map(async (item) => {
      const state = await item.getAttribute('data-state');
      return `${state ?? ''}: ${await item.locator('.words').innerText()}`;
    }),
  );
  return new Map(files.map(([urlPath], i) => [urlPath, words[i] ?? '']));
}

const TIMES = Object.entries(VECTORS.states).flatMap(([name, { anchor, now, also_now: others }]) =>
  [now, ...others].map((time) => [name, time, anchor] as const),
);

it.each(TIMES)(
  'proves the state %s at %s, and the files of subscribers with their manifests',
  async (name, now, anchor) => {
    const site = loadState(name);
    host.serve(site);
    const { state, words } = await verify(shared, { anchor, now });
    expect([state, words]).toEqual(['proven', expect.stringContaining('this host serves all')]);
    expect(await stepsOf(shared)).toEqual(STEPS.map(() => 'proven'));
    for (const [urlPath, result] of await chooseFiles(shared, site))
      expect(result).toMatch(new RegExp(`^proven: This is ${urlPath}[. ]`));
  },
  SLOW_MS,
);

/** The attacks on a reader who remembers nothing: the page does not. */
const OF_STRANGERS = ATTACKS.filter(({ seen }) => seen === null);
const isPublic = ({ reader }: Attack): boolean => reader === 'public';

it.each(OF_STRANGERS.filter(isPublic).map((attack) => [attack.name, attack] as const))(
  'names the fault: %s',
  async (_name, attack) => {
    host.serve(loadAttack(attack));
    const { state, words } = await verify(shared, attack);
    expect([words, state]).toEqual([words, STATES[attack.exit]]);
    if (attack.fault === null) return;
    const steps = await stepsOf(shared);
    const at = steps.indexOf(STATES[attack.exit]);
    expect(steps).toEqual(STEPS.map((_id, i) => (i < at ? 'proven' : i > at ? 'waiting' : steps[at])));
    if (attack.changes.some((change) => 'delete' in change && change.delete === TRUST_PATHS.keys))
      expect(words).toContain('somebody has removed the signatures');
    else expect(words).toContain(TRUST_FAULTS[attack.fault]);
  },
  SLOW_MS,
);
const STATES = { 0: 'proven', 7: 'unproven', 8: 'failed' } as const;

it.each(OF_STRANGERS.filter((attack) => !isPublic(attack)).map((attack) => [attack.name, attack] as const))(
  'proves no file to be what it is not: %s',
  async (_name, attack) => {
    const [site, base] = [loadAttack(attack), loadState(attack.base)];
    host.serve(site);
    await verify(shared, attack);
    for (const [urlPath, result] of await chooseFiles(shared, site)) {
      const isTrue = Buffer.compare(site.get(urlPath) ?? Buffer.of(), base.get(urlPath) ?? Buffer.of()) === 0;
      if (!isTrue) expect(result).not.toContain(`This is ${urlPath}`);
      else expect(result).toMatch(/^proven: This is|^unproven: .* choose its manifest too/);
    }
  },
  SLOW_MS,
);

describe('the page', () => {
  const LOOKS: readonly Look[] = [
    { width: 1440, scheme: 'light' },
    { width: 768, scheme: 'light' },
    { width: 360, scheme: 'dark' },
  ];
  const good = loadState('release-3');
  const altered = applyChanges(good, [{ put: '/docs', text: 'other' }]);

  it.each(LOOKS)(
    'fits a window of $width px, $scheme, and has no barriers: idle, proven and failed',
    async (look) => {
      const { page, faults, close } = await open(look);
      const check = async (name: string): Promise<void> => {
        await keepScreen(page, `verify-${name}-${look.width}-${look.scheme}`);
        expect([name, await overflowOf(page), await overlapsOf(page)]).toEqual([name, 0, []]);
        expect([name, await findBarriers(page)]).toEqual([name, []]);
      };
      await check('idle');
      host.serve(good);
      await verify(page);
      await chooseFiles(page, applyChanges(good, [{ put: `${FILES_PATH}/other.json`, text: 'other' }]));
      await check('proven');
      host.serve(altered);
      await verify(page);
      await check('failed');
      expect(faults).toEqual([]);
      await close();
    },
    SLOW_MS,
  );

  it('works with the keyboard alone, announces the result, and keeps the focus', async () => {
    host.serve(good);
    const { page, close } = await open();
    await page.clock.setFixedTime(GOOD.now);
    await page.getByLabel('Trust anchor').focus();
    await page.keyboard.type('https://data.example.com');
    await page.keyboard.press('Enter');
    expect(await page.locator('#anchor-fault').innerText()).toMatch(/^This is not a trust anchor/);
    expect(await hasFocus(page, '#anchor[aria-invalid=true]')).toBe(true);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(GOOD.anchor);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('All public files are what the publisher signed').waitFor();
    expect(await hasFocus(page, '#anchor[aria-invalid=false]')).toBe(true);
    expect(await page.locator('#anchor-fault').innerText()).toBe('');
    await close();
  });

  it('puts the anchor of the reader into the commands, and keeps nothing of it', async () => {
    host.serve(good);
    await verify(shared);
    for (const command of await shared.locator('#commands-list pre').allInnerTexts())
      expect(command).toContain(` --trust '${GOOD.anchor}'`);
    await shared.reload();
    expect(await shared.getByLabel('Trust anchor').inputValue()).toBe('');
    expect(
      await shared.evaluate('localStorage.length + sessionStorage.length + document.cookie.length'),
    ).toBe(0);
  });

  it('sends nothing: every request is for a file, without a body', async () => {
    host.serve(good);
    const { page, close } = await open();
    const sent: (string | null)[] = [];
    page.on('request', (request) => {
      expect([request.method(), new URL(request.url()).search]).toEqual(['GET', '']);
      sent.push(request.postData());
    });
    await verify(page);
    await chooseFiles(page, good);
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.every((body) => body === null)).toBe(true);
    await close();
  });

  it('reads again without caches if a cache is old, and says so if the cache stays old', async () => {
    const old = loadState('release-2');
    let isRenewed = true;
    host.answer((urlPath, isFresh) => {
      const isOld = urlPath === '/api/v1/status' && !(isFresh && isRenewed);
      const bytes = (isOld ? old : good).get(urlPath);
      return bytes === undefined
        ? { status: 404 }
        : { status: 200, bytes, headers: { Age: isOld ? '60' : '0' } };
    });
    expect((await verify(shared)).state).toBe('proven');
    isRenewed = false;
    const { state, words } = await verify(shared);
    expect([state, words]).toEqual(['unproven', expect.stringContaining(TRUST_FAULTS.mixed)]);
    expect(words).toContain('Wait five minutes and verify again');
  });

  it('a host that does not answer proves nothing, and does not seem false', async () => {
    host.answer((urlPath) => {
      const bytes = good.get(urlPath);
      return urlPath === '/docs' || bytes === undefined ? { status: 503 } : { status: 200, bytes };
    });
    const { state, words } = await verify(shared);
    expect([state, words]).toEqual([
      'unproven',
      expect.stringContaining('/docs could not be read (status 503)'),
    ]);
    expect(await stepsOf(shared)).toEqual(['proven', 'proven', 'proven', 'proven', 'unproven']);
  });

  it('waits if the host limits requests, and says so', async () => {
    let allowed = 8;
    host.answer((urlPath) => {
      const bytes = good.get(urlPath);
      if (allowed === 0) {
        setTimeout(() => (allowed = 100), 500);
        return { status: 429, headers: { 'Retry-After': '1' } };
      }
      allowed -= 1;
      return bytes === undefined ? { status: 404 } : { status: 200, bytes };
    });
    const waiting = shared.getByText('This host asks the page to wait').waitFor();
    expect((await verify(shared)).state).toBe('proven');
    await waiting;
  });

  it('says plainly that a site is not signed', async () => {
    host.serve(new Map());
    const { words } = await verify(shared);
    expect(words).toMatch(/^This site is not signed\s+This site does not sign its releases/);
  });

  it('compares chosen files only after the site is proven', async () => {
    host.serve(altered);
    await verify(shared);
    await shared.getByLabel('Files to check').setInputFiles({
      name: 'a.json',
      mimeType: '',
      buffer: Buffer.from('a'),
    });
    expect(await shared.locator('#chosen-words').innerText()).toMatch(/^First verify the site/);
    expect(await shared.locator('#results li').count()).toBe(0);
  });

  it('without JavaScript, says how to verify with the commands', async () => {
    const { page, close } = await open({ ...WIDE, javaScript: false });
    expect(await page.locator('noscript').isVisible()).toBe(true);
    expect(await page.locator('pre:visible').allInnerTexts()).toEqual([
      expect.stringMatching(/^crd verify /),
      expect.stringMatching(/^npx crd-generator verify /),
    ]);
    for (const control of ['#anchor', '#start', '#chosen'])
      expect([control, await page.locator(control).isVisible()]).toEqual([control, false]);
    await close();
  });
});
