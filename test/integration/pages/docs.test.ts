import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { EXAMPLE_NAMES, GUIDE_NAMES } from '../../../schemas/catalog.js';
import { exampleViewPath, guidePath, operationPath, PAGE_PATHS } from '../../../schemas/paths.js';
import { startBrowser } from '../../../scripts/browser/browser.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import {
  findBarriers,
  keepScreen,
  overflowOf,
  overlapsOf,
  visit,
  type Look,
  type Visit,
} from '../../support/pages/browser-pages.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { signSample } from '../../support/release/signed-sample.js';

const SETUP_MS = 300_000;
const SLOW_MS = 300_000;
const WIDE: Look = { width: 1440, scheme: 'light' };
const DAY = operationPath('getDay');

/** Pages that one visit each shows, in turn with every width and scheme. */
const PAGES = [
  ...GUIDE_NAMES.map(guidePath),
  PAGE_PATHS.apiSchemas,
  ...['getDay', 'createKey', 'getCalendar'].map(operationPath),
  exampleViewPath(EXAMPLE_NAMES[0]),
];
const WIDTHS = [360, 1440, 768];
const LOOKS: readonly Look[] = WIDTHS.flatMap((width) =>
  (['dark', 'light'] as const).map((scheme) => ({ width, scheme })),
);

const closing: (() => Promise<unknown>)[] = [];
let gateway: GatewayProcess;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  closing.push(() => browser.close());
  const folder = await createTemporaryFolder();
  closing.push(() => folder.dispose());
  gateway = await startGatewayProcess({
    CRD_STORE: (await signSample(folder.path)).store,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_RATE_ADDRESS_PER_MINUTE: '60000',
  });
  closing.push(() => gateway.stop());
}, SETUP_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

const open = (file: string, look: Look = WIDE): Promise<Visit> => visit(browser, gateway.url + file, look);

/** Returns the names of the tabs that are selected, one for each group. */
const selectedTabs = (page: Page): Promise<string[]> =>
  page.locator('[role=tab][aria-selected=true]').allInnerTexts();

it.each(PAGES.map((file, i) => [file, LOOKS[i % LOOKS.length] ?? WIDE] as const))(
  '%s opens without errors, fits every window and has no barriers',
  async (file, look) => {
    const { page, faults, close } = await open(file, look);
    await keepScreen(page, `${file.slice(1).replaceAll('/', '-')}-${look.width}-${look.scheme}`);
    expect(await findBarriers(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: look.scheme === 'dark' ? 'light' : 'dark' });
    expect(await findBarriers(page, ['color-contrast'])).toEqual([]); // all that the other scheme changes
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await overflowOf(page), await overlapsOf(page)]).toEqual([width, 0, []]);
    }
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

describe('without JavaScript', () => {
  it.each([PAGE_PATHS.docs, guidePath('download')])(
    '%s shows the code of every language below its name',
    async (file) => {
      const { page, close } = await open(file, { ...WIDE, javaScript: false });
      for (const language of ['Python', 'curl', 'JavaScript']) {
        const heading = page.getByRole('heading', { name: language, exact: true }).first();
        expect(await heading.isVisible()).toBe(true);
      }
      const blocks = await page.locator('pre').all();
      for (const block of blocks) expect(await block.isVisible()).toBe(true);
      expect(await page.getByRole('button').count()).toBe(0);
      await close();
    },
    SLOW_MS,
  );

  it('the API reference has no search', async () => {
    const { page, close } = await open(PAGE_PATHS.api, { ...WIDE, javaScript: false });
    expect(await page.locator('input').isVisible()).toBe(false);
    expect(await page.locator('.operations a').first().isVisible()).toBe(true);
    await close();
  });
});

it('the quickstart fits on one screen in each language', async () => {
  const { page, close } = await open(PAGE_PATHS.docs);
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click();
    const box = await page.locator('.quickstart').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(900);
  }
  await close();
});

it(
  'the keyboard chooses a language for all code of the page, and the next page keeps it',
  async () => {
    const { page, close } = await open(guidePath('download'));
    const groups = await page.getByRole('tablist').count();
    expect(await selectedTabs(page)).toEqual(Array(groups).fill('Python'));
    await page.getByRole('tab').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await selectedTabs(page)).toEqual(Array(groups).fill('curl'));
    await page.keyboard.press('End');
    expect(await selectedTabs(page)).toEqual(Array(groups).fill('JavaScript'));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    const focused = page.locator(':focus');
    expect([await focused.innerText(), await focused.getAttribute('role')]).toEqual(['JavaScript', 'tab']);
    await page.keyboard.press('Tab');
    expect(await page.locator('pre:focus').count()).toBe(1);
    expect(await page.locator('pre:visible').first().innerText()).toContain('await fetch(');
    await page.goto(gateway.url + guidePath('keys'));
    expect(new Set(await selectedTabs(page))).toEqual(new Set(['JavaScript']));
    await close();
  },
  SLOW_MS,
);

it(
  'a button copies the code of its block and announces it',
  async () => {
    const { page, close } = await open(exampleViewPath('download.sh'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = await page.locator('pre').innerText();
    await page.getByRole('button', { name: 'Copy: download.sh' }).press('Enter');
    await page.getByText('Copied: download.sh').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
    await close();
  },
  SLOW_MS,
);

it(
  'the search shows only the entries with its words, says how many, and opens the first with Enter',
  async () => {
    const { page, faults, close } = await open(PAGE_PATHS.api);
    const entries = page.locator('[data-found]:visible');
    const all = await entries.count();
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('day Revision');
    const found = await entries.count();
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(all / 4);
    expect(await page.locator('#found').innerText()).toBe(`${found} of ${all} entries`);
    expect(await page.getByRole('heading', { name: 'Problems' }).isVisible()).toBe(false);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL(gateway.url + DAY, { waitUntil: 'networkidle' }); // going back would cut off its icon
    await page.goBack();
    await page.getByRole('searchbox').fill('no such words');
    expect(await page.locator('#found').innerText()).toMatch(/^Nothing found/);
    await page.keyboard.press('Escape');
    expect(await entries.count()).toBe(all);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it('a link to a schema opens it', async () => {
  const { page, close } = await open(DAY);
  await page.getByRole('link', { name: 'file-link' }).first().click();
  await page.getByRole('heading', { name: 'file-link' }).waitFor();
  expect(await page.getByRole('heading', { name: 'file-link' }).isVisible()).toBe(true);
  await close();
});

it(
  'the request of every public operation is answered',
  async () => {
    const index = await (await fetch(gateway.url + PAGE_PATHS.api)).text();
    const section = index.slice(
      index.indexOf('id="tag-public-files"'),
      index.indexOf('id="tag-subscriber-files"'),
    );
    const pages = [...section.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);
    expect(pages.length).toBeGreaterThan(15);
    for (const file of pages) {
      const html = await (await fetch(gateway.url + file)).text();
      const [, target = ''] = /curl -sS[^<]*https:\/\/your-service\.example([^<]*?)&quot;/.exec(html) ?? [];
      const { status } = await fetch(gateway.url + target);
      expect([file, status]).toEqual([file, 200]);
    }
  },
  SLOW_MS,
);
