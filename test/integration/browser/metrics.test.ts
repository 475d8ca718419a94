import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, Locator, Page } from 'playwright-core';
import { dateWords, exactWords } from '../../../schemas/words.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { chartMetricsPath, embedPath, metricsPagePath } from '../../../schemas/paths.js';
import type { ChartMetrics } from '../../../schemas/types.generated.js';
import { startBrowser } from '../../../scripts/browser/browser.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import {
  findBarriers,
  keepScreen,
  overflowOf,
  visit,
  type Visit,
} from '../../support/pages/browser-pages.js';
import { readSvg } from '../../support/pages/svg-reader.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { publishSample } from '../../support/release/published-sample.js';

const SLOW_MS = 300_000;
/** Limit for all scripts of a page with metrics, compressed. */
const SCRIPT_BYTES = 60_000;
const PAGE = metricsPagePath('ethereum');

const closing: (() => Promise<unknown>)[] = [];
let gateway: GatewayProcess;
let browser: Browser;
let data: ChartMetrics;
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
  data = (await (await fetch(gateway.url + chartMetricsPath('ethereum'))).json()) as ChartMetrics;
}, SLOW_MS);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, SLOW_MS);

type Opened = Visit & { readonly figure: Locator; readonly plot: Locator };

/** Opens a page with metrics and waits for its chart. */
async function open(file: string, width = 1440, scheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const visited = await visit(browser, gateway.url + file, { width, scheme });
  const figure = visited.page.locator('figure[data-ready]');
  await figure.waitFor();
  return { ...visited, figure, plot: figure.locator('.chart-plot') };
}

const shown = (figure: Locator): Promise<string | null> => figure.locator('.chart-range').textContent();
const words = (first: string, last: string): string => `${dateWords(first)} to ${dateWords(last)}`;

/** Waits until the address follows the chart, and returns its fragment. */
async function fragmentOf(page: Page): Promise<string> {
  await page.waitForTimeout(1500); // the machine may be busy
  return new URL(page.url()).hash;
}

async function savedText(page: Page, figure: Locator, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    figure.getByRole('button', { name: `Download ${format}` }).click(),
  ]);
  return readFile(await download.path(), format === 'PNG' ? 'latin1' : 'utf8');
}

it(
  'pans by dragging, zooms by the wheel, and resets by a double click',
  async () => {
    const { page, figure, plot, faults, close } = await open(PAGE);
    const begun = await shown(figure);
    const end = data.updated_through;
    expect(begun).toBe(words(addDays(end, -729), end));
    const box = await plot.boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 200];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 100, y, { steps: 4 });
    await page.mouse.up();
    const days = Math.round((100 / (box?.width ?? 1)) * 730);
    await page.waitForTimeout(500);
    expect(await shown(figure)).toBe(words(addDays(end, -729 - days), addDays(end, -days)));
    await page.mouse.wheel(0, -800); // four times as close
    await page.waitForTimeout(500);
    expect(await fragmentOf(page)).toMatch(/^#from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/);
    const [, from = '', to = ''] = /from=(.+)&to=(.+)/.exec(await fragmentOf(page)) ?? [];
    expect(Math.abs((Date.parse(to) - Date.parse(from)) / 86_400_000 - 182)).toBeLessThan(4);
    expect(await shown(figure)).toBe(words(from, to));
    await plot.dblclick();
    await page.waitForTimeout(500);
    expect(await shown(figure)).toBe(begun);
    expect(await fragmentOf(page)).toBe('');
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'moves with the first press of a key, shows every digit of the day, and zooms by keys',
  async () => {
    const { page, figure, plot, faults, close } = await open(PAGE);
    await plot.focus();
    const values = data.metrics['tx_count'] ?? [];
    for (const [key, back] of [
      ['ArrowLeft', 1],
      ['ArrowLeft', 2],
      ['PageDown', 32],
      ['ArrowRight', 31],
    ] as const) {
      await page.keyboard.press(key);
      const value = values.at(-1 - back) ?? null;
      const expected = value === null ? 'no value' : `${exactWords(value)} transactions`;
      expect(await figure.locator('.chart-date').textContent()).toBe(
        dateWords(addDays(data.updated_through, -back)),
      );
      expect(await figure.locator('.chart-value').textContent()).toBe(expected);
      expect(await plot.getAttribute('aria-valuetext')).toContain(expected);
    }
    await page.keyboard.press('+');
    expect(await fragmentOf(page)).toContain('from=');
    await page.keyboard.press('Escape');
    expect(await fragmentOf(page)).toBe('');
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'zooms by a pinch of two fingers',
  async () => {
    const { page, close } = await open(PAGE, 360);
    await page.evaluate(`(() => {
      const plot = document.querySelector('.chart-plot');
      plot.setPointerCapture = () => undefined; // these fingers are not real
      const left = plot.getBoundingClientRect().left;
      const send = (name, pointerId, x) =>
        plot.dispatchEvent(new PointerEvent(name, { pointerId, clientX: left + x, button: 0, bubbles: true }));
      send('pointerdown', 1, 100);
      send('pointerdown', 2, 150);
      send('pointermove', 1, 75);
      send('pointermove', 2, 175);
      send('pointerup', 1, 75);
      send('pointerup', 2, 175);
    })()`);
    const [, from = '', to = ''] = /from=(.+)&to=(.+)/.exec(await fragmentOf(page)) ?? [];
    expect(Math.abs((Date.parse(to) - Date.parse(from)) / 86_400_000 - 364)).toBeLessThan(4); // twice as close
    await close();
  },
  SLOW_MS,
);

it(
  'comes back from a shared address, with a second chain, and follows another one',
  async () => {
    const fragment = '#metric=fees_total&with=bitcoin.fees_total&scale=log&from=2022-06-01&to=2023-05-31';
    const { page, figure, faults, close } = await open(PAGE + fragment);
    expect(await fragmentOf(page)).toBe(fragment);
    expect(await figure.locator('.chart-title').textContent()).toBe('Ethereum: fees and Bitcoin: fees');
    expect(await shown(figure)).toBe(words('2022-06-01', '2023-05-31'));
    expect(await figure.locator('button[aria-pressed=true]').allTextContents()).toEqual(['Log']);
    expect(await figure.locator('text.metric-name').allTextContents()).toEqual([
      'Ethereum: fees, ETH a day',
      'Bitcoin: fees, BTC a day',
    ]);
    expect(await figure.locator('text.event-name').allTextContents()).toContain('The Merge (Ethereum)');
    await page.evaluate("location.hash = 'metric=active_addresses'");
    await page.waitForTimeout(1500);
    expect(await figure.locator('.chart-title').textContent()).toBe('Ethereum: active addresses');
    expect(await shown(figure)).toBe(words(addDays(data.updated_through, -729), data.updated_through));
    await figure.locator('.metric-tools select').first().selectOption('ethereum.fee_median');
    expect(await fragmentOf(page)).toBe('#metric=fee_median');
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'keeps its range when another metric is chosen, and shows no metric beside itself',
  async () => {
    const { page, figure, faults, close } = await open(PAGE);
    await figure.getByRole('button', { name: '1 year' }).click();
    const [metric, second] = [0, 1].map((i) => figure.locator('.metric-tools select').nth(i));
    await metric?.selectOption('ethereum.fee_median');
    await page.waitForTimeout(500);
    expect(await figure.locator('[aria-label=Range] button[aria-pressed=true]').allTextContents()).toEqual([
      '1 year',
    ]);
    expect(await second?.locator('option:disabled').allTextContents()).toEqual(['Median fee']);
    await second?.selectOption('ethereum.fees_total');
    expect(await fragmentOf(page)).toContain('metric=fee_median&with=ethereum.fees_total');
    await metric?.selectOption('ethereum.fees_total');
    expect(await fragmentOf(page)).not.toContain('with=');
    expect(await figure.locator('.chart-title').textContent()).toBe('Ethereum: fees');
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'saves the view as CSV with the values of the data to the digit, as SVG and as PNG',
  async () => {
    const { page, figure, faults, close } = await open(
      `${PAGE}#metric=fee_median&from=2023-05-01&to=2023-06-30`,
    );
    const [head, ...rows] = (await savedText(page, figure, 'CSV')).trim().split('\r\n');
    expect(head).toBe('date,regime,ethereum_fee_median');
    const first = Date.parse(data.first_date);
    const expected = Object.fromEntries(
      (data.metrics['fee_median'] ?? []).map((value, t) => [
        new Date(first + t * 86_400_000).toISOString().slice(0, 10),
        value,
      ]),
    );
    expect(rows.length).toBeGreaterThan(50);
    for (const row of rows) {
      const [date = '', , value = ''] = row.split(',');
      expect([date, value === '' ? null : Number(value)]).toEqual([date, expected[date]]);
    }
    const svg = await savedText(page, figure, 'SVG');
    expect(readSvg(svg)).toBeDefined();
    expect(svg).toContain('Ethereum: median fee');
    expect(svg).toContain(PAGE); // the address in the citation
    expect((await savedText(page, figure, 'PNG')).slice(1, 4)).toBe('PNG');
    expect(await figure.locator('.chart-citation').textContent()).toContain('“Ethereum: median fee”');
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'may be embedded by a page of another site, and no other page may',
  async () => {
    const frames = [embedPath('bitcoin'), metricsPagePath('bitcoin')].map(
      (file) =>
        `<iframe src="${gateway.url}${file}#metric=fees_total" title="chart" width="700" height="640"></iframe>`,
    );
    const host = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(frames.join('')));
    await once(host.listen(0, '127.0.0.1'), 'listening');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://localhost:${(host.address() as AddressInfo).port}/`);
    const embedded = page.locator('iframe').first().contentFrame();
    await embedded.locator('figure[data-ready]').waitFor();
    expect(await embedded.locator('.chart-title').textContent()).toBe('Bitcoin: fees');
    expect(await embedded.locator('a.chart-page').getAttribute('href')).toContain(metricsPagePath('bitcoin'));
    const other = page.frames().at(-1);
    expect(await other?.locator('figure').count()).toBe(0);
    await context.close();
    host.close();
  },
  SLOW_MS,
);

it.each([
  ['light', 360],
  ['dark', 768],
  ['dark', 1440],
] as const)(
  'the embedded chart has no accessibility violations and fits in the %s scheme at %d px',
  async (scheme, width) => {
    const { page, faults, close } = await open(embedPath('ethereum'), width, scheme);
    await keepScreen(page, `embed-${scheme}-${width}`);
    expect(await overflowOf(page)).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
  SLOW_MS,
);

it(
  'asks no other host for anything',
  async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(gateway.url + PAGE);
    await page.locator('figure[data-ready]').waitFor();
    expect(asked.filter((url) => !url.startsWith(gateway.url))).toEqual([]);
    await context.close();
  },
  SLOW_MS,
);

it(
  'keeps a picture of the default metric without JavaScript, and the values of the newest day',
  async () => {
    const look = { width: 768, scheme: 'light', javaScript: false } as const;
    const { page, close } = await visit(browser, gateway.url + PAGE, look);
    const events = await page.locator('section[aria-labelledby=events] time').allTextContents();
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter((date) => date > data.updated_through)).toEqual([]);
    expect(await page.locator('figure svg.crd-chart').getAttribute('aria-label')).toContain(
      'Ethereum: transactions',
    );
    const values = await page.locator('section[aria-labelledby=values] tbody td.number').allTextContents();
    const newest = metricsOf('ethereum').flatMap((metric) => {
      const value = data.metrics[metric]?.at(-1);
      return value === undefined ? [] : [value === null ? '–' : exactWords(value)];
    });
    expect(values).toEqual(newest);
    await close();
  },
  SLOW_MS,
);

it('has scripts of at most 60 kB compressed on a page with metrics', async () => {
  const sizes = ['site', 'chart'].map(async (name) => {
    const script = await readFile(new URL(`../../../dist/templates/browser/${name}.js`, import.meta.url));
    return gzipSync(script).length;
  });
  const [site = NaN, chart = NaN] = await Promise.all(sizes);
  expect(site + chart).toBeLessThanOrEqual(SCRIPT_BYTES);
});
