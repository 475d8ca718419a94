import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { chainPagePath, embedPath, metricsPagePath } from '../../../schemas/paths.js';
import { startBrowser } from '../../../scripts/browser/browser.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { overflowOf, visit, type Visit } from '../../support/pages/browser-pages.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { publishSample } from '../../support/release/published-sample.js';

const SLOW_MS = 300_000;
const PAGE = metricsPagePath('ethereum');
/** A view whose citation and address are long. */
const LONG_VIEW = '#metric=fees_total&with=bitcoin.fees_total&scale=log&from=2023-01-01&to=2023-01-31';

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
}, SLOW_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

type Opened = Visit & { readonly figure: Locator };

async function open(file: string, width = 1440): Promise<Opened> {
  const visited = await visit(browser, gateway.url + file, { width, scheme: 'light' });
  const figure = visited.page.locator('figure[data-ready]');
  await figure.waitFor();
  return { ...visited, figure };
}

/** Waits until the address follows the chart, and returns its fragment. */
async function fragmentOf(page: Page): Promise<string> {
  await page.waitForTimeout(1500); // the machine may be busy
  return new URL(page.url()).hash;
}

it(
  'saves the whole citation with a picture, inside its edges',
  async () => {
    const { page, figure, close } = await open(PAGE + LONG_VIEW);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: 'Download SVG' }).click(),
    ]);
    const cited = (await figure.locator('.chart-citation').textContent()) ?? '';
    await page.setContent(await readFile(await download.path(), 'utf8'));
    const texts = await page.locator('svg > svg').first().locator('text').allTextContents();
    expect(texts.join('').replaceAll(' ', '')).toContain(cited.replace('Cite:', '').replaceAll(' ', ''));
    const beyond = await page.evaluate(`(() => {
      const right = document.querySelector('svg').getBoundingClientRect().right;
      return [...document.querySelectorAll('text')]
        .filter((text) => text.getBoundingClientRect().right > right)
        .map((text) => text.textContent);
    })()`);
    expect(beyond).toEqual([]);
    const tops = await page.evaluate(`(() => {
      const [head, chart] = [...document.querySelectorAll('svg > svg')].map((part) =>
        [...part.querySelectorAll('text')].map((text) => text.getBoundingClientRect()));
      return [Math.max(...head.map(({ bottom }) => bottom)), Math.min(...chart.map(({ top }) => top))];
    })()`);
    const [headBottom = NaN, chartTop = NaN] = tops as number[]; // as the script returns them
    expect(headBottom).toBeLessThanOrEqual(chartTop);
    await close();
  },
  SLOW_MS,
);

it(
  'says that a chain has no data for the metric that was chosen beside',
  async () => {
    const { page, figure, faults, close } = await open(`${PAGE}#with=arbitrum.block_count`);
    const note = figure.locator('.chart-note');
    expect(await note.textContent()).toBe('Arbitrum has no data for blocks.');
    await figure.locator('.chart-plot').press('ArrowLeft');
    expect(await note.textContent()).toBe('Arbitrum has no data for blocks.');
    await figure.locator('.metric-tools select').nth(1).selectOption('base.tx_count');
    expect(await fragmentOf(page)).toBe('#with=base.tx_count');
    expect(await note.count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it.each([
  ['#day=2023-05-05', '#day=2023-05-05'],
  ['#from=2020-01-01&to=2022-12-31&day=2022-10-10', '#from=2021-01-01&to=2023-09-26&day=2022-10-10'],
  ['#from=2023-05-05&to=2023-06-05&day=2023-01-01', '#from=2023-05-05&to=2023-06-05'],
])(
  'keeps the day of the address %s while the chart shows it',
  async (fragment, kept) => {
    const { page, figure, close } = await open(PAGE + fragment);
    expect(await fragmentOf(page)).toBe(kept);
    expect(await figure.locator('.chart-cursor').isVisible()).toBe(kept.includes('day='));
    await close();
  },
  SLOW_MS,
);

it.each([PAGE, chainPagePath('ethereum')])(
  'the page %s opens with an address that is not encoded correctly',
  async (file) => {
    const { faults, close } = await visit(browser, `${gateway.url + file}#%E0%A4%A`, {
      width: 1440,
      scheme: 'light',
    });
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'fits a frame of 220 pixels, and a phone with letters of twice the size',
  async () => {
    const narrow = await open(embedPath('ethereum') + LONG_VIEW, 220);
    expect(await overflowOf(narrow.page)).toBe(0);
    await narrow.close();
    const large = await open(PAGE + LONG_VIEW, 360);
    await large.page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await overflowOf(large.page)).toBe(0);
    await large.close();
  },
  SLOW_MS,
);

/** Returns the texts of the chart of a page that are beyond the edges of its figure, and those that are over another one. */
function collidingTexts(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const figure = document.querySelector('figure').getBoundingClientRect();
    const texts = [...document.querySelectorAll('figure svg text')].map((each) =>
      ({ words: each.textContent, box: each.getBoundingClientRect() }));
    return texts.filter(({ box }, i) =>
      box.left < figure.left || box.right > figure.right ||
      texts.slice(i + 1).some(({ box: other }) =>
        box.left < other.right && other.left < box.right && box.top + 2 < other.bottom && other.top + 2 < box.bottom),
    ).map(({ words }) => words);
  })()`);
}

it(
  'has its texts inside the chart on a phone, and none over another, with two metrics and as a picture',
  async () => {
    const two = await open(`${PAGE}#with=bitcoin.active_addresses`, 360);
    expect(await collidingTexts(two.page)).toEqual([]);
    await two.close();
    const still = await visit(browser, gateway.url + PAGE, {
      width: 360,
      scheme: 'light',
      javaScript: false,
    });
    expect(await collidingTexts(still.page)).toEqual([]);
    await still.close();
  },
  SLOW_MS,
);

it.each(['', '#with=base.tx_count'])(
  'has an embedded chart as high as its frame: "%s"',
  async (fragment) => {
    const { page, figure, close } = await open(PAGE + fragment);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await figure.getByRole('button', { name: 'Copy embed code' }).click();
    await figure.getByText('Copied the embed code.').waitFor();
    const code = await page.evaluate<string>('navigator.clipboard.readText()');
    const height = Number(/height="(\d+)"/.exec(code)?.[1]);
    const embedded = await open(embedPath('ethereum') + fragment, 800);
    await embedded.page.setViewportSize({ width: 800, height });
    await embedded.page.waitForTimeout(500);
    expect(await embedded.page.evaluate('document.documentElement.scrollHeight')).toBe(height);
    await embedded.close();
    await close();
  },
  SLOW_MS,
);

it(
  'prints no controls',
  async () => {
    const { page, figure, close } = await open(PAGE);
    await page.emulateMedia({ media: 'print' });
    expect(await figure.locator('select:visible, button:visible, .chart-tools:visible').count()).toBe(0);
    expect(await figure.locator('.chart-legend').isVisible()).toBe(true);
    expect(await figure.locator('.chart-citation').isVisible()).toBe(true);
    await close();
  },
  SLOW_MS,
);

it(
  'keeps the colours of labels and shows what is chosen in a high-contrast theme',
  async () => {
    const { page, close } = await open(PAGE);
    await page.emulateMedia({ forcedColors: 'active' });
    const coloursOf = (selector: string): Promise<string[]> =>
      page.evaluate(
        `[...document.querySelectorAll('${selector}')].map((each) => getComputedStyle(each).backgroundColor)`,
      );
    const swatches = await coloursOf('.chart-legend .chart-swatch');
    expect(new Set(swatches).size).toBe(swatches.length);
    const [chosen] = await coloursOf('[aria-label=Range] [aria-pressed=true]');
    expect(await coloursOf('[aria-label=Range] [aria-pressed=false]')).not.toContain(chosen);
    await page.goto(gateway.url + chainPagePath('ethereum'));
    expect(new Set(await coloursOf('.ribbon span')).size).toBeGreaterThan(1);
    await close();
  },
  SLOW_MS,
);
