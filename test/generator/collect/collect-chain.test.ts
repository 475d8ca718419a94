import type { ChainPlan } from '../../../generator/collect/chain-plan.js';
import { EMPTY_STATE } from '../../../generator/collect/chain-state.js';
import type { DayStep } from '../../../generator/collect/chain-run.js';
import { collectChain, type CollectChainOptions } from '../../../generator/collect/collect-chain.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/values/day-values.js';
import { datesOf } from '../../../generator/core/collection/ledger/ledger.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { addDays, parseInstant } from '../../../schemas/dates.js';
import type { ChainState, LedgerLine } from '../../../schemas/types.generated.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

const FIRST = '2026-07-01';
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

/** A collection of base that a source fills. */
function createScene(days: Days, plan: Partial<ChainPlan> = {}) {
  const lines: LedgerLine[] = [];
  const source = createMemorySource(days);
  let state: ChainState = EMPTY_STATE;
  const collect = async (at: string, changes: Partial<CollectChainOptions> = {}) => {
    const run = collectChain({
      plan: {
        ...{ chain: 'base', rules: DEFAULT_RULES.base, since: FIRST, checks: [] },
        parts: [{ source, metrics: metricsOf('base') }],
        ...plan,
      },
      ...{ lines: [...lines], state, nowMs: parseInstant(at) ?? NaN, signal },
      countsOf: () => Promise.resolve(undefined),
      ...changes,
    });
    const steps: DayStep[] = [];
    let next = await run.next();
    for (; next.done !== true; next = await run.next()) steps.push(next.value);
    ({ state } = next.value);
    const added = steps.flatMap((step) => step.lines);
    lines.push(...added);
    return {
      added,
      lineages: steps.flatMap((step) => step.lineages),
      days: steps.map(({ report }) => report),
      failures: next.value.failures,
    };
  };
  const valuesOn = (date: string): DayValues | undefined =>
    datesOf(lines).find((each) => each.date === date)?.values;
  return { lines, source, collect, valuesOn, state: () => state };
}

type Collected = Awaited<ReturnType<ReturnType<typeof createScene>['collect']>>;

const outcomes = ({ days }: Collected): string[] => days.map(({ date, outcome }) => `${date} ${outcome}`);

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
      '2026-07-29 missed',
      '2026-07-30 accepted',
    ]);
    days.set('2026-07-29', usual(28));
    expect(outcomes(await scene.collect('2026-08-10T06:15:00Z'))).toContain('2026-07-29 accepted');
  });

  it('takes a small change while the source settles, keeps a large or late one, and goes on with new days', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-30', { ...usual(29), tx_count: '1035' });
    days.set('2026-07-29', { ...usual(28), tx_count: '1200' });
    days.set('2026-07-10', { ...usual(9), tx_count: '1010' });
    days.set('2026-07-31', usual(30));
    const found = await scene.collect('2026-08-01T06:15:00Z');
    expect(found.added).toMatchObject([
      { date: '2026-07-30', rule: 'revision', values: { tx_count: '1035' } },
      { date: '2026-07-31', rule: 'day' },
    ]);
    expect(found.days.flatMap(({ revisions }) => revisions).map(({ date, kind }) => [date, kind])).toEqual([
      ['2026-07-10', 'drift'],
      ['2026-07-29', 'drift'],
      ['2026-07-30', 'revision'],
    ]);
    expect(scene.state().drifts).toMatchObject([
      { date: '2026-07-10', metric: 'tx_count', from: '1009', to: '1010', since: '2026-08-01T06:15:00Z' },
      { date: '2026-07-29', metric: 'tx_count', from: '1028', to: '1200' },
    ]);
    days.set('2026-07-29', usual(28));
    await scene.collect('2026-08-01T07:15:00Z');
    expect(scene.state().drifts.map(({ date }) => date)).toEqual(['2026-07-10']);
    expect(scene.valuesOn('2026-07-29')).toEqual(usual(28));
  });

  it('takes a drift that a person accepted, with the public reason', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-10', { ...usual(9), tx_count: '1500' });
    const accepted = {
      accepts: (date: string, metric: string) => date === '2026-07-10' && metric === 'tx_count',
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
      ...{ outcome: 'waiting', missing: DEFAULT_RULES.base.required },
      findings: [
        { rule: 'jump', effect: 'withheld', metrics: ['tx_count'] },
        { rule: 'jump', effect: 'withheld', metrics: ['active_addresses', 'fees_total', 'fee_median'] },
      ],
    });
    expect(scene.state().awaited).toMatchObject([{ sources: ['files'], withheld: { tx_count: 'jump' } }]);
    expect(scene.state().schedule).toEqual({
      ...{ source: 'files', first_try_hours: 6.25, deadline_hours: 12, settling_days: 7 },
    });
    const accepted = {
      accepts: (date: string, metric: string) => date === '2026-07-31' && metric === 'tx_count',
      reason: 'an airdrop',
    };
    const taken = await scene.collect('2026-08-01T07:15:00Z', { accepted });
    expect(taken.added).toMatchObject([
      { date: '2026-07-31', rule: 'person', reason: 'an airdrop', values: { tx_count: '99999' } },
    ]);
  });

  it('awaits a date from the first run that misses it, names the deadline once, and reads it only when its data change or the deadline passes', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    const { fee_median: _late, ...part } = usual(30);
    days.set('2026-07-31', part);
    await scene.collect('2026-08-01T06:15:00Z');
    expect(scene.state().awaited).toEqual([
      {
        ...{ date: '2026-07-31', since: '2026-08-01T06:15:00Z', until: '2026-08-01T12:00:00Z' },
        ...{ overdue: false, missing: ['fee_median'], reasons: ['files has no fee_median yet.'] },
        ...{ sources: ['files'], withheld: {} },
      },
    ]);
    const reads = scene.source.reads.length;
    const before = scene.state();
    expect(outcomes(await scene.collect('2026-08-01T07:15:00Z'))).toEqual(['2026-07-31 waiting']);
    expect([scene.source.reads.length, scene.state()]).toEqual([reads, before]);
    const atDeadline = await scene.collect('2026-08-01T12:00:00Z');
    expect(atDeadline.days.map(({ isNewlyOverdue }) => isNewlyOverdue)).toEqual([true]);
    expect((await scene.collect('2026-08-01T13:00:00Z')).days).toEqual([]);
    expect(scene.state().awaited).toMatchObject([{ since: '2026-08-01T06:15:00Z', overdue: true }]);
    days.set('2026-07-31', usual(30));
    await scene.collect('2026-08-01T14:00:00Z');
    expect(scene.state().awaited).toEqual([]);
  });

  it('reads an awaited date again each time before its deadline if the marks of its source can be late', async () => {
    const days = createDays(30);
    const source = createMemorySource(days);
    const late = { ...source, facts: { ...source.facts, hasLateMarks: true } };
    const scene = createScene(days, { parts: [{ source: late, metrics: metricsOf('base') }] });
    const { fee_median: _late, ...part } = usual(30);
    days.set('2026-07-31', part);
    await scene.collect('2026-08-01T06:15:00Z');
    const reads = source.reads.length;
    await scene.collect('2026-08-01T07:15:00Z');
    expect(source.reads.slice(reads)).toEqual(['2026-07-31']);
  });

  it('takes neither a zero nor the noise of floating-point numbers for a change of an accepted value', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-20', { ...usual(19), active_addresses: '0', fees_total: '10.20000000000001' });
    const found = await scene.collect('2026-07-31T07:15:00Z');
    expect([found.added, scene.state().drifts]).toEqual([[], []]);
  });

  it('judges an awaited date again when the rules change, although its data did not', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', { ...usual(30), tx_count: '99999' });
    await scene.collect('2026-08-01T06:15:00Z');
    const jumpFactor = { ...DEFAULT_RULES.base.jumpFactor, counts: 1_000 };
    const plan: ChainPlan = {
      ...{ chain: 'base', since: FIRST, checks: [] },
      rules: { ...DEFAULT_RULES.base, jumpFactor },
      parts: [{ source: scene.source, metrics: metricsOf('base') }],
    };
    expect(outcomes(await scene.collect('2026-08-01T07:15:00Z', { plan }))).toEqual(['2026-07-31 accepted']);
  });

  it('reports a value that became far too large, instead of ignoring it', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-30', { ...usual(29), tx_count: '999999' });
    await scene.collect('2026-07-31T07:15:00Z');
    expect(scene.state().drifts).toMatchObject([{ date: '2026-07-30', metric: 'tx_count', to: '999999' }]);
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

describe('what waits for a person', () => {
  it('is not taken by itself when its source has settled', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', { ...usual(30), tx_count: '99999' });
    await scene.collect('2026-08-01T12:15:00Z');
    days.set('2026-07-31', { ...usual(30), tx_count: '99999', fees_total: '10.55' });
    const later = await scene.collect('2026-08-15T12:15:00Z');
    expect(later.days.find(({ date }) => date === '2026-07-31')).toMatchObject({ outcome: 'missed' });
    expect(scene.valuesOn('2026-07-31')).toBeUndefined();
  });

  it('is a history that shifted, also if its dates change one after the other', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    const shift = (i: number): unknown =>
      days.set(addDays(FIRST, i), { ...usual(i), tx_count: String(1_004 + i) });
    for (let i = 0; i < 25; i += 1) shift(i);
    await scene.collect('2026-07-31T07:15:00Z');
    expect(scene.state().drifts).toHaveLength(25);
    shift(29);
    const { added } = await scene.collect('2026-07-31T08:15:00Z');
    expect([added, scene.state().drifts.length]).toEqual([[], 26]);
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
        ...{ chain: 'base', rules: DEFAULT_RULES.base, since: FIRST, checks: [] },
        parts: [{ source: failing(createMemorySource(days), failed), metrics: metricsOf('base') }],
      },
      ...{ lines: [], state: EMPTY_STATE, nowMs: parseInstant('2026-07-31T06:15:00Z') ?? NaN, signal },
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

describe('a chain with several sources', () => {
  const blocks = (i: number): DayValues => ({ block_count: '43200', gas_used: String(9_000 + i) });

  function createTwoSources(count: number) {
    const [days, others] = [createDays(count), new Map<string, DayValues>()];
    for (let i = 0; i < count; i += 1) others.set(addDays(FIRST, i), blocks(i));
    const node = createMemorySource(others, 'node');
    const main = createMemorySource(days);
    const parts: ChainPlan['parts'] = [
      { source: main, metrics: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'] },
      { source: node, metrics: ['block_count', 'gas_used'] },
    ];
    return { days, others, main, node, parts };
  }

  it('takes each metric from the source of its part, with a line and a lineage each', async () => {
    const { parts } = createTwoSources(2);
    const scene = createScene(new Map(), { parts });
    const { added } = await scene.collect('2026-07-03T06:15:00Z');
    expect(added.map(({ date, source }) => [date, source])).toEqual([
      ['2026-07-01', 'files'],
      ['2026-07-01', 'node'],
      ['2026-07-02', 'files'],
      ['2026-07-02', 'node'],
    ]);
    expect(new Set(added.map(({ lineage }) => lineage)).size).toBe(4);
    expect(scene.valuesOn('2026-07-02')).toEqual({ ...usual(1), ...blocks(1) });
  });

  it('does not wait for a source of metrics that are not required, and fills them in when it has them', async () => {
    const { others, parts } = createTwoSources(2);
    others.delete('2026-07-02');
    const scene = createScene(new Map(), { parts });
    await scene.collect('2026-07-03T06:15:00Z');
    expect(scene.valuesOn('2026-07-02')).toEqual(usual(1));
    others.set('2026-07-02', blocks(1));
    const { added } = await scene.collect('2026-07-09T06:15:00Z');
    expect(added).toMatchObject([{ date: '2026-07-02', source: 'node', rule: 'fill-in', values: blocks(1) }]);
  });

  it('goes on without a second source that does not answer and reports it, but fails without the main one', async () => {
    const { node, main, parts } = createTwoSources(2);
    const failing: Source = {
      ...node,
      days: () => Promise.reject(new SourceError('unavailable', 'node: expected an answer, got none.')),
    };
    const scene = createScene(new Map(), {
      parts: [parts[0], { source: failing, metrics: ['block_count', 'gas_used'] }],
    });
    const found = await scene.collect('2026-07-03T06:15:00Z');
    expect([found.added.length, found.failures]).toEqual([2, ['node: expected an answer, got none.']]);
    const silent = { ...main, days: failing.days };
    const other = createScene(new Map(), { parts: [{ source: silent, metrics: ['tx_count'] }] });
    await expect(other.collect('2026-07-03T06:15:00Z')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('keeps a difference of a source that does not answer now', async () => {
    const { days, others, node, main, parts } = createTwoSources(30);
    const scene = createScene(new Map(), { parts });
    await scene.collect('2026-07-31T06:15:00Z');
    others.set('2026-07-10', { ...blocks(9), gas_used: '5' });
    await scene.collect('2026-07-31T07:15:00Z');
    days.set('2026-07-10', { ...usual(9), tx_count: '5' });
    const silent: Source = {
      ...node,
      days: () => Promise.reject(new SourceError('unavailable', 'node: no answer.')),
    };
    const plan: ChainPlan = {
      ...{ chain: 'base', rules: DEFAULT_RULES.base, since: FIRST, checks: [] },
      parts: [
        { source: main, metrics: parts[0].metrics },
        { source: silent, metrics: ['block_count', 'gas_used'] },
      ],
    };
    await scene.collect('2026-07-31T08:15:00Z', { plan });
    expect(scene.state().drifts.map(({ metric }) => metric)).toEqual(['gas_used', 'tx_count']);
  });

  it('keeps accepted values when another main source follows, and takes only new dates from it', async () => {
    const days = createDays(3);
    const scene = createScene(days);
    await scene.collect('2026-07-04T06:15:00Z');
    const other = new Map(
      [...createDays(4)].map(([date, values]) => [date, { ...values, tx_count: '5000' }]),
    );
    const parts: ChainPlan['parts'] = [
      { source: createMemorySource(other, 'aws'), metrics: metricsOf('base') },
    ];
    const plan: ChainPlan = { chain: 'base', rules: DEFAULT_RULES.base, since: FIRST, checks: [], parts };
    const { added } = await scene.collect('2026-07-05T06:15:00Z', { plan });
    expect(added).toMatchObject([{ date: '2026-07-04', source: 'aws' }]);
    expect(scene.state().drifts).toEqual([]);
  });

  it('withholds a value that another source contradicts, and takes a jump that it confirms', async () => {
    const days = createDays(30);
    const check = new Map(createDays(30));
    const scene = createScene(days, {
      checks: [{ source: createMemorySource(check, 'check'), same: ['tx_count'] }],
    });
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', usual(30));
    check.set('2026-07-31', { tx_count: '2000' });
    const contradicted = await scene.collect('2026-08-01T06:15:00Z');
    expect(contradicted.days).toMatchObject([
      { outcome: 'waiting', findings: [{ rule: 'cross' }, { rule: 'cross' }] },
    ]);
    days.set('2026-07-31', { ...usual(30), tx_count: '9000' });
    check.set('2026-07-31', { tx_count: '9000' });
    const confirmed = await scene.collect('2026-08-01T07:15:00Z');
    expect(confirmed.days).toMatchObject([{ outcome: 'accepted', findings: [] }]);
  });

  it('compares an accepted date with another source as soon as that has it, until the date is settled', async () => {
    const days = createDays(30);
    const check = new Map(createDays(29));
    const scene = createScene(days, {
      checks: [{ source: createMemorySource(check, 'check'), same: ['tx_count'] }],
    });
    await scene.collect('2026-07-31T06:15:00Z');
    check.set('2026-07-30', { tx_count: '2000' });
    check.set('2026-07-10', { tx_count: '2000' }); // settled long ago
    const found = await scene.collect('2026-07-31T07:15:00Z');
    expect(found.days).toMatchObject([
      { date: '2026-07-30', outcome: 'unchanged', findings: [{ rule: 'cross', effect: 'noted' }] },
    ]);
    expect([found.added, (await scene.collect('2026-07-31T08:15:00Z')).days]).toEqual([[], []]);
  });

  it('notes a ratio to another source that is not the usual one', async () => {
    const days = createDays(30);
    const half = (values: DayValues): DayValues => ({
      active_addresses: String(Number(values.active_addresses) / 2),
    });
    const check = new Map([...days].map(([date, values]) => [date, half(values)]));
    const scene = createScene(days, { checks: [{ source: createMemorySource(check, 'check'), same: [] }] });
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', usual(30));
    check.set('2026-07-31', { active_addresses: '400' });
    const found = await scene.collect('2026-08-01T06:15:00Z');
    expect(found.days).toMatchObject([
      { outcome: 'accepted', findings: [{ rule: 'cross', effect: 'noted', metrics: ['active_addresses'] }] },
    ]);
  });
});
