import { CHAIN_IDS, METRIC_NAMES, metricsOf } from '../../../schemas/catalog.js';
import { fillExample, fillSchema } from '../../../scripts/generate/fill-names.js';

it('adds the other chains and metrics to objects that have a member for one', () => {
  const schema = {
    properties: { ethereum: { type: 'null' }, files: {} },
    $defs: { one: { tx_count: true } },
  };
  const filled = fillSchema(schema);
  expect(filled['properties']).toEqual({
    ...Object.fromEntries(CHAIN_IDS.map((chain) => [chain, { type: 'null' }])),
    files: {},
  });
  expect(filled['$defs']).toEqual({ one: Object.fromEntries(METRIC_NAMES.map((name) => [name, true])) });
});

it('adds the other metrics to the days of an example, without values', () => {
  const day = { schema: 'derived-day/1', chain: 'base', metrics: { tx_count: { ma7: 1, ma30: 2 } } };
  const [filled] = fillExample([day]) as [typeof day];
  expect(Object.keys(filled.metrics)).toEqual(metricsOf('base'));
  expect(filled.metrics).toMatchObject({ ...day.metrics, fees_total: { ma7: null, ma30: null } });
  const gold = { schema: 'gold-day/1', chain: 'base', metrics: { tx_count: 1 } };
  expect(fillExample(gold)).toMatchObject({ metrics: { tx_count: 1, fees_total: null } });
});
