import type { VolumeGenre } from '../../../schemas/catalog.js';
import type { Chain, DerivedDay, GoldDay, MetaDay, Methodology } from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';
import { texts, type Column, type VersionRow } from './column.js';
import { metaColumns } from './meta-columns.js';
import { derivedColumns, goldColumns } from './metric-columns.js';

/** The columns of every volume that come first. */
const IDENTITY: readonly Column<VersionRow>[] = [
  {
    ...{ name: 'date', type: 'date', required: true },
    description: 'UTC day, the half-open interval [00:00, 24:00).',
    read: ({ date }) => date,
  },
  required('chain', 'Chain; with date the join key.', ({ chain }) => chain),
];

/** The columns of every volume that come last. */
const PROVENANCE: readonly Column<VersionRow>[] = [
  required('status', 'Status of the date. Rows of withdrawn dates have no values.', ({ status }) => status),
  {
    ...{ name: 'backfilled', type: 'boolean', required: true },
    description: 'True for values that were published more than seven days after their day.',
    read: ({ backfilled }) => backfilled,
  },
  required(
    'methodology_version',
    'Version of the methodology.',
    ({ methodologyVersion }) => methodologyVersion,
  ),
  required('published_revision', 'Revision that published the values.', ({ revision }) => revision),
  required('in_force_from', 'Revision from which the row holds.', ({ inForceFrom }) => inForceFrom),
  texts(
    'in_force_until',
    'Revision that ended it; empty if it still holds.',
    ({ inForceUntil }) => inForceUntil,
  ),
];

function required(name: string, description: string, read: Column<VersionRow>['read']): Column<VersionRow> {
  return { ...texts(name, description, read), required: true };
}

/** Returns the columns of the volumes of a genre and chain, in order. */
export function columnsOf(genre: VolumeGenre, chain: Chain, methodology: Methodology): Column<VersionRow>[] {
  return [...IDENTITY, ...recordColumns(genre, chain, methodology), ...PROVENANCE];
}

function recordColumns(genre: VolumeGenre, chain: Chain, methodology: Methodology): Column<VersionRow>[] {
  switch (genre) {
    case 'meta':
      return metaColumns(chain, methodology).map(ofRecord<MetaDay>);
    case 'gold':
      return goldColumns(chain).map(ofRecord<GoldDay>);
    case 'derived':
      return derivedColumns(chain, methodology).map(ofRecord<DerivedDay>);
  }
}

/** Returns a column of a record as a column of its versions. */
function ofRecord<R extends DayRecord>({ read, ...column }: Column<R>): Column<VersionRow> {
  return { ...column, read: ({ record }) => (record === null ? null : read(record as R)) }; // all records of a volume have its genre
}
