import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { eventsOf } from '../../../../generator/core/charts/chart-events.js';
import {
  headingOf,
  metricScene,
  type MetricLine,
  pointsIn,
  type ShownLine,
  unitWords,
} from '../../../../generator/core/charts/metric-scene.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { toDayNumber } from '../../../../schemas/dates.js';

const FIGURE_STYLES = await readFile(
  new URL('../../../../templates/pages/figure.css', import.meta.url),
  'utf8',
);
const FIRST = toDayNumber('2009-01-03');
const DAYS = 6437;

function line(value: (t: number) => number | null, days = DAYS): MetricLine {
  return {
    chain: 'bitcoin',
    metric: 'tx_count',
    first: FIRST,
    values: Array.from({ length: days }, (_, t) => value(t)),
  };
}

const window = { from: FIRST, to: FIRST + DAYS };
const wave = line((t) => 1000 + ((t * 7919) % 997));

it('shows every value of a window that has room for it', () => {
  const points = pointsIn(wave, { from: FIRST + 10, to: FIRST + 40 }, 300);
  expect(points.map((point) => point?.value)).toEqual(wave.values.slice(10, 40));
});

it('keeps the least and the greatest value of a long window, and the order of the days', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 1400 }), fc.nat(2000), (width, start) => {
      const from = FIRST + start;
      const points = pointsIn(wave, { from, to: FIRST + DAYS }, width).filter((point) => point !== null);
      const all = wave.values.slice(start).map(Number);
      const shown = points.map(({ value }) => value);
      expect([Math.min(...shown), Math.max(...shown)]).toEqual([Math.min(...all), Math.max(...all)]);
      expect(points.map(({ day }) => day)).toEqual(points.map(({ day }) => day).sort((a, b) => a - b));
      expect(points.length).toBeLessThanOrEqual(4 * width + 4);
    }),
    { numRuns: 30 },
  );
});

it('breaks the line where days have no value, and ends where the data ends', () => {
  const gap = line((t) => (t > 20 && t < 25 ? null : t + 1), 40);
  const { marks } = metricScene({
    lines: [{ line: gap, runs: [] }],
    events: [],
    window: { from: FIRST, to: FIRST + 60 },
    width: 600,
  });
  const drawn = marks.flatMap((mark) => (mark.kind === 'line' ? [mark.points] : []));
  expect(drawn).toHaveLength(1);
  expect(drawn[0]).toHaveLength(40);
  expect(drawn[0]?.map((point) => point === null).indexOf(true)).toBe(21);
});

it('names events without overlaps, at any width and in any window', () => {
  fc.assert(
    fc.property(fc.integer({ min: 260, max: 1200 }), fc.nat(5000), (width, start) => {
      const shown = { from: FIRST + start, to: FIRST + DAYS };
      const { marks } = metricScene({
        lines: [{ line: wave, runs: [] }],
        events: eventsOf(CHAIN_IDS),
        window: shown,
        width,
      });
      const boxes = marks.flatMap((mark) => {
        if (mark.kind !== 'text' || mark.style !== 'event-name') return [];
        const x = mark.x * width + mark.dx;
        const size = mark.text.length * 6.4;
        return [
          { y: mark.y, from: mark.anchor === 'end' ? x - size : x, to: mark.anchor === 'end' ? x : x + size },
        ];
      });
      for (const [i, one] of boxes.entries()) {
        expect(one.from).toBeGreaterThanOrEqual(0);
        expect(one.to).toBeLessThanOrEqual(width);
        for (const other of boxes.slice(i + 1)) {
          expect(one.y === other.y && one.from < other.to && other.from < one.to).toBe(false);
        }
      }
    }),
  );
});

it('has the numbers of its axis beside the chart, and none over the line', () => {
  const { marks, gutter = 0 } = metricScene({
    lines: [{ line: wave, runs: [] }],
    events: [],
    window,
    width: 500,
  });
  const numbers = marks.flatMap((mark) => (mark.kind === 'text' && mark.style === 'axis' ? [mark] : []));
  expect(numbers.length).toBeGreaterThan(2);
  expect(FIGURE_STYLES).toContain(`margin-left: ${gutter}px;`);
  for (const { x, dx, anchor } of numbers)
    expect([x, dx < 0, -dx < gutter, anchor]).toEqual([0, true, true, 'end']);
});

it('has titles of axes that are no wider than the chart with the numbers of its axis', () => {
  const draw = (width: number) => {
    const marks = metricScene({
      lines: (['ethereum', 'bitcoin'] as const).map((chain) => ({
        line: { ...line((t) => t % 2, 40), chain },
        runs: [],
        scale: 'log' as const,
      })),
      events: [],
      window: { from: FIRST, to: FIRST + 40 },
      width,
    }).marks.flatMap((mark) => (mark.kind === 'text' && mark.style !== 'time' ? [mark] : []));
    const titles = marks.filter(({ style }) => style === 'metric-name');
    for (const { text, dx } of titles) expect(dx + 8.2 * text.length).toBeLessThanOrEqual(width);
    const below = marks.filter(({ style }) => style === 'axis').map(({ y }) => y);
    for (const { y } of titles) expect(below.filter((each) => Math.abs(each - y) < 14)).toEqual([]);
    return titles.map(({ text }) => text);
  };
  expect(draw(1018)).toEqual(
    ['Ethereum', 'Bitcoin'].map((name) => `${name}: transactions, transactions a day, without days of zero`),
  );
  expect(draw(210)).toEqual(
    ['Ethereum', 'Bitcoin'].flatMap((name) => [
      `${name}: transactions,`,
      'transactions a day, without days',
      'of zero',
    ]),
  );
});

it('says that a log axis leaves out days of zero, and draws them on a linear axis if there are no others', () => {
  const drawn = (value: (t: number) => number) => {
    const lines = [{ line: line(value, 40), runs: [], scale: 'log' as const }];
    const shown = { from: FIRST, to: FIRST + 40 };
    const { marks } = metricScene({ lines, events: [], window: shown, width: 500 });
    const [title] = marks.flatMap((mark) =>
      mark.kind === 'text' && mark.style === 'metric-name' ? [mark] : [],
    );
    const [points = []] = marks.flatMap((mark) => (mark.kind === 'line' ? [mark.points] : []));
    return [title?.text, points.filter((point) => point !== null).length];
  };
  expect(drawn((t) => t + 1)).toEqual(['transactions a day', 40]);
  expect(drawn((t) => t % 2)).toEqual(['transactions a day, without days of zero', 20]);
  expect(drawn(() => 0)).toEqual(['transactions a day', 40]);
});

it('draws at most one regime for each pixel', () => {
  const labels = ['steady', 'quiet', 'congested'] as const;
  const runs = Array.from({ length: DAYS }, (_, t) => ({
    label: labels[t % 3] ?? 'steady',
    from: FIRST + t,
    to: FIRST + t + 1,
  }));
  const { marks } = metricScene({ lines: [{ line: wave, runs }], events: [], window, width: 500 });
  const spans = marks.flatMap((mark) => (mark.kind === 'bars' ? mark.spans : []));
  expect(spans.length).toBeGreaterThan(500);
  expect(spans.length).toBeLessThanOrEqual(2 * 501); // behind the line, and in the strip
});

it('shades the panels of two chains with the regimes of each, and one strip below all panels of one chain', () => {
  const runOf = (label: 'quiet' | 'congested') => [{ label, from: FIRST, to: FIRST + DAYS }];
  const paintsOf = (...lines: ShownLine[]): string[] =>
    metricScene({ lines, events: [], window, width: 500 })
      .marks.flatMap((mark) => (mark.kind === 'bars' ? [mark] : []))
      .toSorted((a, b) => a.top - b.top)
      .map(({ paint, isFaint }) => `${paint}${isFaint ? ' behind' : ''}`);
  const own = { line: wave, runs: runOf('quiet') };
  const other = { line: { ...wave, chain: 'base' as const }, runs: runOf('congested') };
  expect(wave.chain).not.toBe('base');
  expect(paintsOf(own, other)).toEqual(['quiet behind', 'quiet', 'congested behind', 'congested']);
  expect(paintsOf(own, own)).toEqual(['quiet behind', 'quiet behind', 'quiet']);
});

it('names metrics with their chains and units', () => {
  const [fees, rate] = [
    { chain: 'bitcoin', metric: 'fees_total' },
    { chain: 'bitcoin', metric: 'hash_rate' },
  ] as const;
  expect(headingOf([fees, rate])).toBe('Bitcoin: fees and hash rate');
  expect(headingOf([fees, { chain: 'base', metric: 'fees_total' }])).toBe('Bitcoin: fees and Base: fees');
  expect([unitWords('bitcoin', 'fees_total'), unitWords('base', 'fee_median')]).toEqual([
    'BTC a day',
    'ETH per transaction',
  ]);
});
