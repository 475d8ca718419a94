import type { ChainFacts } from '../../../../generator/core/artifacts/chain-facts.js';
import { toChartPoint, type ChartPoint } from '../../../../generator/core/artifacts/chart-data.js';
import {
  chainChartFile,
  chartForPage,
  drawChain,
  drawOverview,
  overviewChartFile,
} from '../../../../generator/core/charts/chart-files.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { dateWords } from '../../../../schemas/words.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import { addDays } from '../../../../schemas/dates.js';
import { currentMethodology } from '../../../../schemas/methodology.js';
import type { LabelRun, RegimeLabel } from '../../../../schemas/types.generated.js';
import { findAll, ofClass, ofTag, readSvg, type SvgNode } from '../../../support/pages/svg-reader.js';
import { chartDay, chartDays, FIRST } from '../../../support/release/chart-days.js';
import { randomSeries } from '../../../support/release/random-series.js';

const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // keys of a closed literal
const LIMIT_BYTES = 60_000;
const methodology = currentMethodology();
const STAMP = { revision: '2026-03-01.000001', sequence: 1, publishedAt: '2026-03-01T06:00:00Z' };

const fileOf = (points: readonly ChartPoint[]): string =>
  chainChartFile('base', points, methodology).content(STAMP).text;
const draw = (points: readonly ChartPoint[]): SvgNode =>
  readSvg(chartForPage(drawChain('base', points, methodology)));
const textsOf = (svg: SvgNode): string[] => ofTag(svg, 'text').map(({ text }) => text);

/** Returns the parts of a ribbon, each with its tooltip, its colour and its range in percent of the width. */
function ribbonOf(svg: SvgNode): { tooltip: string; paint: string; from: number; to: number }[] {
  return ofTag(svg, 'rect').flatMap(({ attributes, children: [title] }) => {
    if (title === undefined) return [];
    const { x = '', width = '', fill, class: name } = attributes;
    const from = Number.parseFloat(x);
    return [{ tooltip: title.text, paint: fill ?? name ?? '', from, to: from + Number.parseFloat(width) }];
  });
}

/** Returns the number of points of each unbroken part of an axis's line. */
function partsOf(svg: SvgNode, axis: string): number[] {
  const [path = ''] = ofClass(svg, axis).map(({ attributes }) => attributes['d'] ?? '');
  return path
    .split('M')
    .slice(1)
    .map((part) => part.split('L').length);
}

describe('the chart of a chain', () => {
  it.each([1, 2, 30, 730, 800])('is a small SVG without invalid numbers for %s days', (count) => {
    const text = fileOf(chartDays(count));
    const svg = readSvg(text);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object|e-\d/);
    expect(Buffer.byteLength(text)).toBeLessThan(LIMIT_BYTES);
    const ends =
      count === 1 ? dateWords(FIRST) : `${dateWords(FIRST)} to ${dateWords(addDays(FIRST, count - 1))}`;
    expect(ribbonOf(svg).map(({ tooltip }) => tooltip)).toEqual([`steady, ${ends}`]);
    expect(ofClass(svg, 'demand')).toHaveLength(1);
  });

  it('is as wide as its container on a page, with text that keeps its size, and without styles of its own', () => {
    const text = chartForPage(drawChain('base', chartDays(400), methodology));
    const svg = readSvg(text);
    expect(svg.attributes).toMatchObject({ width: '100%', role: 'img' });
    expect(svg.attributes).not.toHaveProperty('viewBox');
    expect(text).not.toMatch(/<style| style=|<script| on[a-z]+=|href/);
    for (const { attributes } of ofTag(svg, 'text')) expect(attributes['x']).toMatch(/^(0|[\d.]+%)$/);
  });

  it('has a title, a description and a legend in its file, and no scripts or external links', () => {
    const text = fileOf(chartDays(100));
    const svg = readSvg(text);
    const [title, desc] = svg.children;
    expect([title?.attributes['id'], desc?.attributes['id']]).toEqual(['base-title', 'base-desc']);
    expect(title?.text).toBe('Base: regime, demand and pressure, 1 March 2025 to 8 June 2025');
    expect(desc?.text).toContain('Base: steady since 1 March 2025. steady on 100 days.');
    expect(textsOf(svg)).toEqual(expect.arrayContaining([...LABELS]));
    const links = [...text.matchAll(/url\(([^)]*)\)|@import|https?:[^"]*|<script| on\w+=/g)];
    expect(links.map(([whole, inner]) => inner ?? whole)).toEqual([
      'http://www.w3.org/2000/svg',
      '#base-hatch',
    ]);
  });

  it('paints the days of each label in its colour, and hatches indeterminate days', () => {
    const points = LABELS.flatMap((label, i) =>
      Array.from({ length: 20 }, (_, t) => chartDay(20 * i + t, label)),
    );
    const expected = LABELS.map((label) => (label === 'indeterminate' ? 'url(#base-hatch)' : label));
    expect(ribbonOf(draw(points)).map(({ paint }) => paint)).toEqual(expected);
  });

  it('breaks the line of an axis where it is missing, but not the line of the other axis', () => {
    const points = chartDays(100).map((day, t) =>
      t >= 40 && t < 50 ? chartDay(t, 'indeterminate', null, 0.2) : day,
    );
    const svg = draw(points);
    expect(partsOf(svg, 'demand')).toEqual([40, 50]);
    expect(partsOf(svg, 'pressure')).toEqual([100]);
  });

  it('hatches days without a record in the ribbon, and breaks both lines', () => {
    const svg = draw(chartDays(100).filter((_, t) => t < 40 || t >= 50));
    expect(
      ribbonOf(svg).map(({ tooltip, paint, from, to }) => [
        tooltip.split(',')[0],
        paint,
        Math.round(to - from),
      ]),
    ).toEqual([
      ['steady', 'steady', 40],
      ['no data', 'url(#base-hatch)', 10],
      ['steady', 'steady', 50],
    ]);
    for (const axis of ['demand', 'pressure']) expect(partsOf(svg, axis)).toEqual([40, 50]);
  });

  it('shows a value of an axis between days without one as a point', () => {
    const svg = draw(chartDays(9).map((_, t) => chartDay(t, 'steady', t === 4 ? 1 : null, null)));
    expect(ofClass(svg, 'demand').map(({ attributes }) => attributes['d'])).toEqual([
      expect.stringMatching(/^M[\d.]+,[\d.]+h0$/),
    ]);
    expect(ofClass(svg, 'pressure')).toEqual([]);
  });

  it('draws the thresholds of the methodology at their values, and names them in words', () => {
    for (const levels of [methodology.levels, { enter: 1.5, exit: 0.5 }]) {
      const points = [...chartDays(20), chartDay(20, 'steady', 3.9, -0.1)];
      const svg = readSvg(chartForPage(drawChain('base', points, { ...methodology, levels })));
      const heights = (name: string): number[] =>
        ofClass(svg, name)
          .slice(0, 2)
          .map(({ attributes }) => Number(attributes['y1']));
      const [zero = 0] = heights('zero');
      const [enter = 0, below = 0] = heights('enter');
      const [exit = 0] = heights('exit');
      expect((zero - enter) / (zero - exit)).toBeCloseTo(levels.enter / levels.exit, 0);
      expect(below - zero).toBeCloseTo(zero - enter, 0);
      expect(textsOf(svg)).toEqual(
        expect.arrayContaining([
          `high above ${levels.enter}, low below −${levels.enter}`,
          `normal again between −${levels.exit} and ${levels.exit}`,
        ]),
      );
    }
  });

  it('shows the label of each record of the last two years for every chain', async () => {
    const texts = await readProductTexts();
    for (const chain of CHAIN_IDS) {
      const series = randomSeries({ chain, seed: 3, days: 800, missingCells: 0.05, missingRows: 0.02 });
      const { meta } = createDayWriters(series, texts);
      const provenance = { revision: STAMP.revision, updatedThrough: series.dates.at(-1) ?? '' };
      const records = Array.from({ length: 770 }, (_, t) => meta(30 + t, provenance));
      const file = chainChartFile(chain, records.map(toChartPoint), methodology);
      const { text } = file.content(STAMP);
      const shown = records.slice(-730);
      const words = new Map(shown.map(({ date }) => [dateWords(date), date]));
      const drawn = ribbonOf(readSvg(text)).flatMap(({ tooltip }) => {
        const [, label = '', first = '', last = first] = /^(\w+), (.+?)(?: to (.+))?$/.exec(tooltip) ?? [];
        const [from = '', to = ''] = [words.get(first) ?? shown[0]?.date, words.get(last)];
        return shown.filter(({ date }) => date >= from && date <= to).map(({ date }) => [date, label]);
      });
      expect(drawn).toEqual(shown.map(({ date, regime }) => [date, regime.label]));
      expect([file.path, file.type]).toEqual([`/charts/${chain}.svg`, 'image/svg+xml']);
      expect(Buffer.byteLength(text)).toBeLessThan(LIMIT_BYTES);
    }
  });
});

const THROUGH = '2026-02-28';
const RUNS: LabelRun[] = [
  { label: 'steady', first: '2025-03-01', last: '2025-12-31' },
  { label: 'congested', first: '2026-01-01', last: THROUGH },
];

/** Returns the facts of a chain, as far as the overview needs them. */
function factsOf(chain: ChainFacts['chain'], updatedThrough = THROUGH, runs = RUNS): ChainFacts {
  const regime = { label: 'congested', since: '2026-01-01', run_days: 59, previous_label: 'steady' };
  return { chain, updatedThrough, landing: { regime, runs } } as unknown as ChainFacts; // the rest is not drawn
}

describe('the overview', () => {
  const drawAll = (facts: readonly ChainFacts[]): SvgNode => readSvg(chartForPage(drawOverview(facts)));

  it('shows the state and runs of each chain in a small SVG without invalid numbers', () => {
    const file = overviewChartFile(CHAIN_IDS.map((chain) => factsOf(chain)));
    const { text } = file.content(STAMP);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object|<script|href| on\w+=/);
    expect(Buffer.byteLength(text)).toBeLessThan(LIMIT_BYTES);
    expect(textsOf(readSvg(text))).toEqual(
      expect.arrayContaining(['Bitcoin', 'congested since 1 January 2026', 'indeterminate']),
    );
    const runs = [
      'steady, 1 March 2025 to 31 December 2025',
      'congested, 1 January 2026 to 28 February 2026',
    ];
    expect(ribbonOf(readSvg(text)).map(({ tooltip }) => tooltip)).toEqual(CHAIN_IDS.flatMap(() => runs));
  });

  it('hatches the days after the end of a chain, and draws nothing before its first day', () => {
    const late = [{ label: 'quiet', first: '2026-02-01', last: '2026-02-10' }] satisfies LabelRun[];
    const [, , run, tail] = ribbonOf(drawAll([factsOf('bitcoin'), factsOf('base', '2026-02-10', late)]));
    expect(run).toMatchObject({ paint: 'quiet' });
    expect(run?.from).toBeGreaterThan(90);
    expect(tail).toMatchObject({ tooltip: 'no data, 11 February 2026 to 28 February 2026', to: 100 });
  });

  it('omits the days before its window', () => {
    const old: LabelRun[] = [{ label: 'quiet', first: '2020-01-01', last: '2020-12-31' }, ...RUNS];
    expect(ribbonOf(drawAll([factsOf('base', THROUGH, old)])).map(({ paint }) => paint)).toEqual([
      'url(#overview-hatch)',
      'steady',
      'congested',
    ]);
  });

  it('says that no chain is published', () => {
    expect(drawAll([]).attributes['aria-label']).toBe('No chain is published');
  });
});

it('does not depend on earlier drawings, shares no id with the overview, and escapes what is not XML', () => {
  const first = fileOf(chartDays(50));
  const overview = overviewChartFile([]).content(STAMP).text;
  fileOf(chartDays(365));
  expect(fileOf(chartDays(50))).toBe(first);
  const idsOf = (text: string): string[] =>
    findAll(readSvg(text), () => true).flatMap(({ attributes }) => attributes['id'] ?? []);
  expect(idsOf(first).filter((id) => idsOf(overview).includes(id))).toEqual([]);
});
