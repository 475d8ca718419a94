import { toChainFacts } from '../../../../generator/core/artifacts/chain-facts.js';
import { toChartPoint } from '../../../../generator/core/artifacts/chart-data.js';
import { chainFigure, overviewFigure } from '../../../../generator/core/pages/page.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { randomSeries } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const { meta } = createDayWriters(randomSeries({ chain: 'base', seed: 2, days: 3 }), texts);
const record = meta(1, { revision: '2023-02-05.000001', updatedThrough: '2022-01-03' });
const points = [toChartPoint(record)];
const facts = {
  ...toChainFacts('base', [], { lastRecords: [record], points }, []),
  lastAvailable: '2022-01-03',
};

it.each([
  ['chain', chainFigure('base', points, { ...texts, lastAvailable: '2022-01-03' }), '/charts/base.svg'],
  ['overview', overviewFigure([facts]), '/charts/overview.svg'],
])('names the data and the file of the chart of kind %s', (kind, figure, path) => {
  const html = texts.site.templates.figure(figure);
  expect(html).toContain(`data-chart="${kind}" data-files="/charts/base.json"`);
  expect(html).toContain('data-stale="2022-01-08T00:00:00Z"');
  expect(html).toContain(`<a href="${path}">SVG</a>`);
  expect(html).toContain('<svg class="crd-chart" width="100%"');
});

it('names no data when no chain is published', () => {
  const html = texts.site.templates.figure(overviewFigure([]));
  expect(html).toContain('data-files=""');
  expect(html).toContain('No chain is published.');
});
