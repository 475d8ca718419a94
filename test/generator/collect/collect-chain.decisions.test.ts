import { metricsOf } from '../../../schemas/catalog.js';
import type { ChainPlan } from '../../../generator/collect/policy.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import { createDays, createScene, FIRST, outcomes, usual } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

const accepting = (metric: string) => ({
  accepts: (date: string, each: string) => date === '2026-07-31' && each === metric,
  reason: 'an airdrop',
});

describe('a decision of a person', () => {
  it('is kept while the date waits for another metric, and taken with the public reason when that comes', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    const { fee_median: late, ...early } = { ...usual(30), tx_count: '99999' };
    days.set('2026-07-31', early);
    await scene.collect('2026-08-01T06:15:00Z');
    const decided = await scene.collect('2026-08-01T07:15:00Z', { accepted: accepting('tx_count') });
    expect([decided.added, outcomes(decided)]).toEqual([[], ['2026-07-31 waiting']]);
    expect(scene.state().decisions).toEqual([
      { date: '2026-07-31', metric: 'tx_count', value: '99999', reason: 'an airdrop' },
    ]);
    days.set('2026-07-31', { ...early, ...(late === undefined ? {} : { fee_median: late }) });
    expect((await scene.collect('2026-08-01T08:15:00Z')).added).toMatchObject([
      { rule: 'day', reason: null, values: { active_addresses: '530', fee_median: late } },
      { rule: 'person', reason: 'an airdrop', values: { tx_count: '99999' } },
    ]);
    expect(scene.state().decisions).toBeUndefined();
  });

  it('is not taken for another value, if the source changes it while the date waits', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    const { fee_median: _late, ...early } = { ...usual(30), tx_count: '99999' };
    days.set('2026-07-31', early);
    await scene.collect('2026-08-01T06:15:00Z', { accepted: accepting('tx_count') });
    days.set('2026-07-31', { ...usual(30), tx_count: '99998' });
    expect((await scene.collect('2026-08-01T08:15:00Z')).added).toEqual([]);
    expect(scene.state().awaited).toMatchObject([{ withheld: { tx_count: 'jump' } }]);
  });

  it('makes later dates with values be judged again by the level that it accepts', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    for (const [i, date] of ['2026-07-31', '2026-08-01'].entries())
      days.set(date, { ...usual(30 + i), active_addresses: '9000' });
    days.set('2026-08-01', { ...usual(31), active_addresses: '9100' });
    await scene.collect('2026-08-02T13:00:00Z'); // both deadlines have passed: published without it
    expect(scene.state().awaited.map(({ missing }) => missing)).toEqual([
      ['active_addresses'],
      ['active_addresses'],
    ]);
    await scene.collect('2026-08-02T14:00:00Z', { accepted: accepting('active_addresses') });
    const { added } = await scene.collect('2026-08-02T15:00:00Z');
    expect(added).toMatchObject([
      { date: '2026-08-01', rule: 'fill-in', values: { active_addresses: '9100' } },
    ]);
    expect(scene.state().awaited).toEqual([]);
  });
});

it('a value that a date does without stays withheld when the date is settled', async () => {
  const days = createDays(0);
  const withGas = (i: number) => ({ ...usual(i), gas_used: String(1_000_000 + i) });
  for (const [i, date] of [...createDays(30).keys()].entries()) days.set(date, withGas(i));
  const scene = createScene(days);
  await scene.collect('2026-07-31T06:15:00Z');
  days.set('2026-07-31', { ...withGas(30), gas_used: '1000000000000' });
  await scene.collect('2026-08-01T06:15:00Z');
  expect(scene.valuesOn('2026-07-31')).toEqual(usual(30));
  days.set('2026-07-31', { ...withGas(30), gas_used: '1000000000001' }); // another mark
  for (let i = 31; i < 45; i += 1) days.set(`2026-08-${String(i - 30).padStart(2, '0')}`, withGas(i));
  await scene.collect('2026-08-15T06:15:00Z');
  expect(scene.valuesOn('2026-07-31')).toEqual(usual(30));
  expect(scene.valuesOn('2026-08-14')).toEqual(withGas(44));
});

it('a difference of a source is forgotten when the chain no longer takes anything from the source', async () => {
  const days = createDays(30);
  const scene = createScene(days);
  await scene.collect('2026-07-31T06:15:00Z');
  days.set('2026-07-10', { ...usual(9), tx_count: '1500' });
  await scene.collect('2026-07-31T07:15:00Z');
  expect(scene.state().drifts).toHaveLength(1);
  const successor = createMemorySource(createDays(30), 'successor');
  const plan: ChainPlan = {
    chain: 'base',
    rules: DEFAULT_RULES.base,
    since: FIRST,
    checks: [],
    parts: [{ source: successor, metrics: metricsOf('base') }],
  };
  await scene.collect('2026-07-31T08:15:00Z', { plan });
  expect(scene.state().drifts).toEqual([]);
});
