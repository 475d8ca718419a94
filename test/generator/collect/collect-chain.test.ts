import {
  collectChain,
  type ChainCollection,
  type CollectChainOptions,
} from '../../../generator/collect/collect-chain.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { datesOf } from '../../../generator/core/collection/ledger.js';
import type { Source, SourceFacts } from '../../../generator/sources/source.js';
import { addDays, parseInstant } from '../../../schemas/dates.js';
import type { LedgerLine } from '../../../schemas/types.generated.js';

const FIRST = '2026-07-01';
const FACTS = { id: 'files', name: 'Files' } as SourceFacts; // nothing else is read
const { signal } = new AbortController();

/** The days of a source, which a test changes. */
type Days = Map<string, DayValues>;

const usual = (i: number): DayValues => ({
  ...{ tx_count: String(1_000 + i), active_addresses: String(500 + i) },
  ...{ fees_total: `10.${(i % 9) + 1}`, fee_median: `0.01${(i % 9) + 1}` },
});

/** Returns the days from `FIRST`. */
function createDays(count: number): Days {
  return new Map(Array.from({ length: count }, (_, i) => [addDays(FIRST, i), usual(i)]));
}

function createSource(days: Days): Source {
  return {
    facts: FACTS,
    days: (_chain, { first, last }) =>
      Promise.resolve(
        new Map([...days].filter(([date]) => date >= first && date <= last).map(([date]) => [date, date])),
      ),
    day: (chain, date) =>
      Promise.resolve({
        ...{ chain, date, values: days.get(date) ?? {}, counts: {} },
        evidence: { kind: 'responses', responses: [] },
      }),
  };
}

/** A ledger of base that a source fills. */
function createScene(days: Days) {
  const lines: LedgerLine[] = [];
  const collect = async (
    at: string,
    changes: Partial<CollectChainOptions> = {},
  ): Promise<ChainCollection> => {
    const found = await collectChain({
      ...{ chain: 'base', source: createSource(days), rules: DEFAULT_RULES.base },
      ...{ lines: [...lines], since: FIRST, nowMs: parseInstant(at) ?? NaN, signal },
      ...changes,
    });
    lines.push(...found.added);
    return found;
  };
  const valuesOn = (date: string): DayValues | undefined =>
    datesOf(lines).find((each) => each.date === date)?.values;
  return { lines, collect, valuesOn };
}

const outcomes = ({ days }: ChainCollection): string[] =>
  days.map(({ date, outcome }) => `${date} ${outcome}`);

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
    expect([again.added, new Set(again.days.map(({ outcome }) => outcome))]).toEqual([
      [],
      new Set(['unchanged']),
    ]);
  });

  it('does not ask for a day before the first try', async () => {
    const scene = createScene(createDays(31));
    await scene.collect('2026-07-31T06:15:00Z');
    expect(scene.valuesOn('2026-07-31')).toBeUndefined();
    expect(outcomes(await scene.collect('2026-08-01T06:14:59Z')).at(-1)).toBe('2026-07-30 unchanged');
    expect(outcomes(await scene.collect('2026-08-01T06:15:00Z')).at(-1)).toBe('2026-07-31 accepted');
  });

  it('waits for a metric that is late, takes the day without it at the deadline, and fills it in later', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    const { fee_median: late, ...part } = usual(30);
    days.set('2026-07-31', part);
    const waiting = await scene.collect('2026-08-01T06:15:00Z');
    expect([waiting.added, waiting.days.at(-1)?.missing]).toEqual([[], ['fee_median']]);
    const atDeadline = await scene.collect('2026-08-01T12:00:00Z');
    expect(atDeadline.added).toMatchObject([{ date: '2026-07-31', rule: 'deadline', values: part }]);
    days.set('2026-07-31', usual(30));
    const filled = await scene.collect('2026-08-03T06:15:00Z');
    expect(filled.added).toMatchObject([
      {
        date: '2026-07-31',
        rule: 'fill-in',
        values: { fee_median: late },
        reason: 'source completed the date',
      },
    ]);
    expect(scene.valuesOn('2026-07-31')).toEqual(usual(30));
  });

  it('reports a date that the source lacks, and goes on with the next ones', async () => {
    const days = createDays(30);
    days.delete('2026-07-29');
    const scene = createScene(days);
    expect(outcomes(await scene.collect('2026-07-31T06:15:00Z')).slice(-2)).toEqual([
      '2026-07-29 absent',
      '2026-07-30 accepted',
    ]);
    days.set('2026-07-29', usual(28));
    expect(outcomes(await scene.collect('2026-08-10T06:15:00Z'))).toContain('2026-07-29 accepted');
  });

  it('takes a small change while the source settles, keeps a large or late one, and goes on with new days', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-30', { ...usual(29), tx_count: '1030' });
    days.set('2026-07-29', { ...usual(28), tx_count: '1200' });
    days.set('2026-07-10', { ...usual(9), tx_count: '1010' });
    days.set('2026-07-31', usual(30));
    const found = await scene.collect('2026-08-01T06:15:00Z');
    expect(found.added).toMatchObject([
      { date: '2026-07-30', rule: 'revision', values: { tx_count: '1030' } },
      { date: '2026-07-31', rule: 'day' },
    ]);
    expect(found.days.flatMap(({ revisions }) => revisions).map(({ date, kind }) => [date, kind])).toEqual([
      ['2026-07-10', 'drift'],
      ['2026-07-29', 'drift'],
      ['2026-07-30', 'revision'],
    ]);
    expect(scene.valuesOn('2026-07-29')).toEqual(usual(28));
  });

  it('takes a drift that a person accepted, with the public reason', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-10', { ...usual(9), tx_count: '1500' });
    const accepted = {
      values: () => [],
      revision: (date: string, metric: string) => date === '2026-07-10' && metric === 'tx_count',
      reason: 'recounted by the source',
    };
    expect((await scene.collect('2026-07-31T07:15:00Z', { accepted })).added).toMatchObject([
      { date: '2026-07-10', rule: 'person', values: { tx_count: '1500' }, reason: 'recounted by the source' },
    ]);
  });

  it('withholds a jump until a person accepts it', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', { ...usual(30), tx_count: '99999' });
    const withheld = await scene.collect('2026-08-01T06:15:00Z');
    expect(withheld.days.at(-1)).toMatchObject({
      ...{ outcome: 'waiting', missing: ['tx_count'] },
      findings: [{ rule: 'jump', effect: 'withheld' }],
    });
    const accepted = {
      values: (date: string) => (date === '2026-07-31' ? (['tx_count'] as const) : []),
      revision: () => false,
      reason: '',
    };
    const taken = await scene.collect('2026-08-01T07:15:00Z', { accepted });
    expect(taken.added).toMatchObject([{ date: '2026-07-31', rule: 'day', values: { tx_count: '99999' } }]);
  });
});
