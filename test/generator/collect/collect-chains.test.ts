import { metricsOf } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { collectedKey } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { ChainPlan } from '../../../generator/collect/policy.js';
import {
  collectChains,
  type CollectChainsOptions,
  type CollectionResult,
} from '../../../generator/collect/collect-chains.js';
import { readCollection } from '../../../generator/collect/collection-store.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { SILENT } from '../../../generator/run/progress.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { createMemorySource } from '../../support/collection/memory-source.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { snapshotStore } from '../../support/stores/store-snapshot.js';

const FIRST = '2026-07-01';
const AS_OF = Date.parse('2026-07-05T12:00:00Z');
const SOURCES = { files: { name: 'files', licence: 'CC0' } };

const days = new Map<string, DayValues>(
  [0, 1, 2, 3].map((i) => [
    addDays(FIRST, i),
    { tx_count: String(1_000 + i), active_addresses: String(500 + i), fees_total: '10', fee_median: '0.01' },
  ]),
);

function planOf(chain: Chain, source: Source): ChainPlan {
  const rules = DEFAULT_RULES[chain];
  return { chain, parts: [{ source, metrics: metricsOf(chain) }], checks: [], rules, since: FIRST };
}

function collect(
  store: ObjectStore,
  plans: readonly ChainPlan[],
  changes: Partial<Omit<CollectChainsOptions, 'store' | 'plans'>> = {},
): Promise<CollectionResult> {
  const signal = AbortSignal.timeout(60_000);
  const run = { isDryRun: false, progress: SILENT, signal, ...changes };
  return collectChains({ store, plans, asOfMs: AS_OF, sources: SOURCES, ...run });
}

const lengthsOf = async (store: ObjectStore): Promise<Record<string, number>> =>
  Object.fromEntries(
    [...(await readCollection(store)).ledgers].map(([chain, lines]) => [chain, lines.length]),
  );

let store: ObjectStore;
beforeEach(() => {
  store = createMemoryStore();
});

it('a collection of several chains is committed, and a second one writes nothing', async () => {
  const plans = [planOf('arbitrum', createMemorySource(days)), planOf('base', createMemorySource(days))];
  await collect(store, plans);
  expect(await lengthsOf(store)).toEqual({ arbitrum: 4, base: 4 });
  const before = await snapshotStore(store);
  await collect(store, plans);
  expect(await snapshotStore(store)).toEqual(before);
});

it('a name that history has from one source is refused for another', async () => {
  const plans = [planOf('base', createMemorySource(days))];
  await collect(store, plans);
  const before = await snapshotStore(store);
  await expect(
    collect(store, plans, { sources: { files: { name: 'growthepie', licence: 'CC BY 4.0' } } }),
  ).rejects.toThrow(
    'The source files is growthepie now, but the values collected from files so far come from',
  );
  expect(await snapshotStore(store)).toEqual(before);
  await collect(store, plans, { sources: { files: { name: 'files', licence: 'CC0 1.0' } } });
  expect((await readCollection(store)).sources).toEqual({ files: { name: 'files', licence: 'CC0 1.0' } });
});

it('nothing is awaited of a chain that the policy no longer has', async () => {
  const [arbitrum, base] = [
    planOf('arbitrum', createMemorySource(days)),
    planOf('base', createMemorySource(new Map())),
  ];
  await collect(store, [arbitrum, base]);
  const waiting = (await readCollection(store)).states.get('base');
  expect(waiting).toMatchObject({ schedule: { deadline_hours: 12 }, awaited: [{}, {}, {}, {}] });
  await collect(store, [arbitrum], { ended: ['base'] });
  const ended = (await readCollection(store)).states.get('base');
  expect(ended).toMatchObject({ awaited: [] });
  expect(ended?.schedule).toBeUndefined();
});

it('a dry run returns what it would accept, and writes nothing', async () => {
  const { chains } = await collect(store, [planOf('base', createMemorySource(days))], { isDryRun: true });
  expect(chains.get('base')?.lines).toHaveLength(4);
  expect(await snapshotStore(store)).toEqual(await snapshotStore(createMemoryStore()));
});

it('a time ahead of the clock of the store is refused, and nothing is written', async () => {
  const ahead = { ...store, address: 's3://bucket', now: () => AS_OF - 6 * 60_000 };
  const before = await snapshotStore(store);
  await expect(collect(ahead, [planOf('base', createMemorySource(days))])).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining('is ahead of the clock of s3://bucket, 2026-07-05T11:54:00Z'),
  });
  expect(await snapshotStore(store)).toEqual(before);
  const near = { ...store, now: () => AS_OF - 4 * 60_000 };
  await collect(near, [planOf('base', createMemorySource(days))]);
  expect(await lengthsOf(store)).toEqual({ base: 4 });
});

describe('a source that fails', () => {
  const failingOn = (date: string): Source => {
    const source = createMemorySource(days);
    return {
      ...source,
      day: (chain, on, signal) =>
        on === date
          ? Promise.reject(new SourceError('unavailable', 'files: expected an answer, got none.'))
          : source.day(chain, on, signal),
    };
  };

  it('is reported, and keeps neither other dates nor other chains from being accepted', async () => {
    const plans = [planOf('arbitrum', failingOn('2026-07-03')), planOf('base', createMemorySource(days))];
    const { chains } = await collect(store, plans);
    expect(chains.get('arbitrum')?.error).toEqual({
      code: 'unavailable',
      message: 'files: expected an answer, got none.',
    });
    expect(await lengthsOf(store)).toEqual({ arbitrum: 3, base: 4 });
  });

  it('ends the first load of old dates where it fails, so that the next run begins there', async () => {
    const asOfMs = Date.parse('2026-12-01T12:00:00Z');
    const first = { ...planOf('base', failingOn('2026-07-03')), until: '2026-07-04' };
    await collect(store, [first], { asOfMs });
    expect(await lengthsOf(store)).toEqual({ base: 2 });
    const source = createMemorySource(days);
    await collect(store, [{ ...planOf('base', source), until: '2026-07-04' }], { asOfMs });
    expect(source.reads).toEqual(['2026-07-03', '2026-07-04']);
  });

  it('is asked for the rest by the next run', async () => {
    await collect(store, [planOf('base', failingOn('2026-07-03'))]);
    const source = createMemorySource(days);
    await collect(store, [planOf('base', source)]);
    expect(source.reads).toEqual(['2026-07-03']);
  });
});

it('a run that is interrupted keeps what it accepted', async () => {
  const controller = new AbortController();
  const source = createMemorySource(days);
  const stopping: Source = {
    ...source,
    day: (chain, date, signal) => {
      if (date === '2026-07-03') controller.abort(new Error('stopped'));
      return source.day(chain, date, signal);
    },
  };
  await expect(
    collect(store, [planOf('base', stopping)], { signal: controller.signal }),
  ).rejects.toMatchObject({ exit: 'interrupted' });
  expect((await lengthsOf(store))['base']).toBeGreaterThanOrEqual(2);
});

it('a day that does not follow the one that an earlier run accepted is withheld', async () => {
  const early = new Map([...days].slice(0, 3));
  const countsOf = (_chain: Chain, date: string) => {
    const first = 43_200 * (Number(date.slice(8)) - 1) + (early.has(date) ? 0 : 7);
    const span = { first_block: String(first), last_block: String(first + 43_199) };
    return { ...span, block_count: '43200', block_numbers: '43200' };
  };
  await collect(store, [planOf('base', createMemorySource(early, 'files', countsOf))]);
  const { chains } = await collect(store, [planOf('base', createMemorySource(days, 'files', countsOf))]);
  expect(
    chains
      .get('base')
      ?.days.at(-1)
      ?.findings.map(({ message }) => message),
  ).toEqual(['the first block is 129607, but the day before ended with 129599.']);
});

it('names of what was collected are their digests', async () => {
  await collect(store, [planOf('base', createMemorySource(days))]);
  const written: string[] = [];
  const watched = interceptStore(store, async ({ name, key }, run) => {
    if (name === 'putIfAbsent') written.push(key);
    return run();
  });
  await collect(watched, [planOf('arbitrum', createMemorySource(days))]);
  expect(written).not.toEqual([]);
  for (const key of written)
    expect(key).toBe(collectedKey(sha256Hex((await store.get(key))?.bytes ?? new Uint8Array())));
});
