import fc from 'fast-check';
import { addDays } from '../../../schemas/dates.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { type Source, SourceError } from '../../../generator/sources/source.js';
import { metricsOf } from '../../../schemas/catalog.js';
import {
  createDays,
  createScene,
  type Days,
  FIRST,
  outcomes,
  usual,
} from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';
import { FIRST as FIRST_OF_NODE, startEvmNodeScene } from '../../support/sources/evm-node-scene.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';

/** A source that fails at the requests with these numbers, from 0. */
function failAt(source: Source, failed: readonly number[]): Source {
  let count = 0;
  const request = <T>(read: () => Promise<T>): Promise<T> =>
    failed.includes(count++) ? Promise.reject(new SourceError('unavailable', 'no answer.')) : read();
  return {
    ...source,
    days: (...asked) => request(() => source.days(...asked)),
    day: (...asked) => request(() => source.day(...asked)),
  };
}

/** The values of days that the source has settled, and with which the rules `constant` and `jump` are not content. */
const odd = fc.record({
  tx_count: fc.constantFrom('1000', '1001', '90000', '3'),
  active_addresses: fc.constantFrom('500', '501', '70000'),
  fees_total: fc.constantFrom('10.5', '10.6', '9000'),
  fee_median: fc.constantFrom('0.01', '0.02', '7'),
});

type Collected = {
  readonly values: readonly (DayValues | undefined)[];
  readonly rules: readonly string[];
  readonly awaited: readonly string[];
};

/** Collects `days` by runs, the first of which fail at some requests, until one ends. */
async function collectAll(days: Days, at: string, runs: readonly (readonly number[])[]): Promise<Collected> {
  const scene = createScene(days);
  for (const failed of [...runs, []]) {
    const source = failAt(createMemorySource(days), failed);
    const plan = { parts: [{ source, metrics: metricsOf('base') }] } as const;
    const rules = DEFAULT_RULES.base;
    await scene.collectUntilFailure(at, { chain: 'base', since: FIRST, checks: [], rules, ...plan });
  }
  return {
    values: [...days.keys()].map(scene.valuesOn),
    rules: scene.lines.map(({ date, rule }) => `${date} ${rule}`).sort(),
    awaited: scene.state().awaited.map(({ date }) => date),
  };
}

describe('a backfill that fails', () => {
  it('accepts in the end what one run accepts, wherever it failed', async () => {
    const runs = fc.array(fc.uniqueArray(fc.nat(30), { maxLength: 5 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { minLength: 5, maxLength: 30 }), runs, async (values, failed) => {
        const days: Days = new Map(values.map((each, i) => [addDays(FIRST, i), each]));
        const at = '2026-08-20T12:15:00Z'; // all dates have settled, and may still be filled in
        expect(await collectAll(days, at, failed)).toEqual(await collectAll(days, at, []));
      }),
      { numRuns: 50 },
    );
  });

  it('awaits no date that it could not read', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    const failing = { source: failAt(createMemorySource(days), [4]), metrics: metricsOf('base') };
    const rules = DEFAULT_RULES.base;
    const plan = { chain: 'base', since: FIRST, checks: [], rules, parts: [failing] } as const;
    const { days: seen, error } = await scene.collectUntilFailure('2026-07-31T06:15:00Z', plan);
    expect(seen.map(({ date }) => date)).not.toContain('2026-07-04');
    expect([seen.length, error?.message, scene.state().awaited]).toEqual([29, 'no answer.', []]);
    expect(outcomes(await scene.collect('2026-07-31T07:15:00Z'))).toEqual(['2026-07-04 accepted']);
  });

  it('awaits a date as before if it could not be read again', async () => {
    const days = createDays(30);
    const { fee_median: _late, ...part } = usual(29);
    days.set('2026-07-30', part);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-30', usual(29));
    const failing = { source: failAt(createMemorySource(days), [1]), metrics: metricsOf('base') };
    const rules = DEFAULT_RULES.base;
    const plan = { chain: 'base', since: FIRST, checks: [], rules, parts: [failing] } as const;
    await scene.collectUntilFailure('2026-07-31T12:00:00Z', plan);
    expect(scene.state().awaited).toMatchObject([{ date: '2026-07-30', overdue: true }]);
    await scene.collect('2026-07-31T13:00:00Z');
    expect([scene.valuesOn('2026-07-30'), scene.state().awaited]).toEqual([usual(29), []]);
  });
});

it('a node that fails at any of its requests gives in the end the days of one run', async () => {
  const node = await startEvmNodeScene();
  try {
    const collect = async (failed: number | undefined): Promise<[unknown, number]> => {
      const scene = createScene(new Map());
      let requests = 0;
      const fetch: typeof globalThis.fetch = (...asked) =>
        requests++ === failed
          ? Promise.resolve(new Response(null, { status: 400 }))
          : node.tools.fetch(...asked);
      const metrics = ['block_count', 'gas_used', 'tx_count'] as const;
      const rules = {
        ...DEFAULT_RULES.base,
        required: metrics,
        settlingDays: 0,
        blocks: [1, 43_200],
      } as const;
      for (const _run of ['fails', 'ends']) {
        const source = node.create({ receipts: true, tools: { ...node.tools, fetch } });
        const plan = {
          chain: 'base',
          since: FIRST_OF_NODE,
          checks: [],
          rules,
          parts: [{ source, metrics }],
        } as const;
        await scene.collectUntilFailure('2026-03-28T12:00:00Z', plan);
      }
      const lines = scene.lines.map(({ lineage: _lineage, ...line }) => line);
      return [lines.sort((a, b) => (a.date < b.date ? -1 : 1)), requests];
    };
    const [whole, count] = await collect(undefined);
    expect(whole).toHaveLength(5);
    for (let request = 0; request < count; request += 1) expect((await collect(request))[0]).toEqual(whole);
  } finally {
    await node.service.dispose();
  }
});
