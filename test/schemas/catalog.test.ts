import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import {
  byChain,
  CHAINS,
  CHAIN_IDS,
  EXAMPLE_NAMES,
  GENRES,
  GUIDE_NAMES,
  LABEL_MEANINGS,
  METRICS,
  METRIC_NAMES,
  metricsOf,
  WINDOWS,
} from '../../schemas/catalog.js';
import { fillSchema } from '../../scripts/generate/fill-names.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';

const DEFINITIONS = SCHEMAS.common.$defs;
const goldDay = SCHEMAS['gold-day'];
const derivedDay = SCHEMAS['derived-day'];

describe('the catalog equals the schemas', () => {
  it.each([
    ['chains', Object.keys(CHAINS), DEFINITIONS.chain.enum],
    ['chains in their order', CHAIN_IDS, DEFINITIONS.chain.enum],
    ['genres', GENRES, DEFINITIONS.genre.enum],
    ['windows', Object.keys(WINDOWS), DEFINITIONS.window.enum],
    ['metrics', METRIC_NAMES, DEFINITIONS.metric_name.enum],
    ['labels', Object.keys(LABEL_MEANINGS), DEFINITIONS.label.enum],
    ['metrics of a gold day', METRIC_NAMES, Object.keys(goldDay.properties.metrics.properties)],
    ['metrics of a derived day', METRIC_NAMES, Object.keys(derivedDay.properties.metrics.properties)],
  ])('in its %s', (_what, catalog, schema) => {
    expect(catalog).toEqual(schema);
  });

  it('in the metrics that a day of each chain must have and may have', () => {
    const conditions = DEFINITIONS.chain_metrics.allOf.map((rule) => {
      const { required, propertyNames } = rule.then.properties.metrics;
      return [rule.if.properties.chain.const, required, propertyNames.enum];
    });
    expect(conditions).toEqual(CHAIN_IDS.map((chain) => [chain, metricsOf(chain), metricsOf(chain)]));
    for (const { allOf } of [goldDay, derivedDay])
      expect(allOf).toContainEqual({ $ref: 'common.schema.json#/$defs/chain_metrics' });
  });

  it.each(Object.entries(SCHEMAS))(
    'in the members of %s that are named after chains and metrics',
    (_name, schema) => {
      expect(fillSchema(schema)).toEqual(schema); // npm run types:generate
    },
  );

  it('in the length of the longest bundle', () => {
    expect(Math.max(...Object.values(WINDOWS))).toBe(SCHEMAS.bundle.properties.days.maxItems);
  });
});

describe('the catalog', () => {
  it.each(Object.entries(WINDOWS))('counts the dates of the window %s as %d', (window, dates) => {
    expect(dates).toBe(window === 'latest' ? 1 : Number.parseInt(window, 10));
  });

  it('defines every chain as late after 1 day and stale after 3', () => {
    for (const { expectedLagDays, staleAfterDays } of Object.values(CHAINS)) {
      expect([expectedLagDays, staleAfterDays]).toEqual([1, 3]);
    }
  });

  it('defines every metric with a chain and a unit that is not a fiat currency', () => {
    for (const { unit, chains } of Object.values(METRICS)) {
      expect(unit).not.toMatch(/usd|eur|dollar|euro|fiat|price/i);
      expect(chains.length).toBeGreaterThan(0);
    }
  });

  it('describes every label in words that can follow "is", without a full stop', () => {
    for (const meaning of Object.values(LABEL_MEANINGS)) expect(meaning).toMatch(/^[a-z][a-z ,]+[a-z]$/);
  });

  it('lists values in the order of the chains, without undefined ones', () => {
    fc.assert(
      fc.property(fc.subarray([...CHAIN_IDS]), (present) => {
        const listed = byChain((chain) => (present.includes(chain) ? chain.length : undefined));
        expect(Object.entries(listed)).toEqual(present.map((chain) => [chain, chain.length]));
      }),
    );
  });
});

it('lists every example file', () => {
  const folder = new URL('../../templates/examples/', import.meta.url);
  expect(readdirSync(folder).sort()).toEqual([...EXAMPLE_NAMES]);
});

it('lists every guide', () => {
  const names = readdirSync(new URL('../../templates/guides/', import.meta.url));
  const texts = names.filter((name) => name.endsWith('.md')).map((name) => name.replace('.md', ''));
  expect(texts.sort()).toEqual(['quickstart', ...GUIDE_NAMES].sort());
});
