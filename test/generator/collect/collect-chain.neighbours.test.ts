import type { ChainPlan } from '../../../generator/collect/policy.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { CollectedDay, DayValues } from '../../../generator/core/collection/day-values.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { FIRST, createDays, createScene, outcomes, usual } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

type Counts = CollectedDay['counts'];

const spanOf = (first: number, last: number, count = last - first + 1): Counts => ({
  first_block: `${first}`,
  last_block: `${last}`,
  block_count: `${count}`,
  block_numbers: `${count}`,
});

const WRONG = spanOf(43_199, 86_398);

describe('the date after one whose block numbers were wrong', () => {
  /** Three dates of base, of which the second has numbers that are one too low. */
  function createBlocks() {
    const counts = new Map([
      ['2026-07-01', spanOf(0, 43_199)],
      ['2026-07-02', WRONG],
      ['2026-07-03', spanOf(86_400, 129_599)],
    ]);
    const days = createDays(3);
    const source = createMemorySource(days, 'files', (_chain, date) => counts.get(date) ?? {});
    const scene = createScene(days, { parts: [{ source, metrics: metricsOf('base') }] });
    const fix = (): unknown => counts.set('2026-07-02', spanOf(43_200, 86_399));
    return { scene, source, days, counts, fix };
  }

  it('is judged again when the date before has other data, in the same collection', async () => {
    const { scene, fix } = createBlocks();
    expect(outcomes(await scene.collect('2026-07-04T06:15:00Z'))).toEqual([
      '2026-07-01 accepted',
      '2026-07-02 missed',
      '2026-07-03 waiting',
    ]);
    expect(outcomes(await scene.collect('2026-07-04T07:15:00Z'))).toEqual([
      '2026-07-02 missed',
      '2026-07-03 waiting',
    ]);
    fix();
    expect(outcomes(await scene.collect('2026-07-04T08:15:00Z'))).toEqual([
      '2026-07-02 accepted',
      '2026-07-03 accepted',
    ]);
  });

  it('is judged by the current counts of the accepted date before it, not by the stored ones', async () => {
    const { scene, counts, fix } = createBlocks();
    const countsOf = (_source: string, date: string): Promise<Counts | undefined> =>
      Promise.resolve(date === '2026-07-02' ? WRONG : undefined);
    counts.delete('2026-07-01'); // so that nothing speaks against the second date
    await scene.collect('2026-07-04T06:15:00Z', { countsOf });
    expect(scene.state().awaited.map(({ date }) => date)).toEqual(['2026-07-03']);
    fix();
    const found = await scene.collect('2026-07-04T07:15:00Z', { countsOf });
    expect(outcomes(found)).toEqual(['2026-07-02 unchanged', '2026-07-03 accepted']);
  });

  it('is judged again when the date before it could not be read at first', async () => {
    const { scene, source, counts, fix } = createBlocks();
    const countsOf = (_source: string, date: string): Promise<Counts | undefined> =>
      Promise.resolve(date === '2026-07-02' ? WRONG : undefined);
    const isSilent = new Set<string>();
    const sometimes: Source = {
      ...source,
      day: (chain, date, signal) =>
        isSilent.has(date)
          ? Promise.reject(new SourceError('unavailable', 'node: no answer.'))
          : source.day(chain, date, signal),
    };
    const main = {
      source: createMemorySource(createDays(3)),
      metrics: ['tx_count', 'active_addresses'],
    } as const;
    const plan: ChainPlan = {
      chain: 'base',
      since: FIRST,
      checks: [],
      rules: DEFAULT_RULES.base,
      parts: [
        main,
        {
          source: { ...sometimes, facts: { ...source.facts, id: 'node' } },
          metrics: ['fees_total', 'fee_median'],
        },
      ],
    };
    counts.delete('2026-07-01');
    await scene.collect('2026-07-04T06:15:00Z', { countsOf, plan });
    fix();
    isSilent.add('2026-07-02');
    await scene.collect('2026-07-04T07:15:00Z', { countsOf, plan });
    isSilent.clear();
    expect(outcomes(await scene.collect('2026-07-04T08:15:00Z', { countsOf, plan }))).toEqual([
      '2026-07-02 unchanged',
      '2026-07-03 accepted',
    ]);
  });

  it('is not read again with the date before when it does not wait for that', async () => {
    const { scene, source, days, fix } = createBlocks();
    fix();
    await scene.collect('2026-07-04T06:15:00Z');
    days.set('2026-07-02', { ...usual(1), tx_count: '1002' });
    const reads = source.reads.length;
    await scene.collect('2026-07-04T07:15:00Z');
    const read = source.reads.slice(reads);
    expect([read.includes('2026-07-02'), read.includes('2026-07-03')]).toEqual([true, false]);
  });
});

it('blocks that a source fills in are judged again too, although no date waits for them', async () => {
  const days = createDays(3);
  const blocks = new Map([...days.keys()].map((date) => [date, { block_count: '43200' }]));
  const counts = new Map([
    ['2026-07-02', WRONG],
    ['2026-07-03', spanOf(86_400, 129_599)],
  ]);
  const node = createMemorySource(blocks, 'node', (_chain, date) => counts.get(date) ?? {});
  const scene = createScene(days, {
    parts: [
      {
        source: createMemorySource(days),
        metrics: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
      },
      { source: node, metrics: ['block_count'] },
    ],
  });
  await scene.collect('2026-07-04T06:15:00Z');
  expect([scene.valuesOn('2026-07-03'), scene.state().awaited]).toEqual([usual(2), []]);
  counts.set('2026-07-02', spanOf(43_200, 86_399));
  await scene.collect('2026-07-04T07:15:00Z');
  expect(scene.valuesOn('2026-07-03')).toEqual({ ...usual(2), block_count: '43200' });
  const reads = node.reads.length;
  await scene.collect('2026-07-04T08:15:00Z');
  expect(node.reads).toHaveLength(reads);
});

it('a date of bitcoin whose blocks interleave with those of the next one is judged again when that arrives', async () => {
  const values = (i: number): DayValues => ({
    ...usual(i),
    block_weight: String(9_000 + i),
    block_count: '144',
  });
  const counts = new Map([
    ['2026-07-01', spanOf(1, 144)],
    ['2026-07-02', spanOf(145, 296, 144)], // 281 to 288 have times of the next date
    ['2026-07-03', spanOf(281, 432, 144)],
  ]);
  const days = new Map([0, 1].map((i) => [addDays(FIRST, i), values(i)]));
  const source = createMemorySource(days, 'files', (_chain, date) => counts.get(date) ?? {});
  const scene = createScene(days, {
    chain: 'bitcoin',
    rules: DEFAULT_RULES.bitcoin,
    parts: [{ source, metrics: metricsOf('bitcoin') }],
  });
  await scene.collect('2026-07-03T12:00:00Z');
  expect(scene.state().awaited).toMatchObject([{ date: '2026-07-02', overdue: true }]);
  days.set('2026-07-03', values(2));
  expect(outcomes(await scene.collect('2026-07-04T01:00:00Z'))[0]).toBe('2026-07-02 accepted');
});
