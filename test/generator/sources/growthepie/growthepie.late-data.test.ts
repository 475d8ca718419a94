import { replyStatus } from '../../../support/sources/fake-service.js';
import { createReads } from '../../../support/sources/growthepie-reads.js';
import {
  LAST,
  startGrowthepieScene,
  toJson,
  type GrowthepieScene,
} from '../../../support/sources/growthepie-scene.js';

describe('growthepie, when the data are late or revised', () => {
  let scene: GrowthepieScene;
  beforeEach(async () => {
    scene = await startGrowthepieScene();
  });
  afterEach(() => scene.service.dispose());
  const { days, day, valuesOf, failureOf } = createReads(() => scene);

  it('leaves out a metric whose newest value is null or has no row', async () => {
    scene.row('daa', 'daa', 'base', LAST).value = 'null';
    scene.exports.fees?.splice(
      scene.exports.fees.indexOf(scene.row('fees', 'fees_paid_eth', 'base', LAST)),
      1,
    );
    const { values } = await day('base', LAST);
    expect(Object.keys(values)).toEqual(['tx_count', 'fee_median', 'l1_fees_total', 'gas_used']);
  });

  it('gives another mark when the late metric arrives', async () => {
    const row = scene.row('daa', 'daa', 'base', LAST);
    const { value } = row;
    row.value = 'null';
    const [before, marks] = [await valuesOf('base'), await days('base')];
    row.value = value;
    scene.update();
    expect(changed(before, await valuesOf('base'))).toEqual([LAST]);
    expect(changed(marks, await days('base'))).toContain(LAST);
  });

  it('does not have a date yet on which every value is null, or that has no row', async () => {
    scene.row('txcount', 'txcount', 'ethereum', LAST).value = 'null';
    await expect(day('ethereum', LAST)).rejects.toMatchObject({ code: 'not-yet' });
    await expect(day('ethereum', '2026-03-14')).rejects.toMatchObject({ code: 'not-yet' });
  });

  it.each([
    ['arbitrum', 'rent_paid', 'l1_fees_total'],
    ['base', 'throughput', 'gas_used'],
  ] as const)(
    'leaves out a metric of %s that is not required while %s is missing',
    async (chain, id, metric) => {
      const whole = await day(chain, LAST);
      scene.replace(`/v1/export/${id}.json`, replyStatus(404));
      const { values, evidence } = await day(chain, LAST);
      expect(values).toEqual({ ...whole.values, [metric]: undefined });
      expect(JSON.stringify(evidence)).not.toContain(id);
    },
  );

  it('leaves out a metric that is not required while its export lacks the chain', async () => {
    const rows = scene.exports.rent_paid ?? [];
    scene.replace('/v1/export/rent_paid.json', toJson(rows.filter(({ origin }) => origin !== 'base')));
    expect((await day('base', LAST)).values.l1_fees_total).toBeUndefined();
    expect((await day('arbitrum', LAST)).values.l1_fees_total).toMatch(/^10\./);
  });

  it('gives the dates of half an export, and the others without its metric', async () => {
    const rows = scene.exports.daa ?? [];
    scene.replace(
      '/v1/export/daa.json',
      toJson(rows.slice(0, rows.indexOf(scene.row('daa', 'daa', 'base', LAST)))),
    );
    expect((await valuesOf('base')).size).toBe(12);
    expect((await day('base', '2026-03-25')).values.active_addresses).toBe('2025225');
    expect((await day('base', LAST)).values.active_addresses).toBeUndefined();
  });

  it('keeps a false zero, which a rule judges later', async () => {
    scene.row('fees', 'fees_paid_eth', 'base', LAST).value = '0.0';
    expect((await day('base', LAST)).values.fees_total).toBe('0');
  });

  it('gives the revised values of a week, and of a whole history', async () => {
    const before = await valuesOf('arbitrum');
    for (const row of scene.exports.fees ?? []) if (row.date >= '2026-03-20') row.value = `1${row.value}`;
    const week = await valuesOf('arbitrum');
    expect(changed(before, week)).toEqual(
      ['20', '21', '22', '23', '24', '25', '26'].map((d) => `2026-03-${d}`),
    );
    for (const row of scene.exports.rent_paid ?? []) row.value = `2${row.value}`;
    expect(changed(week, await valuesOf('arbitrum'))).toHaveLength(12);
  });

  it('gives the same values when only dollars, other chains or the spelling of a number change', async () => {
    const before = await valuesOf('arbitrum');
    for (const row of Object.values(scene.exports).flat()) {
      if (row.key.endsWith('_usd') || row.origin === 'optimism') row.value = '-1';
      else if (row.key === 'txcount') row.value = row.value.replace('.0', '');
    }
    expect(await valuesOf('arbitrum')).toEqual(before);
  });

  it('does not have the date of the last update, which has not ended', async () => {
    scene.master.last_updated_utc = '2026-03-26 23:59:59';
    const dates = [...(await days('base')).keys()];
    expect(dates.at(-1)).toBe('2026-03-25');
    await expect(day('base', LAST)).rejects.toMatchObject({ code: 'not-yet' });
  });

  it('has no day while the last update is more than 36 hours ago', async () => {
    scene.master.last_updated_utc = '2026-03-25 18:15:00';
    expect((await days('base')).size).toBe(10);
    scene.master.last_updated_utc = '2026-03-25 18:14:59';
    expect(await failureOf('base')).toMatchObject({ code: 'not-yet' });
  });
});

/** Returns the dates whose mark or values differ. */
function changed(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const textOf = (value: unknown): string => JSON.stringify(value ?? null);
  return [...after.keys()].filter((date) => textOf(before.get(date)) !== textOf(after.get(date)));
}
