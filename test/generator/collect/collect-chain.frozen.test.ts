import { createDays, createScene } from '../../support/collection/chain-scene.js';

/** A chain of 30 dates with `l1_fees_total` on all but the last one. */
async function createFrozenScene() {
  const days = createDays(30);
  const dates = [...days.keys()];
  const setFees = (date: string, fees: string): unknown =>
    days.set(date, { ...days.get(date), l1_fees_total: fees });
  dates.slice(0, -1).forEach((date) => setFees(date, '0.5'));
  const scene = createScene(days);
  await scene.collect('2026-07-31T06:15:00Z');
  return { scene, dates, setFees };
}

describe('a metric that its source recomputes over its whole history', () => {
  it('keeps its accepted values without a question, and missing ones are filled in', async () => {
    const { scene, dates, setFees } = await createFrozenScene();
    dates.forEach((date) => setFees(date, '0.501'));
    const { added } = await scene.collect('2026-07-31T07:15:00Z');
    expect(added).toMatchObject([
      { date: '2026-07-30', rule: 'fill-in', values: { l1_fees_total: '0.501' } },
    ]);
    expect(scene.state().drifts).toEqual([]);
    expect(scene.valuesOn('2026-07-29')?.l1_fees_total).toBe('0.5');
  });

  it('is revised where a person accepts it', async () => {
    const { scene, setFees } = await createFrozenScene();
    setFees('2026-07-10', '0.7');
    const accepted = { accepts: (date: string) => date === '2026-07-10', reason: 'recounted by the source' };
    const { added } = await scene.collect('2026-07-31T07:15:00Z', { accepted });
    expect(added).toMatchObject([{ date: '2026-07-10', rule: 'person', values: { l1_fees_total: '0.7' } }]);
  });
});
