import fc from 'fast-check';
import {
  type MetricView,
  parseFragment,
  toFragment,
} from '../../../../templates/browser/metrics/view-address.js';
import { CHAIN_IDS, metricsOf } from '../../../../schemas/catalog.js';

const chains = fc.constantFrom(...CHAIN_IDS);
const metricOf = chains.chain((chain) =>
  fc.constantFrom(...metricsOf(chain)).map((metric) => ({ chain, metric })),
);
const maybe = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(each, { nil: undefined });
const window = fc
  .tuple(fc.integer({ min: 14_000, max: 22_000 }), fc.integer({ min: 1, max: 7000 }))
  .map(([from, days]) => ({ from, to: from + days }));
const views = fc.tuple(
  metricOf,
  maybe(metricOf),
  maybe(fc.constantFrom('linear' as const, 'log' as const)),
  maybe(window),
);

/** Removes the members that have no value. */
const given = (view: MetricView): MetricView => JSON.parse(JSON.stringify(view)) as MetricView;

it('comes back from its address as it was', () => {
  fc.assert(
    fc.property(views, ([first, second, scale, shown]) => {
      const view = { metric: first.metric, second, scale, window: shown };
      expect(parseFragment(`#${toFragment(view)}`, first.chain)).toEqual(given(view));
    }),
  );
});

it('is empty for the view that a page begins with', () => {
  expect(toFragment({})).toBe('');
  expect(parseFragment('', 'bitcoin')).toEqual({});
});

it('reads as a person would write it', () => {
  expect(
    toFragment({
      metric: 'fees_total',
      second: { chain: 'ethereum', metric: 'gas_used' },
      scale: 'log',
      window: { from: 18_262, to: 18_628 },
    }),
  ).toBe('metric=fees_total&with=ethereum.gas_used&scale=log&from=2020-01-01&to=2020-12-31');
});

it('has the default for whatever it does not know', () => {
  const unknown = [
    'metric=price',
    'metric=gas_used', // of other chains
    'with=bitcoin.gas_used',
    'with=dogecoin.tx_count',
    'with=bitcoin.tx_count.more',
    'with=__proto__.constructor',
    'scale=cubic',
    'from=2020-02-30&to=2020-03-01',
    'from=2020-03-01&to=2020-02-01',
    'from=2020-03-01',
    'main',
    '%%%',
  ];
  for (const each of unknown) expect([each, parseFragment(`#${each}`, 'bitcoin')]).toEqual([each, {}]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseFragment(text, 'base')).not.toThrow();
    }),
  );
});
