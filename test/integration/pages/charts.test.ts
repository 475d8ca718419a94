import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import type { Browser, Locator, Page } from 'playwright-core';
import { startBrowser } from '../../../scripts/browser/browser.js';
import { toChart, type ChartPoint } from '../../../generator/core/artifacts/chart-data.js';
import { confidenceCell, dateWords, zWords } from '../../../schemas/words.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { bundlePath, chainPagePath, chartDataPath, PAGE_PATHS, problemPath } from '../../../schemas/paths.js';
import { objectKey, POINTER_KEY, releaseKey } from '../../../schemas/paths.js';
import type { Bundle, MetaDay, Pointer, ReleaseRecord } from '../../../schemas/types.generated.js';
import { keepScreen, overflowOf, visit, type Look, type Visit } from '../../support/pages/browser-pages.js';
import { readSvg } from '../../support/pages/svg-reader.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { chartDay, chartDays } from '../../support/release/chart-days.js';
import { publishSample } from '../../support/release/published-sample.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** The day after the last of the sample. */
const NOW = '2023-09-27T12:00:00Z';
const WIDE: Look = { width: 1440, scheme: 'light', now: NOW };
const CHAIN_PAGE = chainPagePath('bitcoin');

const closing: (() => Promise<unknown>)[] = [];
let gateway: GatewayProcess;
let browser: Browser;
let store: string;
beforeAll(async () => {
  browser = await startBrowser();
  closing.push(() => browser.close());
  const folder = await createTemporaryFolder();
  closing.push(() => folder.dispose());
  store = await publishSample();
  gateway = await startGatewayProcess({
    CRD_STORE: `file:${store}`,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_RATE_ADDRESS_PER_MINUTE: '60000',
  });
  closing.push(() => gateway.stop());
}, 300_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

/** Returns the published meta records of bitcoin's last year, ascending. */
async function publishedRecords(): Promise<MetaDay[]> {
  const read = async (key: string): Promise<unknown> =>
    JSON.parse(await readFile(path.join(store, key), 'utf8'));
  const { revision, sha256 } = (await read(POINTER_KEY)) as Pointer; // the generator wrote it
  const record = (await read(releaseKey(revision, sha256))) as ReleaseRecord; // the same
  const entry = record.bundles[bundlePath('meta', 'bitcoin', '365d')];
  const bundle = (await read(objectKey(entry?.sha256 ?? ''))) as Bundle; // the same
  return bundle.days as MetaDay[]; // a bundle of meta
}

/** Opens a page and uses its chart, so that its data is loaded. */
async function openChart(
  file: string,
  look: Look = WIDE,
): Promise<Visit & { figure: Locator; plot: Locator }> {
  const visited = await visit(browser, gateway.url + file, look);
  return { ...visited, ...(await useChart(visited.page)) };
}

/** Opens the page of a chain that has these points, by a clock at `now`, and uses its chart. */
async function openPoints(
  points: readonly ChartPoint[],
  now: string,
): Promise<Visit & { figure: Locator; plot: Locator }> {
  const visited = await visit(browser, gateway.url + problemPath('gone'), { ...WIDE, now });
  const chart = toChart('bitcoin', points, currentMethodology(), '2026-03-01.000001');
  await visited.page.route(`**${chartDataPath('bitcoin')}`, (route) => route.fulfill({ json: chart }));
  await visited.page.goto(gateway.url + CHAIN_PAGE);
  return { ...visited, ...(await useChart(visited.page)) };
}

async function useChart(page: Page): Promise<{ figure: Locator; plot: Locator }> {
  const figure = page.locator('figure[data-chart]');
  const plot = figure.locator('.chart-plot');
  await plot.scrollIntoViewIfNeeded();
  await plot.hover({ position: { x: 5, y: 50 } });
  await page.waitForSelector('figure[data-ready]');
  return { figure, plot };
}

/** Points at a position of a chart: a share of its width. */
async function pointAt(plot: Locator, share: number): Promise<void> {
  const width = (await plot.boundingBox())?.width ?? 0;
  await plot.hover({ position: { x: share * width, y: 50 } });
}

/** Drags from one position of a chart to another. */
async function drag(plot: Locator, from: number, to: number): Promise<void> {
  const page = plot.page();
  const { x = 0, y = 0, width = 0 } = (await plot.boundingBox()) ?? {};
  await page.mouse.move(x + from * width, y + 50);
  await page.mouse.down();
  await page.mouse.move(x + ((from + to) / 2) * width, y + 50);
  await page.mouse.move(x + to * width, y + 50);
  await page.mouse.up();
}

/** Returns what a read-out must say about a record. */
function expectedOf({ date, regime, confidence }: MetaDay): string[] {
  const { demand, pressure } = regime.axes;
  const axis = (name: string, z: number | null): string[] =>
    z === null ? [] : [`${name} ${zWords(z).replace('-', '−')}`];
  const days = `${regime.run_days} day${regime.run_days === 1 ? '' : 's'}`;
  const cell = confidenceCell(regime.label, confidence.score, '');
  return [
    dateWords(date),
    `${regime.label} for ${days}`,
    ...(cell === '' ? [] : [`confidence ${cell}`]),
    ...axis('demand', demand.z),
    ...axis('pressure', pressure.z),
  ];
}

async function readoutOf(figure: Locator): Promise<string[]> {
  const date = await figure.locator('.chart-date').textContent();
  const parts = await figure
    .locator(
      '.chart-readout .chart-regime, .chart-readout li > span > span[class]:not(.chart-swatch):not(.chart-regime):not(.chart-missing)',
    )
    .allTextContents();
  return [date ?? '', ...parts];
}

it(
  'reads every day as its record says, by pointing and by keys, without errors or requests outside',
  async () => {
    const { page, figure, plot, faults, close } = await openChart(CHAIN_PAGE);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const records = await publishedRecords();
    await figure.getByRole('button', { name: '90 days' }).click();
    const last = records.slice(-90);
    for (const i of [0, 44, 89]) {
      await pointAt(plot, (i + 0.5) / 90);
      expect(await readoutOf(figure)).toEqual(expectedOf(last[i] as MetaDay)); // 90 of 365
    }
    await page.mouse.move(0, 0);
    await plot.focus();
    for (const [key, i] of [
      ['End', 89],
      ['ArrowLeft', 88],
      ['ArrowLeft', 87],
      ['ArrowRight', 88],
      ['PageDown', 58],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      const expected = expectedOf(last[i] as MetaDay); // the same
      expect(await readoutOf(figure)).toEqual(expected);
      const spoken = (await plot.getAttribute('aria-valuetext')) ?? '';
      expect(expected.filter((part) => !spoken.includes(part))).toEqual([]);
    }
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.closest('.chart-plot') === null")).toBe(true);
    expect(requests.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'shows ranges, zooms by dragging and by keys, and resets by a double click',
  async () => {
    const { page, figure, plot, faults, close } = await openChart(CHAIN_PAGE);
    const range = figure.locator('.chart-range');
    const shown = async (): Promise<string> => (await range.textContent()) ?? '';
    const pressed = (): Promise<string[]> => figure.locator('button[aria-pressed=true]').allTextContents();
    expect(await pressed()).toEqual(['2 years']);
    const data = (await (await fetch(gateway.url + chartDataPath('bitcoin'))).json()) as {
      first_date: string;
      updated_through: string;
    };
    const end = data.updated_through;
    for (const [name, first] of [
      ['90 days', addDays(end, -89)],
      ['1 year', addDays(end, -364)],
      ['All', data.first_date],
    ] as const) {
      await figure.getByRole('button', { name, exact: true }).click();
      expect(await shown()).toBe(`${dateWords(first)} to ${dateWords(end)}`);
      expect(await pressed()).toEqual([name]);
    }
    await figure.getByRole('button', { name: '90 days' }).click();
    const before = await shown();
    await drag(plot, 10.5 / 90, 39.5 / 90);
    expect(await shown()).toBe(`${dateWords(addDays(end, -79))} to ${dateWords(addDays(end, -50))}`);
    expect(await pressed()).toEqual([]);
    expect(await figure.locator('[aria-live=polite]').textContent()).toBe(`Showing ${await shown()}.`);
    await plot.dblclick();
    expect(await shown()).toBe(before);
    await plot.focus();
    await page.keyboard.press('+');
    expect(await shown()).not.toBe(before);
    await page.keyboard.press('Escape');
    expect(await shown()).toBe(before);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'saves what it shows as CSV, SVG and PNG',
  async () => {
    const { page, figure, close } = await openChart(PAGE_PATHS.front);
    await figure.getByRole('button', { name: '90 days' }).click();
    const save = async (format: string): Promise<[name: string, bytes: Buffer]> => {
      const waiting = page.waitForEvent('download');
      await figure.getByRole('button', { name: `Download ${format}` }).click();
      const saved = await waiting;
      return [saved.suggestedFilename(), await readFile(await saved.path())];
    };
    const [csvName, csv] = await save('CSV');
    expect(csvName).toMatch(/^overview-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const rows = csv.toString().split('\r\n');
    expect(rows).toHaveLength(1 + 90 * CHAIN_IDS.length + 1);
    const records = (await publishedRecords()).slice(-90);
    expect(rows.slice(1, 91).map((row) => row.split(',').slice(0, 3))).toEqual(
      records.map(({ date, chain, regime }) => [date, chain, regime.label]),
    );
    const [, svg] = await save('SVG');
    expect(readSvg(svg.toString()).attributes).toMatchObject({ width: '960' });
    const [pngName, png] = await save('PNG');
    expect(pngName).toMatch(/\.png$/);
    expect([png.readUInt32BE(16), png.toString('latin1', 1, 4)]).toEqual([1920, 'PNG']);
    expect(distinctBytes(png)).toBeGreaterThan(20);
    await close();
  },
  SLOW_MS,
);

/** Returns the number of distinct bytes in the pixels of a PNG: few if nothing is painted. */
function distinctBytes(png: Buffer): number {
  const chunks: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return new Set(inflateSync(Buffer.concat(chunks))).size;
}

const GAPS: ChartPoint[] = [
  ...chartDays(60, 'slack').filter((_, t) => t < 20 || t > 30),
  { ...chartDay(60, 'indeterminate', null, null), missing: ['tx_count', 'fee_median'] },
];

it.each([
  ['gaps', GAPS, 25.5 / 61, 'no data · the date was withdrawn'],
  ['a day without a regime', GAPS, 0.999, 'indeterminate for 1 day · missing transactions, median fee'],
  ['one day', chartDays(1), 0.999, 'steady for 1 day · confidence 75 % · demand 0.00 · pressure 0.33'],
  ['a time before its data', chartDays(1), 0.2, 'no data · the data begins on 1 March 2025'],
])(
  'reads a chain with %s',
  async (_name, points, share, expected) => {
    const { figure, plot, faults, close } = await openPoints(points, NOW);
    await pointAt(plot, share);
    expect(await figure.locator('.chart-readout li').textContent()).toBe(expected);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'hatches the days without data once a chain is stale, and still reads the last day with data',
  async () => {
    const { page, figure, plot, faults, close } = await openPoints(chartDays(60), '2025-05-10T12:00:00Z');
    const shown = (): Promise<string | null> => figure.locator('.chart-readout').textContent();
    expect(await figure.locator('.chart-range').textContent()).toBe(
      '1 March 2025 to 9 May 2025, data through 29 April 2025',
    );
    await page.mouse.move(0, 0);
    expect(await shown()).toMatch(/^29 April 2025.* for 60 days/);
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    expect(await shown()).toBe('30 April 2025no data · the data ends on 29 April 2025');
    await pointAt(plot, 69.5 / 70);
    expect(await shown()).toBe('9 May 2025no data · the data ends on 29 April 2025');
    expect(await figure.locator('.chart-canvas rect[fill*=hatch]').count()).toBe(1);
    await keepScreen(page, 'chart-stale-tail');
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'keeps the drawn chart and says so when there is no data',
  async () => {
    const { page, close } = await visit(browser, gateway.url + problemPath('gone'), WIDE);
    await page.route(`**${chartDataPath('bitcoin')}`, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(gateway.url + CHAIN_PAGE);
    const figure = page.locator('figure[data-chart]');
    await figure.getByRole('button', { name: 'All' }).click();
    await page.waitForFunction(
      "document.querySelector('.chart-readout').textContent.includes('could not be loaded')",
    );
    expect(await figure.locator('svg.crd-chart').count()).toBe(1);
    await close();
  },
  SLOW_MS,
);

it.each(
  [360, 768, 1440].flatMap((width) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [PAGE_PATHS.front, CHAIN_PAGE].map(
        (file) => [`${file} at ${width} px, ${scheme}`, file, { width, scheme, now: NOW }] as const,
      ),
    ),
  ),
)(
  'has no accessibility violations and fits the window: %s',
  async (name, file, look) => {
    const { page, plot, faults, close } = await openChart(file, look);
    await pointAt(plot, 0.6);
    await page.evaluate(await readFile(AXE, 'utf8'));
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      "axe.run('figure')",
    );
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    const sizes = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.crd-chart text')].filter((text) => text.checkVisibility()).map((text) => text.getBoundingClientRect().height)",
    );
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.filter((size) => size < 12 || size > 24)).toEqual([]); // of 12 to 14 px, with line height
    await keepScreen(page, `chart-${name.replaceAll(/\W+/g, '-')}`);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'shows late and stale data by the clock of the reader',
  async () => {
    const { page, close } = await visit(browser, gateway.url + problemPath('gone'), {
      ...WIDE,
      now: '2023-10-02T12:00:00Z',
    });
    await page.route(`**${CHAIN_PAGE}`, async (route) => {
      const response = await route.fetch();
      const mark = (late: string, stale: string): string =>
        `<p class="freshness" data-late-after="${late}" data-stale-after="${stale}" hidden>Bitcoin</p>`;
      const marks = [
        mark('2023-09-29T00:00:00Z', '2023-10-01T00:00:00Z'),
        mark('2023-09-29T00:00:00Z', '2999-01-01T00:00:00Z'),
        mark('2998-01-01T00:00:00Z', '2999-01-01T00:00:00Z'),
        mark('', ''),
      ];
      await route.fulfill({
        response,
        body: (await response.text()).replace('</main>', `${marks.join('')}</main>`),
      });
    });
    await page.goto(gateway.url + CHAIN_PAGE);
    const marks = page.locator('p.freshness');
    expect(await marks.allInnerTexts()).toEqual([
      'Stale since 1 October 2023, 00:00 UTC. Bitcoin',
      'Late since 29 September 2023, 00:00 UTC. Bitcoin',
      'Bitcoin',
      'Stale. Bitcoin',
    ]);
    expect(await marks.evaluateAll((all: { hidden: boolean }[]) => all.map(({ hidden }) => hidden))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    await close();
  },
  SLOW_MS,
);
