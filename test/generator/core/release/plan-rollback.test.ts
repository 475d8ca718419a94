import type { ManifestDate } from '../../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { rollBack } from '../../../support/release/operate.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { randomSeries } from '../../../support/release/random-series.js';
import { readCurrent, readManifests } from '../../../support/release/read-release.js';

const asOf = (hour: number): string => `2022-03-01T0${hour}:00:00Z`;

/** Publishes a series of `days` dates from 2022-01-01, and returns the revision. */
async function publish(store: ObjectStore, days: number, hour: number): Promise<string> {
  const inputs = [randomSeries({ chain: 'arbitrum', seed: 1, days })];
  return (await publishSeries(store, { inputs, asOf: asOf(hour) })).revision ?? '';
}

/** Returns the entries of a date in the manifests of the current release, by manifest. */
async function entriesOf(store: ObjectStore, date: string): Promise<Map<string, ManifestDate | undefined>> {
  const manifests = await readManifests(store, await readCurrent(store));
  return new Map([...manifests].map(([name, { dates }]) => [name, dates.find((each) => each.date === date)]));
}

it('leaves a date that an earlier rollback withdrew as it is, and does not count it again', async () => {
  const store = createMemoryStore();
  const three = await publish(store, 3, 1);
  const four = await publish(store, 4, 2);
  await publish(store, 5, 3);
  const first = await rollBack(store, { to: four, reason: 'a bad day', asOf: asOf(4) });
  const fifth = await entriesOf(store, '2022-01-05');
  expect([...fifth.values()].map((entry) => entry?.in_force_from)).toContain(first.revision);

  const second = await rollBack(store, { to: three, reason: 'another bad day', asOf: asOf(5) });
  expect(await entriesOf(store, '2022-01-05')).toEqual(fifth);
  expect(second.changes.chains.arbitrum).toMatchObject({
    withdrawn: { days: 1, first_date: '2022-01-04', last_date: '2022-01-04' },
  });
});
