import { drawChainChart } from '../../../../generator/core/charts/chain-chart.js';
import { drawOverviewChart } from '../../../../generator/core/charts/overview-chart.js';
import { chainFigure, overviewFigure } from '../../../../generator/core/pages/chart-figure.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { chartDays, chartOf, ORIGIN } from '../../../support/release/chart-days.js';

const CHAINS = CHAIN_IDS.map((chain) => {
  const date = '2026-02-28';
  return { chain, through: date, label: 'steady', since: date, runs: [] };
});

it.each([
  ['a chain', chainFigure('base'), drawChainChart(chartOf(chartDays(2)))],
  ['all chains', overviewFigure(), drawOverviewChart({ chains: CHAINS, origin: ORIGIN })],
])('reserves the size of the chart of %s', (_name, figure, svg) => {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  expect(figure).toMatchObject({ width: Number(width), height: Number(height) });
});
