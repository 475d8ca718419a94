import type { ChainPlan } from '../../../generator/collect/policy.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { FIRST, createDays, createScene, outcomes, usual } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

describe('a date that a chain awaits', () => {
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

  it('withholds a jump until a person accepts it', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', { ...usual(30), tx_count: '99999' });
    const withheld = await scene.collect('2026-08-01T06:15:00Z');
    expect(withheld.days.at(-1)).toMatchObject({
      outcome: 'waiting',
      missing: DEFAULT_RULES.base.required,
      findings: [
        { rule: 'jump', effect: 'withheld', metrics: ['tx_count'] },
        { rule: 'jump', effect: 'withheld', metrics: ['active_addresses', 'fees_total', 'fee_median'] },
      ],
    });
    expect(scene.state().awaited).toMatchObject([{ sources: ['files'], withheld: { tx_count: 'jump' } }]);
    expect(scene.state().schedule).toEqual({
      source: 'files',
      first_try_hours: 6.25,
      deadline_hours: 12,
      settling_days: 7,
    });
    const accepted = {
      accepts: (date: string, metric: string) => date === '2026-07-31' && metric === 'tx_count',
      reason: 'an airdrop',
    };
    const taken = await scene.collect('2026-08-01T07:15:00Z', { accepted });
    expect(taken.added).toMatchObject([
      { date: '2026-07-31', rule: 'day', reason: null, values: { active_addresses: '530' } },
      { date: '2026-07-31', rule: 'person', reason: 'an airdrop', values: { tx_count: '99999' } },
    ]);
  });

  it('is not taken by itself when its source has settled, if it waits for a person', async () => {
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

  it('awaits a date from the first run that misses it, names the deadline once, and reads it only when its data change or the deadline passes', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    const { fee_median: _late, ...part } = usual(30);
    days.set('2026-07-31', part);
    await scene.collect('2026-08-01T06:15:00Z');
    expect(scene.state().awaited).toEqual([
      {
        date: '2026-07-31',
        since: '2026-08-01T06:15:00Z',
        until: '2026-08-01T12:00:00Z',
        overdue: false,
        missing: ['fee_median'],
        reasons: ['files has no fee_median yet.'],
        sources: ['files'],
        withheld: {},
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

  it('judges an awaited date again when the rules change, although its data did not', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-31', { ...usual(30), tx_count: '99999' });
    await scene.collect('2026-08-01T06:15:00Z');
    const jumpFactor = { ...DEFAULT_RULES.base.jumpFactor, counts: 1_000 };
    const plan: ChainPlan = {
      chain: 'base',
      since: FIRST,
      checks: [],
      rules: { ...DEFAULT_RULES.base, jumpFactor },
      parts: [{ source: scene.source, metrics: metricsOf('base') }],
    };
    expect(outcomes(await scene.collect('2026-08-01T07:15:00Z', { plan }))).toEqual(['2026-07-31 accepted']);
  });
});
