import { EMPTY_STATE } from '../../../generator/collect/collection-store.js';
import { collectChain } from '../../../generator/collect/collect-chain.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { addDays, parseInstant } from '../../../schemas/dates.js';
import {
  FIRST,
  createDays,
  createScene,
  outcomes,
  usual,
  type Days,
} from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

const { signal } = new AbortController();

describe('a collection of a chain', () => {
  it('takes the whole history at first, one line for each date, and nothing more a second time', async () => {
    const scene = createScene(createDays(30));
    const first = await scene.collect('2026-07-31T06:15:00Z');
    expect(first.added.map(({ date, rule }) => [date, rule])).toEqual(
      Array.from({ length: 30 }, (_, i) => [addDays(FIRST, i), 'day']),
    );
    expect(new Set(first.lineages.map(({ sha256 }) => sha256))).toEqual(
      new Set(first.added.map(({ lineage }) => lineage)),
    );
    const again = await scene.collect('2026-07-31T07:15:00Z');
    expect([again.added, again.days, scene.source.reads]).toEqual([[], [], [...createDays(30).keys()]]);
  });

  it('does not ask for a day before the first try', async () => {
    const scene = createScene(createDays(31));
    await scene.collect('2026-07-31T06:15:00Z');
    expect(scene.valuesOn('2026-07-31')).toBeUndefined();
    expect(outcomes(await scene.collect('2026-08-01T06:14:59Z'))).toEqual([]);
    expect(outcomes(await scene.collect('2026-08-01T06:15:00Z'))).toEqual(['2026-07-31 accepted']);
  });

  it('reports a date that the source lacks, and continues with the next ones', async () => {
    const days = createDays(30);
    days.delete('2026-07-29');
    const scene = createScene(days);
    expect(outcomes(await scene.collect('2026-07-31T06:15:00Z')).slice(-2)).toEqual([
      '2026-07-29 missed',
      '2026-07-30 accepted',
    ]);
    days.set('2026-07-29', usual(28));
    expect(outcomes(await scene.collect('2026-08-10T06:15:00Z'))).toContain('2026-07-29 accepted');
  });

  it('compares a late history with other dates, but withholds nothing of what its source has settled', async () => {
    const days = createDays(30);
    days.set('2026-07-15', { ...usual(14), tx_count: '99999' });
    days.set('2026-07-30', { ...usual(29), tx_count: '99999' });
    const found = await createScene(days).collect('2026-07-31T06:15:00Z');
    expect(
      found.days.flatMap(({ date, findings }) => findings.map(({ rule, effect }) => [date, rule, effect])),
    ).toEqual([
      ['2026-07-15', 'jump', 'noted'],
      ['2026-07-30', 'jump', 'withheld'],
      ['2026-07-30', 'jump', 'withheld'], // the other values, which wait with it
    ]);
  });
});

describe('dates that the source offers but cannot give', () => {
  const failing = (source: Source, failed: readonly string[]): Source => ({
    ...source,
    day: (chain, date, abort) =>
      failed.includes(date)
        ? Promise.reject(new SourceError('shape', `files: ${date} has no column tx_count.`))
        : source.day(chain, date, abort),
  });

  /** Collects until the collection fails. Returns the dates that it took before, and the error. */
  async function collectUntilFailure(days: Days, failed: readonly string[]): Promise<[string[], unknown]> {
    const run = collectChain({
      plan: {
        chain: 'base',
        rules: DEFAULT_RULES.base,
        since: FIRST,
        checks: [],
        parts: [{ source: failing(createMemorySource(days), failed), metrics: metricsOf('base') }],
      },
      lines: [],
      state: EMPTY_STATE,
      nowMs: parseInstant('2026-07-31T06:15:00Z') ?? NaN,
      signal,
      countsOf: () => Promise.resolve(undefined),
    });
    const steps: string[] = [];
    const error = await (async () => {
      for await (const { lines } of run) steps.push(...lines.map(({ date }) => date));
    })().catch((reason: unknown) => reason);
    return [steps, error];
  }

  it('block no other dates, and fail the collection in the end', async () => {
    const [taken, error] = await collectUntilFailure(createDays(30), ['2026-07-05', '2026-07-29']);
    expect(taken).toHaveLength(28);
    expect(taken.at(-1)).toBe('2026-07-30');
    expect(error).toMatchObject({ code: 'shape', message: 'files: 2026-07-05 has no column tx_count.' });
  });

  it('end the collection if they are many', async () => {
    const failed = Array.from({ length: 10 }, (_, i) => addDays(FIRST, 3 + i));
    const [taken, error] = await collectUntilFailure(createDays(30), failed);
    expect([taken.length, error]).toEqual([3, expect.objectContaining({ code: 'shape' })]);
  });
});
