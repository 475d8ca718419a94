import { chainChartFile } from '../../../../generator/core/artifacts/chart-files.js';
import { drawChainChart } from '../../../../generator/core/charts/chain-chart.js';
import { drawOverviewChart } from '../../../../generator/core/charts/overview-chart.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import { addDays } from '../../../../schemas/dates.js';
import type { RegimeLabel } from '../../../../schemas/types.generated.js';
import {
  chartDay,
  chartDays,
  chartOf,
  FIRST,
  ORIGIN,
  type ChartDay,
} from '../../../support/release/chart-days.js';
import { randomSeries } from '../../../support/release/random-series.js';
import { findAll, ofClass, ofTag, readSvg, type SvgNode } from '../../../support/pages/svg-reader.js';

const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // keys of a closed literal
const LIMIT_BYTES = 60_000;

const draw = (days: readonly ChartDay[]): SvgNode => readSvg(drawChainChart(chartOf(days)));

/** Returns the parts of the ribbon, each with its tooltip, fill and horizontal range. */
function ribbonOf(svg: SvgNode): { tooltip: string; fill: string; from: number; to: number }[] {
  const groups = findAll(svg, ({ name, attributes }) => name === 'g' && 'fill' in attributes);
  return groups
    .flatMap(({ attributes: { fill = '' }, children }) =>
      children
        .filter(({ name }) => name === 'rect')
        .map(({ attributes: { x, width }, children: [title] }) => ({
          tooltip: title?.text ?? '',
          fill,
          from: Number(x),
          to: Number(x) + Number(width),
        })),
    )
    .sort((a, b) => a.from - b.from);
}

/** Returns the path of each unbroken part of an axis's line. */
function partsOf(svg: SvgNode, axis: string): string[] {
  const [path = ''] = ofClass(svg, axis).flatMap(({ children }) =>
    children.map(({ attributes }) => attributes['d'] ?? ''),
  );
  return path.split('M').slice(1);
}

/** Returns the distances of the horizontal lines of a class from the top of their panel. */
function heightsOf(svg: SvgNode, name: string): number[] {
  const lines = ofClass(svg, name).flatMap(({ children }) => children);
  return [...new Set(lines.map(({ attributes }) => Number(attributes['y1'])))];
}

describe('the chart of a chain', () => {
  it.each([1, 2, 30, 365, 400])('is a small SVG without invalid numbers for %s days', (count) => {
    const text = drawChainChart(chartOf(chartDays(count).slice(-365)));
    const svg = readSvg(text);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object|e-\d/);
    expect(Buffer.byteLength(text)).toBeLessThan(LIMIT_BYTES);
    expect(ribbonOf(svg).map(({ tooltip }) => tooltip)).toEqual([
      count === 1
        ? `steady, ${FIRST}`
        : expect.stringMatching(`^steady, .* to ${addDays(FIRST, count - 1)}$`),
    ]);
    expect(ofClass(svg, 'demand')).toHaveLength(1);
  });

  it('has a title and a description for screen readers, and no scripts, handlers or external links', () => {
    const text = drawChainChart(chartOf(chartDays(100)));
    const svg = readSvg(text);
    expect(svg.attributes).toMatchObject({
      role: 'img',
      'aria-labelledby': 'base-title',
      'aria-describedby': 'base-desc',
    });
    const [title, desc] = svg.children;
    expect([title?.attributes['id'], desc?.attributes['id']]).toEqual(['base-title', 'base-desc']);
    expect(title?.text).toBe('Base: regimes of the last 365 days');
    expect(desc?.text).toContain('Base has been steady since 2025-03-01.');
    expect(desc?.text).toContain('by label: steady 100.');
    expect(desc?.text).toContain('revision 2026-03-01.000001');
    expect(ofTag(svg, 'script')).toEqual([]);
    const names = findAll(svg, () => true).flatMap(({ attributes }) => Object.keys(attributes));
    expect(names.filter((name) => /^on|href|^style$/.test(name))).toEqual([]);
    const links = [...text.matchAll(/url\(([^)]*)\)|@import|https?:[^"]*/g)].map(
      ([whole, inner]) => inner ?? whole,
    );
    expect(links.filter((link) => !link.startsWith('#base-'))).toEqual(['http://www.w3.org/2000/svg']);
  });

  it('names every label in the legend, and fills the days of each label with its pattern', () => {
    const svg = draw(
      LABELS.flatMap((label, i) => Array.from({ length: 20 }, (_, t) => chartDay(20 * i + t, label))),
    );
    const texts = ofTag(svg, 'text').map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining([...LABELS]));
    expect(ribbonOf(svg).map(({ fill }) => fill)).toEqual(LABELS.map((label) => `url(#base-${label})`));
    const ids = ofTag(svg, 'pattern').map(({ attributes }) => attributes['id']);
    expect(ids).toEqual(LABELS.map((label) => `base-${label}`));
  });

  it('labels a run only if it is wide enough', () => {
    const days = [
      ...chartDays(100, 'slack'),
      ...chartDays(107, 'quiet').slice(100),
      ...chartDays(300).slice(107),
    ];
    const [group] = ofClass(draw(days), 'run');
    expect(group?.children.map(({ text }) => text)).toEqual(['slack', 'steady']);
  });

  it('breaks the line of an axis where it is missing, but not the line of the other axis', () => {
    const days = chartDays(100).map((day, t) =>
      t >= 40 && t < 50 ? chartDay(t, 'indeterminate', null, 0.2) : day,
    );
    const svg = draw(days);
    expect(partsOf(svg, 'demand').map((part) => part.split('L').length)).toEqual([40, 50]);
    expect(partsOf(svg, 'pressure').map((part) => part.split('L').length)).toEqual([100]);
  });

  it('leaves days without a record empty in the ribbon and in both lines', () => {
    const svg = draw(chartDays(100).filter((_, t) => t < 40 || t >= 50));
    const [before, after, ...more] = ribbonOf(svg);
    expect(more).toEqual([]);
    const unitsPerDay = ((after?.to ?? 0) - (after?.from ?? 0)) / 50;
    expect((after?.from ?? 0) - (before?.to ?? 0)).toBeCloseTo(10 * unitsPerDay, 0);
    for (const axis of ['demand', 'pressure']) {
      expect(partsOf(svg, axis).map((part) => part.split('L').length)).toEqual([40, 50]);
    }
  });

  it('shows a value of an axis between days without one as a point', () => {
    const svg = draw(chartDays(9).map((_, t) => chartDay(t, 'steady', t === 4 ? 1 : null, null)));
    expect(partsOf(svg, 'demand')).toEqual([expect.stringMatching(/^[\d.]+,[\d.]+Z$/)]);
    expect(ofClass(svg, 'pressure')).toEqual([]);
  });

  it('draws the thresholds of the methodology at their values, and states them in the key', () => {
    const days = [...chartDays(20), chartDay(20, 'steady', 3.9, -0.1)];
    for (const thresholds of [chartOf(days).thresholds, { enter: 1.5, exit: 0.5 }]) {
      const svg = readSvg(drawChainChart({ ...chartOf(days), thresholds }));
      const [zero = 0] = heightsOf(svg, 'zero');
      const unit = zero / 4; // the panel ends at the next whole number above the largest z, 3.9
      for (const [name, z] of Object.entries(thresholds)) {
        const [above = 0, below = 0, ...more] = heightsOf(svg, name);
        expect(more).toEqual([]);
        expect([zero - above, below - zero].every((height) => Math.abs(height - z * unit) < 0.1)).toBe(true);
      }
      const texts = ofTag(svg, 'text').map(({ text }) => text);
      expect(texts).toContain(`high from ${thresholds.enter}, low from −${thresholds.enter}`);
      expect(texts).toContain(`normal again within ±${thresholds.exit}`);
    }
  });

  it('escapes text, and replaces characters that XML does not allow', () => {
    const hostile = '</title><script>alert(1)</script>&amp;"\'\u0000\uFFFE]]>';
    const chart = { ...chartOf(chartDays(3)), origin: { ...ORIGIN, revision: hostile } };
    const text = drawChainChart(chart);
    const svg = readSvg(text);
    expect(ofTag(svg, 'script')).toEqual([]);
    expect(ofTag(svg, 'desc')[0]?.text).toContain('</title><script>alert(1)</script>&amp;"\'\uFFFD\uFFFD]]>');
  });

  it('does not depend on earlier drawings, and shares no id with the overview', () => {
    const first = drawChainChart(chartOf(chartDays(50)));
    const overview = drawOverviewChart({ chains: [], origin: ORIGIN });
    drawChainChart({ ...chartOf(chartDays(365)), chain: 'bitcoin' });
    expect(drawChainChart(chartOf(chartDays(50)))).toBe(first);
    const idsOf = (text: string): string[] =>
      findAll(readSvg(text), () => true).flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(idsOf(first).filter((id) => idsOf(overview).includes(id))).toEqual([]);
  });

  it('shows the label of each record of the last year for every chain', async () => {
    const texts = await readProductTexts();
    for (const chain of CHAIN_IDS) {
      const series = randomSeries({ chain, seed: 3, days: 400, missingCells: 0.05, missingRows: 0.02 });
      const { meta } = createDayWriters(series, texts);
      const provenance = { revision: ORIGIN.revision, updatedThrough: series.dates.at(-1) ?? '' };
      const records = Array.from({ length: 370 }, (_, t) => meta(30 + t, provenance));
      const file = chainChartFile(chain, records, texts);
      const { text } = file.content({ revision: ORIGIN.revision, sequence: 1, publishedAt: '' });
      const year = records.slice(-365);
      const drawn = ribbonOf(readSvg(text)).flatMap(({ tooltip }) => {
        const [, label = '', first = '', last = first] = /^(\w+), (\S+)(?: to (\S+))?$/.exec(tooltip) ?? [];
        return year.filter(({ date }) => date >= first && date <= last).map(({ date }) => [date, label]);
      });
      expect(drawn).toEqual(year.map(({ date, regime }) => [date, regime.label]));
      expect([file.path, file.type]).toEqual([`/charts/${chain}.svg`, 'image/svg+xml']);
      expect(Buffer.byteLength(text)).toBeLessThan(LIMIT_BYTES);
    }
  });
});
