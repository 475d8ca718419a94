import type { Chain, Genre, Manifest, ManifestDate, MetaDay } from '../../../schemas/types.generated.js';
import { dayPath } from '../../../schemas/paths.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { determinismHash } from '../records/meta-day.js';
import { DAY_SCHEMAS, type DayRecord } from '../records/day-writers.js';
import { isDaySchema } from './foreign-names.js';

/** The name of a schema of day files. */
type DaySchema = SchemaName & `${string}-day`;

export function daySchemaOf(genre: Genre): DaySchema {
  return DAY_SCHEMAS[genre].split('/')[0] as DaySchema; // a day schema's id is its name and number
}

/**
 * Returns the faults of a schema-valid day file compared with the manifest that lists it. `revision` is that of the entry
 * or of one of its superseded versions.
 */
export function checkDay(
  record: DayRecord,
  entry: ManifestDate,
  revision: string,
  manifest: Manifest,
): string[] {
  const faults: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown): void => {
    if (found !== expected)
      faults.push(`${what} is ${String(found)}, but ${String(expected)} in the manifest`);
  };
  expect('chain', record.chain, manifest.chain);
  expect('date', record.date, entry.date);
  expect('schema', record.schema, entry.schema);
  expect('published_revision', record.published_revision, revision);
  expect('updated_through', record.updated_through, manifest.revisions[revision]?.updated_through);
  if (record.schema === 'meta-day/1') faults.push(...checkMetaDay(record, entry, revision));
  return faults;
}

function checkMetaDay(record: MetaDay, entry: ManifestDate, revision: string): string[] {
  const faults: string[] = [];
  const hash = determinismHash(record);
  if (hash !== record.regime.determinism_hash) {
    faults.push(
      `determinism_hash is ${record.regime.determinism_hash}, but the hash of the record is ${hash}`,
    );
  }
  if (revision === entry.revision && entry.status !== 'withdrawn' && record.status !== entry.status) {
    faults.push(`status is ${record.status}, but ${entry.status} in the manifest`);
  }
  return faults;
}

/** Returns the faults of a manifest on its own. */
export function checkManifest(manifest: Manifest, genre: Genre, chain: Chain): string[] {
  const faults: string[] = [];
  if (manifest.genre !== genre || manifest.chain !== chain) {
    faults.push(`is the manifest of ${manifest.genre} ${manifest.chain}, not of ${genre} ${chain}`);
  }
  manifest.dates.forEach((entry, i) => {
    const before = manifest.dates[i - 1];
    if (before !== undefined && before.date >= entry.date)
      faults.push(`dates do not ascend at ${entry.date}`);
    if (entry.path !== dayPath(genre, chain, entry.date))
      faults.push(`${entry.date} has the wrong path ${entry.path}`);
    if (!isDaySchema(genre, entry.schema)) faults.push(`${entry.date} has the wrong schema ${entry.schema}`);
    for (const revision of [entry, ...entry.superseded].flatMap((each) => [
      each.revision,
      each.in_force_from,
    ])) {
      if (manifest.revisions[revision] === undefined)
        faults.push(`${entry.date} names the unknown revision ${revision}`);
    }
  });
  const last = manifest.dates.findLast((entry) => entry.status !== 'withdrawn')?.date;
  // No date is in force after a rollback of the whole chain; only briefs can be withdrawn on their own.
  const isStale = genre === 'briefs' && last !== undefined && last < manifest.updated_through;
  if (last !== undefined && last !== manifest.updated_through && !isStale) {
    faults.push(`updated_through is ${manifest.updated_through}, but the last date is ${last}`);
  }
  return faults;
}

/**
 * Returns the faults between the manifests of a chain: they must list the same dates with the same status. Only a
 * brief can be withdrawn on its own, after a rollback to a release without briefs.
 */
export function compareManifests(first: Manifest, other: Manifest): string[] {
  const listed = (manifest: Manifest): Map<string, string> =>
    new Map(manifest.dates.map((entry) => [entry.date, entry.status]));
  const expected = listed(first);
  const found = listed(other);
  const faults: string[] = [];
  for (const date of [...new Set([...expected.keys(), ...found.keys()])].sort()) {
    const isStale = other.genre === 'briefs' && found.get(date) === 'withdrawn';
    if (expected.get(date) !== found.get(date) && !(isStale && expected.has(date))) {
      faults.push(
        `${date} is ${found.get(date) ?? 'absent'}, but ${expected.get(date) ?? 'absent'} in ${first.genre}`,
      );
    }
  }
  return faults;
}
