import { addDays } from '../../../schemas/dates.js';
import { FIRST, createDays, createScene, usual } from '../../support/collection/chain-scene.js';

describe('a collection that finds accepted values changed', () => {
  it('takes a small change while the source settles, keeps a large or late one, and continues with new days', async () => {
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

  it('takes nothing of a history that shifted, also if its dates change one after the other', async () => {
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

  it('takes neither a zero nor the noise of floating-point numbers for a change of an accepted value', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-20', { ...usual(19), active_addresses: '0', fees_total: '1000.2000000000001' });
    const found = await scene.collect('2026-07-31T07:15:00Z');
    expect([found.added, scene.state().drifts]).toEqual([[], []]);
  });

  it('reports a value that became far too large, instead of ignoring it', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-30', { ...usual(29), tx_count: '999999' });
    await scene.collect('2026-07-31T07:15:00Z');
    expect(scene.state().drifts).toMatchObject([{ date: '2026-07-30', metric: 'tx_count', to: '999999' }]);
  });
});
