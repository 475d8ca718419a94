import type { ChainPlan } from '../../../generator/collect/policy.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { FIRST, createDays, createScene, usual } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

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

  it('says when another source has the values on the neighbouring dates, also of days that are settled', async () => {
    const days = createDays(70);
    const shifted = new Map([...days].map(([date], i) => [date, usual(i + 1)]));
    const checks: ChainPlan['checks'] = [
      { source: createMemorySource(shifted, 'other'), same: ['tx_count'] },
    ];
    const scene = createScene(days, { checks });
    const { added, notes } = await scene.collect('2026-12-01T06:15:00Z');
    expect(added.length).toBeGreaterThanOrEqual(70);
    expect(notes).toEqual(
      ['tx_count', 'active_addresses', 'fees_total', 'fee_median'].map(
        (metric) =>
          `${metric}: files has on every day what other has on the day before, so that one of them names the days wrongly.`,
      ),
    );
    expect((await createScene(days).collect('2026-12-01T06:15:00Z')).notes).toEqual([]);
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

  it('continues without a second source that does not answer and reports it, but fails without the main one', async () => {
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
      chain: 'base',
      rules: DEFAULT_RULES.base,
      since: FIRST,
      checks: [],
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
