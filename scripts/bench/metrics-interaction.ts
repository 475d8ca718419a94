import type { Browser } from 'playwright-core';
import { chartDataPath, chartMetricsPath, metricsPagePath } from '../../schemas/paths.js';
import { toDate, toDayNumber } from '../../schemas/dates.js';

/** The days of bitcoin in 17 years. */
const FIRST = '2009-01-03';
const DAYS = 6437;
/** Length of a run of a regime, in days. */
const RUN_DAYS = 23;
const KEYS = ['ArrowLeft', '+', 'ArrowRight', '-', 'PageDown', 'End', '0', '-', 'Home'] as const;

/**
 * Returns the longest time from a key or a press of the pointer to the next paint, in milliseconds, on a page with two
 * metrics over 17 years. The data is made up: a published sample is shorter.
 */
export async function slowestInteractionMs(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const last = toDate(toDayNumber(FIRST) + DAYS - 1);
  await page.route(`**${chartMetricsPath('bitcoin')}`, (route) =>
    route.fulfill({ json: madeUpMetrics(last) }),
  );
  await page.route(`**${chartDataPath('bitcoin')}`, (route) => route.fulfill({ json: madeUpRegimes(last) }));
  const view = `metric=tx_count&with=bitcoin.fees_total&from=${FIRST}&to=${last}`;
  await page.goto(`${url}${metricsPagePath('bitcoin')}#${view}`);
  const plot = page.locator('figure[data-ready] .chart-plot');
  await plot.waitFor();
  await page.evaluate(`new PerformanceObserver((list) => {
    const counted = list.getEntries().filter(({ name }) => ['keydown', 'pointerdown'].includes(name)); // a release draws nothing new: a browser reports a later frame
    globalThis.durations = [...(globalThis.durations ?? [0]), ...counted.map(({ duration }) => duration)];
  }).observe({ type: 'event', durationThreshold: 16 })`);
  await plot.focus();
  for (const key of KEYS) {
    await page.keyboard.press(key);
    await page.waitForTimeout(200);
  }
  const { x = 0, y = 0 } = (await plot.boundingBox()) ?? {};
  await page.mouse.move(x + 500, y + 200);
  await page.mouse.down();
  await page.mouse.move(x + 800, y + 200, { steps: 10 });
  await page.mouse.up();
  await page.waitForTimeout(500);
  const slowest = await page.evaluate<number>('Math.max(...(globalThis.durations ?? [0]))');
  await context.close();
  return slowest;
}

function madeUpMetrics(last: string): object {
  const values = Array.from({ length: DAYS }, (_, t) => 1000 + ((t * 7919) % 997) + t * t);
  return {
    schema: 'chart-metrics/1',
    chain: 'bitcoin',
    updated_through: last,
    published_revision: '2026-08-20.000001',
    first_date: FIRST,
    metrics: { tx_count: values, fees_total: values.map((value) => value / 7) },
  };
}

function madeUpRegimes(last: string): object {
  const each = <T>(value: (t: number) => T): T[] => Array.from({ length: DAYS }, (_, t) => value(t));
  return {
    schema: 'chart/1',
    chain: 'bitcoin',
    updated_through: last,
    published_revision: '2026-08-20.000001',
    methodology_version: 'v1',
    thresholds: { enter: 1, exit: 0.3 },
    first_date: FIRST,
    labels: ['congested', 'expanding', 'strained', 'steady', 'slack', 'quiet', 'dormant', 'indeterminate'],
    signals: [],
    days: {
      label: each((t) => Math.floor(t / RUN_DAYS) % 8),
      confidence: each(() => 1),
      demand: each(() => 0),
      pressure: each(() => 0),
      missing: each(() => 0),
    },
  };
}
