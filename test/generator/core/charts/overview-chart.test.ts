import type { OverviewChain } from '../../../../generator/core/artifacts/chart-files.js';
import { LEFT } from '../../../../generator/core/charts/chart-window.js';
import { drawOverviewChart } from '../../../../generator/core/charts/overview-chart.js';
import { readStartingPoint } from '../../../../generator/state/published-state.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import type { LabelRun } from '../../../../schemas/types.generated.js';
import { ORIGIN } from '../../../support/release/chart-days.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { randomSeries } from '../../../support/release/random-series.js';
import { ofTag, readSvg, type SvgNode } from '../../../support/pages/svg-reader.js';

const THROUGH = '2026-02-28';
const RUNS: LabelRun[] = [
  { label: 'steady', first: '2025-03-01', last: '2025-12-31' },
  { label: 'congested', first: '2026-01-01', last: THROUGH },
];
const chainOf = (chain: OverviewChain['chain'], through = THROUGH, runs = RUNS): OverviewChain => ({
  chain,
  through,
  label: 'congested',
  since: '2026-01-01',
  runs,
});
const draw = (chains: readonly OverviewChain[]): SvgNode =>
  readSvg(drawOverviewChart({ chains, origin: ORIGIN }));
const textsOf = (svg: SvgNode): string[] => ofTag(svg, 'text').map(({ text }) => text);
/** Returns the tooltips of the parts of the ribbons. */
const tooltipsOf = (svg: SvgNode): string[] =>
  ofTag(svg, 'title')
    .map(({ text }) => text)
    .slice(1);

describe('the overview', () => {
  it('shows the state and runs of each chain in a small SVG without invalid numbers', () => {
    const text = drawOverviewChart({ chains: CHAIN_IDS.map((chain) => chainOf(chain)), origin: ORIGIN });
    const svg = readSvg(text);
    expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object|<script|href| on\w+=/);
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(['Bitcoin: congested since 2026-01-01', 'indeterminate']),
    );
    const runs = ['congested, 2026-01-01 to 2026-02-28', 'steady, 2025-03-01 to 2025-12-31'];
    expect(tooltipsOf(svg).sort()).toEqual(runs.flatMap((run) => CHAIN_IDS.map(() => run)));
  });

  it('shows the same days for every chain, empty after the end of a shorter one', () => {
    const svg = draw([
      chainOf('bitcoin'),
      chainOf('base', '2025-12-31', RUNS.slice(0, 1)),
      chainOf('ethereum', '2024-01-01', []),
    ]);
    expect(textsOf(svg)).toContain('Base: congested since 2026-01-01, data to 2025-12-31');
    expect(tooltipsOf(svg)).toHaveLength(3);
    expect(ofTag(svg, 'desc')[0]?.text).toContain('with data to 2024-01-01; no data for these days.');
  });

  it('omits the days before its window', () => {
    const early = { label: 'quiet', first: '2024-12-01', last: '2025-02-28' } as const;
    const long = { label: 'quiet', first: '2024-12-01', last: '2025-03-02' } as const;
    const rects = (run: LabelRun): number[] =>
      ofTag(draw([chainOf('base', THROUGH, [run])]), 'rect')
        .filter(({ children }) => children.length > 0)
        .map(({ attributes }) => Number(attributes['x']));
    expect([rects(early), rects(long)]).toEqual([[], [LEFT]]);
  });

  it('draws a chart without any published dates', () => {
    expect(textsOf(draw([]))).toContain('No chain has published dates');
  });
});

it('draws a chain that the run did not include from its published runs', async () => {
  const store = createMemoryStore();
  const series = (chain: 'base' | 'arbitrum', days: number) => randomSeries({ chain, seed: 4, days });
  await publishSeries(store, { inputs: [series('base', 40), series('arbitrum', 40)], asOf: '2023-03-01' });
  const { state } = await readStartingPoint(store, []);
  await publishSeries(store, { inputs: [series('arbitrum', 41)], asOf: '2023-03-02' });
  const after = (await readStartingPoint(store, [])).state;
  if (state === undefined || after === undefined) throw new Error('nothing was published');
  expect(after.landing.chains.base?.runs).toEqual(state.landing.chains.base?.runs);
  expect(after.landing.chains.base?.runs).toEqual([
    { label: 'indeterminate', first: '2022-01-01', last: '2022-02-09' },
  ]);
  expect(after.record.public['/charts/overview.svg']).not.toEqual(
    state.record.public['/charts/overview.svg'],
  );
  expect(after.record.public['/charts/base.svg']).toEqual(state.record.public['/charts/base.svg']);
});
