import { createDays, createScene, usual } from '../../support/collection/chain-scene.js';

const DATE = '2026-07-30'; // number 29, whose tx_count is 1029

describe('small revisions one after the other', () => {
  it('are taken until the value is no longer within the tolerance of the one accepted first', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    for (const count of ['1036', '1039', '1042', '1045']) {
      days.set(DATE, { ...usual(29), tx_count: count });
      await scene.collect('2026-08-01T06:15:00Z');
    }
    expect(scene.valuesOn(DATE)?.tx_count).toBe('1039');
    expect(scene.state().drifts).toMatchObject([
      { date: DATE, metric: 'tx_count', from: '1039', to: '1045' },
    ]);
    days.set(DATE, { ...usual(29), tx_count: '1025' }); // 1.3 % from the value in force, 0.4 % from the first
    await scene.collect('2026-08-02T06:15:00Z');
    expect([scene.valuesOn(DATE)?.tx_count, scene.state().drifts]).toEqual(['1025', []]);
  });

  it('are compared with the value that a person accepted, if one did', async () => {
    const days = createDays(30);
    const scene = createScene(days);
    await scene.collect('2026-07-31T06:15:00Z');
    days.set(DATE, { ...usual(29), tx_count: '1100' });
    const accepted = { accepts: (date: string) => date === DATE, reason: 'recounted by the source' };
    await scene.collect('2026-08-01T06:15:00Z', { accepted });
    days.set(DATE, { ...usual(29), tx_count: '1110' });
    const { added } = await scene.collect('2026-08-01T07:15:00Z');
    expect(added).toMatchObject([{ date: DATE, rule: 'revision', values: { tx_count: '1110' } }]);
  });
});
