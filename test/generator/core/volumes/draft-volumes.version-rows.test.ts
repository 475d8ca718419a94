import { recordsOf, toVersionRows } from '../../../../generator/core/volumes/draft-volumes.js';
import type { DayRecord } from '../../../../generator/core/records/day-writers.js';
import type { ManifestDate, MetaDay } from '../../../../schemas/types.generated.js';

const [R1, R2, R3, R4] = ['2024-02-01', '2024-02-02', '2024-02-03', '2024-02-04'].map(
  (day) => `${day}.000001`,
) as [string, string, string, string];
const REVISIONS = Object.fromEntries(
  [R1, R2, R3, R4].map((revision) => [
    revision,
    { updated_through: '2024-01-31', published_at: `${revision.slice(0, 10)}T06:00:00Z` },
  ]),
);
const reason = 'upstream';

function entryOf(date: string, parts: Partial<ManifestDate>): ManifestDate {
  return {
    date,
    sha256: 'new',
    bytes: 1,
    schema: 'gold-day/1',
    methodology_version: 'v1',
    revision: R1,
    in_force_from: R1,
    status: 'available',
    path: '/api/v1/files/x',
    superseded: [],
    ...parts,
  };
}

/** A record of which only these members are read. */
const recordOf = (status: MetaDay['status']): DayRecord => ({ status, methodology_version: 'v1' }) as MetaDay;

const rowsOf = (entry: ManifestDate, metaEntry = entry, records: Record<string, DayRecord> = {}) =>
  toVersionRows({
    entry,
    metaEntry,
    chain: 'base',
    revisions: REVISIONS,
    records: new Map(Object.entries({ new: recordOf('available'), old: recordOf('degraded'), ...records })),
  });

const superseded = [{ revision: R1, in_force_from: R1, sha256: 'old', bytes: 1, reason }];

it('each version is a row, in force until the next one', () => {
  const entry = entryOf('2024-01-31', { revision: R2, in_force_from: R2, superseded });
  expect(rowsOf(entry)).toMatchObject([
    { revision: R1, inForceFrom: R1, inForceUntil: R2, record: recordOf('degraded') },
    { revision: R2, inForceFrom: R2, inForceUntil: null, record: recordOf('available') },
  ]);
});

it('a version has a row for each status that its date had meanwhile', () => {
  const entry = entryOf('2024-01-31', { revision: R3, in_force_from: R3, superseded });
  const meta = entryOf('2024-01-31', {
    revision: R3,
    in_force_from: R3,
    superseded: [...superseded, { revision: R2, in_force_from: R2, sha256: 'between', bytes: 1, reason }],
  });
  const rows = rowsOf(entry, meta, { between: recordOf('missing') });
  expect(rows.map(({ inForceFrom, inForceUntil, status }) => [inForceFrom, inForceUntil, status])).toEqual([
    [R1, R2, 'degraded'],
    [R2, R3, 'missing'],
    [R3, null, 'available'],
  ]);
  expect(recordsOf({ entry, metaEntry: meta }).map(({ of, sha256 }) => `${of} ${sha256}`)).toEqual([
    'own old',
    'own new',
    'meta old',
    'meta between',
  ]);
});

it('a withdrawn date has a row without values from the revision on that withdrew it', () => {
  const withdrawn = entryOf('2024-01-31', {
    in_force_from: R2,
    status: 'withdrawn',
    sha256: 'old',
    superseded,
  });
  expect(rowsOf(withdrawn)).toMatchObject([
    { inForceFrom: R1, inForceUntil: R2, record: recordOf('degraded') },
    { inForceFrom: R2, inForceUntil: null, record: null, status: 'withdrawn' },
  ]);
  const back = entryOf('2024-01-31', {
    revision: R3,
    in_force_from: R3,
    superseded: [
      ...superseded,
      { ...superseded[0], in_force_from: R2, status: 'withdrawn' } as (typeof superseded)[0],
    ],
  });
  expect(rowsOf(back).map(({ status, record }) => [status, record === null])).toEqual([
    ['degraded', false],
    ['withdrawn', true],
    ['available', false],
  ]);
});

it('a version that was published more than seven days after its day is backfilled, a correction too', () => {
  const isBackfilled = (entry: ManifestDate): boolean[] => rowsOf(entry).map(({ backfilled }) => backfilled);
  expect(isBackfilled(entryOf('2024-01-25', {}))).toEqual([false]); // ended on the 26th, six days and six hours before
  expect(isBackfilled(entryOf('2024-01-24', {}))).toEqual([true]);
  const corrected = { revision: R2, in_force_from: R2, superseded };
  expect(isBackfilled(entryOf('2024-01-25', corrected))).toEqual([false, true]);
});
