import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { chainPagePath, FILES_PATH, methodologyPagePath, PAGE_PATHS } from '../../schemas/paths.js';
import { problemPath } from '../../schemas/problems.js';
import type { Browser } from 'playwright-core';
import { largestPaintMs, startBrowser } from '../../scripts/browser.js';
import {
  findBarriers,
  hasFocus,
  keepScreen,
  linksOf,
  overflowOf,
  seePictures,
  visit,
  type Look,
} from '../fixtures/browser-pages.js';
import { startGatewayProcess, type GatewayProcess } from '../fixtures/gateway-process.js';
import { runAsProcess } from '../fixtures/generator-run.js';
import { createTemporaryFolder } from '../fixtures/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 120_000;
const SAMPLE = path.join(import.meta.dirname, '../../scripts/sample');
const AS_OF = '2023-09-27T06:00:00Z';
/** Of the front page with all that it draws. */
const FRONT_BYTES = 200 * 1024;

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['front', PAGE_PATHS.front],
  ['chain', chainPagePath('ethereum')],
  ['docs', PAGE_PATHS.docs],
  ['methodology', methodologyPagePath('v1')],
  ['problem', problemPath('not-entitled')],
];
const LOOKS: readonly Look[] = [360, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

/** How to close what was opened: what could not be opened need not be closed. */
const closing: (() => Promise<unknown>)[] = [];
let gateway: GatewayProcess;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  closing.push(() => browser.close());
  const folder = await createTemporaryFolder();
  closing.push(() => folder.dispose());
  const store = `file:${path.join(folder.path, 'store')}`;
  const published = await runAsProcess(['publish', '--input', SAMPLE, '--store', store, '--as-of', AS_OF]);
  expect([published.code, published.stderr]).toEqual([0, expect.any(String)]);
  gateway = await startGatewayProcess({
    CRD_STORE: store,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_RATE_ADDRESS_PER_MINUTE: '60000',
  });
  closing.push(() => gateway.stop());
}, INSTALL_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

/** Each look at each page. */
const VISITS = PAGES.flatMap(([name, file]) =>
  LOOKS.map((look) => [`${name}-${look.width}-${look.scheme}`, file, look] as const),
);

describe.each(VISITS)('%s', (name, file, look) => {
  it(
    'opens without a complaint, fits its window and keeps nobody out',
    async () => {
      const { page, faults, close } = await visit(browser, gateway.url + file, look);
      await seePictures(page);
      await keepScreen(page, name);
      expect(await overflowOf(page)).toBe(0);
      expect(await findBarriers(page)).toEqual([]);
      expect(faults).toEqual([]);
      await close();
    },
    SLOW_MS,
  );
});

it.each(PAGES)(
  'the page %s says all that it says without scripts, and has none',
  async (_name, file) => {
    const bare = await visit(browser, gateway.url + file, {
      width: 1440,
      scheme: 'light',
      javaScript: false,
    });
    const html = await bare.page.content();
    expect(html).not.toMatch(/<script|<style| style=| on[a-z]+=/i);
    expect(await bare.page.locator('h1').count()).toBe(1);
    expect(bare.faults).toEqual([]);
    await bare.close();
  },
  SLOW_MS,
);

it.each(PAGES)(
  'the keyboard first finds the way past the head of the page %s',
  async (_name, file) => {
    const { page, close } = await visit(browser, gateway.url + file, { width: 1440, scheme: 'light' });
    await page.keyboard.press('Tab');
    expect(await hasFocus(page, 'a.skip')).toBe(true);
    expect((await page.locator('a.skip').boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect(await hasFocus(page, 'main')).toBe(true);
    await close();
  },
  SLOW_MS,
);

it(
  'the front page with all that it draws is under 200 KB, and is painted in half a second',
  async () => {
    const paints: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { page, bytes, close } = await visit(browser, gateway.url, { width: 1440, scheme: 'light' });
      paints.push(await largestPaintMs(page));
      expect(await seePictures(page)).toBe(CHAIN_IDS.length + 1); // one of all chains
      expect(await bytes()).toBeLessThan(FRONT_BYTES);
      await close();
    }
    expect(Math.min(...paints)).toBeLessThan(500); // others may be at work on the machine
  },
  SLOW_MS,
);

it(
  'every place of ours that a page links to is there',
  async () => {
    const links = new Set<string>();
    for (const file of [...PAGES.map(([, page]) => page), ...CHAIN_IDS.map(chainPagePath)]) {
      const { page, close } = await visit(browser, gateway.url + file, { width: 1440, scheme: 'light' });
      const { hrefs, missing } = await linksOf(page);
      expect([file, missing]).toEqual([file, []]);
      for (const href of hrefs) links.add(href.replace(/#.*/, ''));
      await close();
    }
    const ours = [...links].filter((link) => link.startsWith(gateway.url));
    expect(ours.length).toBeGreaterThan(100);
    for (const link of ours) {
      const { status } = await fetch(link, { method: 'HEAD' });
      expect([link, status]).toEqual([link, link.includes(FILES_PATH) ? 401 : 200]);
    }
  },
  SLOW_MS,
);
