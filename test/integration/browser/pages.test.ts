import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { CHAIN_IDS, GUIDE_NAMES } from '../../../schemas/catalog.js';
import {
  chainPagePath,
  dayPagePath,
  FILES_PATH,
  guidePath,
  methodologyPagePath,
  metricsPagePath,
  operationPath,
  PAGE_PATHS,
  problemPath,
} from '../../../schemas/paths.js';
import type { Browser } from 'playwright-core';
import { largestPaintMs, startBrowser } from '../../../scripts/browser/browser.js';
import {
  cutTablesOf,
  findBarriers,
  hasFocus,
  keepScreen,
  overflowOf,
  overlapsOf,
  readLinks,
  seePictures,
  visit,
  type Visit,
} from '../../support/pages/browser-pages.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { publishSample } from '../../support/release/published-sample.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
/** Limit for a script, compressed. */
const SCRIPT_BYTES = 60_000;
/** Limit for the front page with its images and styles. */
const FRONT_BYTES = 200 * 1024;

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['front', PAGE_PATHS.front],
  ['chains', PAGE_PATHS.chains],
  ['chain', chainPagePath('ethereum')],
  ['simulated', chainPagePath('base')],
  ['metrics', metricsPagePath('ethereum')],
  ['day', dayPagePath('base', '2023-03-01')],
  ['docs', PAGE_PATHS.docs],
  ['api', PAGE_PATHS.api],
  ['pricing', PAGE_PATHS.pricing],
  ['status', PAGE_PATHS.status],
  ['changes', PAGE_PATHS.changes],
  ['glossary', PAGE_PATHS.glossary],
  ['methodology', methodologyPagePath('v1')],
  ['verify', PAGE_PATHS.verify],
  ['search', `${PAGE_PATHS.search}?q=verify`],
  ['problem', problemPath('not-entitled')],
];
/** The pages that describe a dataset. */
const DESCRIBED: readonly string[] = [PAGE_PATHS.front, chainPagePath('ethereum'), chainPagePath('base')];
/** The pages that contain the styles of their first screen. */
const STYLED: readonly string[] = [...DESCRIBED, dayPagePath('base', '2023-03-01')];
/** Queries, and the title of the first result. */
const SEARCHES = [
  ['backfilled', 'Exclude backfilled labels'],
  ['dormant', 'dormant'],
  ['verify', 'Verify this site'],
  ['2023-04-20', 'Bitcoin on 2023-04-20'],
  ['base 20 April 2023', 'Base on 2023-04-20'],
  ['20 April 2023', 'Bitcoin on 2023-04-20'],
  ['parqet', 'parquet'],
  ['cancel', 'Can I cancel?'],
  ['rate limit', 'See how much is left'],
  ['withdrawn', 'withdrawn'],
  ['look-ahead', 'Join without look-ahead'],
] as const;
const WIDTHS = [1440, 768, 360] as const;
/** Limit for the layout shift of a page. The buttons of a chart, which a script adds, move it by 0.003. */
const MOVED = 0.005;

/** Cleanup of what was opened. */
const closing: (() => Promise<unknown>)[] = [];
let gateway: GatewayProcess;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  closing.push(() => browser.close());
  const folder = await createTemporaryFolder();
  closing.push(() => folder.dispose());
  gateway = await startGatewayProcess({
    CRD_STORE: `file:${await publishSample()}`,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_RATE_ADDRESS_PER_MINUTE: '60000',
  });
  closing.push(() => gateway.stop());
}, INSTALL_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

describe.each(PAGES)('%s', (name, file) => {
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit(browser, gateway.url + file, { width: WIDTHS[0], scheme: 'light' });
  }, SLOW_MS);
  afterAll(() => visited.close(), SLOW_MS);

  it(
    'leads the first key press to the link past the header',
    async () => {
      const { page } = visited;
      await page.keyboard.press('Tab');
      expect(await hasFocus(page, 'a.skip')).toBe(true);
      expect((await page.locator('a.skip').boundingBox())?.x).toBeGreaterThanOrEqual(0);
      await page.keyboard.press('Enter');
      expect(await hasFocus(page, 'main')).toBe(true);
    },
    SLOW_MS,
  );

  it.each(WIDTHS)(
    'opens without errors and fits the window at %d px, and no text covers another',
    async (width) => {
      const { page, faults } = visited;
      await page.setViewportSize({ width, height: 900 });
      await seePictures(page);
      await keepScreen(page, `${name}-${width}`);
      expect(await overflowOf(page)).toBe(0);
      expect(await overlapsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
    SLOW_MS,
  );

  // A narrow and a wide window, but one for each scheme: the check of a long page takes many seconds.
  it.each([
    ['light', 360],
    ['dark', 1440],
  ] as const)(
    'has no accessibility violations in the %s scheme',
    async (scheme, width) => {
      const { page, faults } = visited;
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      expect(await findBarriers(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
    SLOW_MS,
  );
});

it.each(['Liberation Sans', 'DejaVu Sans'])(
  'no table is cut off in a wide window whose font is %s',
  async (font) => {
    const cut: Record<string, readonly string[]> = {};
    for (const [name, file] of PAGES) {
      const { page, close } = await visit(browser, gateway.url + file, { width: 1440, scheme: 'light' });
      cut[name] = await cutTablesOf(page, font);
      await close();
    }
    expect(cut).toEqual(Object.fromEntries(PAGES.map(([name]) => [name, []])));
  },
  SLOW_MS,
);

it.each(PAGES)(
  'the page %s has no scripts but its own, and works without them',
  async (_name, file) => {
    const bare = await visit(browser, gateway.url + file, {
      width: 1440,
      scheme: 'light',
      javaScript: false,
    });
    const whole = await bare.page.content();
    const block = /<script type="application\/ld\+json">[^<]*<\/script>\n/g; // data, which no browser runs
    expect(whole.match(block)?.length ?? 0).toBe(DESCRIBED.includes(file) ? 1 : 0);
    const html = whole.replace(block, '');
    const own = ['verify', 'search'].filter((name) => file.startsWith(`/${name}`));
    const stems = ['site', ...own, ...(file === metricsPagePath('ethereum') ? ['chart'] : [])];
    expect(html.match(/<script[^]*?<\/script>/gi)).toEqual(
      stems.map((stem): unknown =>
        expect.stringMatching(
          new RegExp(
            `^<script src="/assets/${stem}-[0-9a-f]{16}\\.js" defer="" fetchpriority="low"></script>$`,
          ),
        ),
      ),
    );
    expect(html.match(/<style/gi)?.length ?? 0).toBe(STYLED.includes(file) ? 1 : 0); // named by its digest in the policy
    expect(html).not.toMatch(/ style=| on[a-z]+=/i);
    expect(await bare.page.locator('h1').count()).toBe(1);
    expect(bare.faults).toEqual([]);
    await bare.close();
  },
  SLOW_MS,
);

it(
  'the front page is smaller than 200 KB and painted within half a second',
  async () => {
    const paints: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { page, bytes, close } = await visit(browser, gateway.url, { width: 1440, scheme: 'light' });
      paints.push(await largestPaintMs(page));
      expect(await page.locator('svg.crd-chart').count()).toBe(1);
      expect(await bytes()).toBeLessThan(FRONT_BYTES);
      await close();
    }
    expect(Math.min(...paints)).toBeLessThan(500); // the machine may be busy
  },
  SLOW_MS,
);

it.each(STYLED)(
  '%s keeps what is painted in its place when its style sheet comes late',
  async (path) => {
    for (const width of [1440, 390]) {
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.addInitScript(`Date.now = () => Date.parse('2023-09-27T06:00:00Z')`); // later, a script says that it is stale
      await page.route(/\.css$/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await route.continue();
      });
      await page.goto(gateway.url + path, { waitUntil: 'networkidle' });
      const moved: unknown = await page.evaluate(`new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) sum += value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), 200);
      })`);
      expect({ width, isStill: Number(moved) < MOVED }).toEqual({ width, isStill: true });
      await context.close();
    }
  },
  SLOW_MS,
);

it.each(['site', 'search', 'chart', 'verify', 'account'])(
  'the script %s.js has at most 60 kB compressed',
  async (name) => {
    const script = await readFile(new URL(`../../../dist/templates/browser/${name}.js`, import.meta.url));
    expect(gzipSync(script).length).toBeLessThanOrEqual(SCRIPT_BYTES);
  },
);

it(
  'the search finds what a person means, by keys alone, and its address can be shared',
  async () => {
    const { page, faults, close } = await visit(browser, gateway.url + PAGE_PATHS.search, {
      width: 1440,
      scheme: 'light',
    });
    const first = page.locator('[data-results] a').first();
    for (const [query, title] of SEARCHES) {
      await page.locator('#search').fill(query);
      await page.waitForURL((url) => url.searchParams.get('q') === query); // set when the results are shown
      expect([query, await first.textContent()]).toEqual([query, title]);
    }
    await page.reload();
    await page.locator('#search').press('ArrowDown');
    expect(await hasFocus(page, '[data-results] li:first-child a')).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/guides\/join/);
    await page.goBack();
    expect(new URL(page.url()).searchParams.get('q')).toBe(SEARCHES.at(-1)?.[0]);
    await page.locator('#search').fill('qwxyzzy');
    await page.locator('#found', { hasText: 'Nothing found' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'the glossary is short, and a filter or a link opens what a person looks for',
  async () => {
    const { page, faults, close } = await visit(browser, `${gateway.url}${PAGE_PATHS.glossary}`, {
      width: 1440,
      scheme: 'light',
    });
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(5_000);
    await page.locator('#search').fill('tx_count');
    expect(await page.locator('[data-found]:visible').count()).toBeGreaterThan(1);
    expect(await page.locator('[id="field.tx_count"]').isVisible()).toBe(true);
    expect(await page.locator('[id="label.dormant"]').isVisible()).toBe(false);
    await page.locator('#search').press('Escape');
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBe(height);
    await page.goto(`${gateway.url}${PAGE_PATHS.glossary}#field.tx_count`);
    expect(await page.locator('[id="field.tx_count"]').isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'all internal links work',
  async () => {
    const links = new Set<string>();
    const files = [...PAGES.map(([, page]) => page), ...CHAIN_IDS.map(chainPagePath)];
    for (const file of [...files, ...GUIDE_NAMES.map(guidePath), operationPath('getDay')]) {
      const { hrefs, missing } = await readLinks(gateway.url + file);
      expect([file, missing]).toEqual([file, []]);
      for (const href of hrefs) links.add(href.replace(/#.*/, ''));
    }
    const internal = [...links].filter((link) => link.startsWith(gateway.url));
    expect(internal.length).toBeGreaterThan(100);
    for (const link of internal) {
      const { status } = await fetch(link, { method: 'HEAD' });
      expect([link, status]).toEqual([link, link.includes(FILES_PATH) ? 401 : 200]);
    }
  },
  SLOW_MS,
);
