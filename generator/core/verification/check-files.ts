import { CHAIN_IDS, GENRES, WINDOWS } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  bundlePath,
  calendarPath,
  dayPath,
  lineagePath,
  manifestPath,
  methodologyDataPath,
  methodologyTextPath,
  objectKey,
  PUBLIC_PATHS,
  volumePath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  Contract,
  Genre,
  Manifest,
  ManifestDate,
  MetaDay,
  ReleaseChanges,
  ReleaseRecord,
  Window,
} from '../../../schemas/types.generated.js';
import { changesFile, releaseFile } from '../artifacts/release-files.js';
import type { StoreFault } from '../store-fault.js';
import { listedFiles } from '../volumes/volume-files.js';
import { findSchemaFaults, type SchemaName, withoutFormerMembers } from '../../../schemas/validate.js';
import { DAY_SCHEMAS, type DayRecord, determinismHash } from '../records/day-writers.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { SCHEMAS } from '../../../schemas/schemas.generated.js';
import { isBundlePath, isManifestPath, isPublicPath } from '../../../schemas/release-paths.js';
import { LINEAGE_SCHEMA } from '../draft/lineages.js';

const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type

/** The fault of a file that a release must list, and does not. */
export const NOT_LISTED = 'is not listed in the release';

/** A release record and the manifests that could be read, by path. */
type ReleaseParts = {
  readonly record: ReleaseRecord;
  readonly manifests: ReadonlyMap<string, Manifest>;
};

/** Returns what is wrong with the record before `later`; `undefined` if nothing is. */
export function findLinkFault(record: ReleaseRecord, later: ReleaseRecord): string | undefined {
  const isInOrder = record.revision < later.revision && record.published_at <= later.published_at;
  const isNamed = record.revision === later.previous?.revision && record.sequence === later.sequence - 1;
  return isInOrder && isNamed ? undefined : `is not the direct predecessor of ${later.revision}`;
}

/** Returns what is wrong with the record at which a chain ends; `undefined` if nothing is. */
export function findFirstFault({ sequence }: ReleaseRecord): string | undefined {
  return sequence === 1 ? undefined : `is the first release of the chain, but has sequence ${sequence}`;
}

/** Returns the chains of which a release must have manifests. */
export function listedChains(record: ReleaseRecord): Chain[] {
  return CHAIN_IDS.filter(
    (chain) => manifestPath('meta', chain) in record.manifests || record.chains[chain] !== undefined,
  );
}

/** Returns the genres of which a release must have manifests. It has no briefs if it was published before they existed. */
export function listedGenres({ manifests, bundles }: ReleaseRecord, chain: Chain): Genre[] {
  const hasBriefs = windows.some((window) => bundlePath('briefs', chain, window) in bundles);
  return GENRES.filter((genre) => genre !== 'briefs' || hasBriefs || manifestPath(genre, chain) in manifests);
}

/** Returns the paths of the bundles that a release must have of the genre and chain of a manifest. */
export function listedBundles(record: ReleaseRecord, { genre, chain, dates }: Manifest): string[] {
  if (record.chains[chain] === undefined || dates.every(({ status }) => status === 'withdrawn')) return [];
  return windows.map((window) => bundlePath(genre, chain, window));
}

/** Returns the faults of a manifest of a genre and chain, compared with the release and its manifest of meta. */
export function checkListedManifest(
  { record, manifests }: ReleaseParts,
  manifest: Manifest,
  genre: Genre,
  chain: Chain,
): string[] {
  const meta = manifests.get(manifestPath('meta', manifest.chain));
  const inForce = record.chains[manifest.chain];
  const faults = [...checkManifest(manifest, genre, chain), ...checkListedVolumes(record, manifest)];
  if (meta !== undefined && meta !== manifest) faults.push(...compareManifests(meta, manifest));
  if (inForce !== undefined && manifest.updated_through !== inForce.updated_through)
    faults.push('updated_through differs from the release');
  if (inForce === undefined && manifest.dates.some(({ status }) => status !== 'withdrawn'))
    faults.push('has dates in force, but the release does not contain the chain');
  return faults;
}

/** Returns a fault for each volume that only the manifest or only the release lists, or with another digest. */
function checkListedVolumes({ bundles }: ReleaseRecord, { genre, chain, volumes = [] }: Manifest): string[] {
  const named = new Map(listedFiles(volumes).map(({ path, sha256 }) => [path, sha256]));
  const folder = volumePath(genre, chain, '', 'csv').replace('.csv', '');
  const listed = Object.keys(bundles).filter((path) => path.startsWith(folder));
  return [...new Set([...named.keys(), ...listed])]
    .filter((path) => named.get(path) !== bundles[path]?.sha256)
    .map((path) => `${path} is not the same in the release`);
}

/** Returns a fault for each file that the release must list and does not, and for each faulty manifest. */
export function checkListing(parts: ReleaseParts): StoreFault[] {
  const { record, manifests } = parts;
  const unlisted = (path: string): StoreFault => ({ key: path, message: NOT_LISTED });
  return listedChains(record).flatMap((chain) =>
    listedGenres(record, chain).flatMap((genre): StoreFault[] => {
      const path = manifestPath(genre, chain);
      const manifest = manifests.get(path);
      if (manifest === undefined) return [unlisted(path)];
      const key = objectKey(record.manifests[path]?.sha256 ?? '');
      const wrong = checkListedManifest(parts, manifest, genre, chain);
      const isInForce = manifest.dates.some(({ status }) => status !== 'withdrawn');
      const calendar = genre === 'meta' && isInForce ? [calendarPath(chain)] : [];
      return [
        ...wrong.map((message) => ({ key, message: `${path}: ${message}` })),
        ...listedBundles(record, manifest)
          .filter((bundle) => !(bundle in record.bundles))
          .map(unlisted),
        ...calendar.filter((each) => !(each in record.public)).map(unlisted),
      ];
    }),
  );
}

/** Returns the faults of the public lists of files and of changes, compared with the release records. */
export function checkIndexes(record: ReleaseRecord, changes: readonly ReleaseChanges[]): StoreFault[] {
  const { version } = record.methodology;
  const { revision, sequence, published_at: publishedAt } = record;
  const { [PUBLIC_PATHS.release]: _itself, ...others } = record.public;
  const files = Object.entries(others).map(([path, { sha256, bytes, type }]) => ({
    path,
    sha256,
    bytes,
    type,
  }));
  return [releaseFile(files, version), changesFile(undefined, changes, version)].flatMap((file) => {
    const entry = record.public[file.path];
    const { text } = file.content({ revision, sequence, publishedAt });
    if (entry === undefined) return [{ key: file.path, message: NOT_LISTED }];
    if (entry.sha256 === sha256Hex(text)) return [];
    const message = `${file.path}: does not match the release records`;
    return [{ key: objectKey(entry.sha256), message }];
  });
}

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
function checkManifest(manifest: Manifest, genre: Genre, chain: Chain): string[] {
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
function compareManifests(first: Manifest, other: Manifest): string[] {
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

/** Expectations about a document. `schema` is absent for plain text, and for JSON of the schema that it names itself. */
export type DocumentOptions = {
  readonly sha256: string;
  readonly bytes?: number;
  readonly schema?: SchemaName;
};

/** A document that was read back: its value when it is JSON, and its faults. */
export type CheckedDocument = { readonly value?: unknown; readonly faults: readonly string[] };

/** Checks the bytes of a JSON document: size, digest, schema and RFC 8785 form. */
export function checkJsonDocument(body: Uint8Array, options: DocumentOptions): CheckedDocument {
  const faults = checkBytes(body, options);
  if (faults.length > 0) return { faults };
  const text = Buffer.from(body).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not JSON'] };
  }
  const schema = options.schema ?? namedSchema(value);
  faults.push(...(isSchema(schema) ? checkSchema(schema, value) : [`names an unknown schema: ${schema}`]));
  if (!isCanonical(value, text)) faults.push('is not in its RFC 8785 form');
  return { value, faults };
}

/** Returns the name of the schema that a document names. An OpenAPI document names none. */
function namedSchema(document: unknown): string {
  const { schema, openapi } = Object(document) as { schema?: unknown; openapi?: unknown }; // any document
  if (openapi !== undefined) return 'openapi';
  return typeof schema === 'string' ? (schema.split('/')[0] ?? '') : typeof schema;
}

function isSchema(name: string): name is SchemaName {
  return Object.hasOwn(SCHEMAS, name);
}

function checkSchema(schema: SchemaName, value: unknown): readonly string[] {
  const [fault] = findSchemaFaults(schema, withoutFormerMembers(schema, value));
  if (fault) return [`violates schema ${schema} at ${fault.pointer || '/'}: ${fault.message}`];
  // The names in a manifest depend on its genre and chain: checkListedManifest judges them.
  return schema === 'manifest' ? [] : findForeignNames(schema, value as never); // checked just above
}

/** Returns the faults of the bytes of a file. Of one that is too large, `body` may be the beginning. */
export function checkBytes(body: Uint8Array, { sha256, bytes }: DocumentOptions): string[] {
  const faults: string[] = [];
  if (bytes !== undefined && body.length > bytes) return [`has more than the ${bytes} bytes listed`];
  if (bytes !== undefined && body.length !== bytes)
    faults.push(`has ${body.length} bytes, not the ${bytes} listed`);
  const found = sha256Hex(body);
  if (found !== sha256) faults.push(`has digest ${found}, not the ${sha256} listed`);
  return faults;
}

function isCanonical(value: unknown, text: string): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    return false; // a number that has no exact JSON form, or nesting that is too deep
  }
}

type Judge<N extends SchemaName> = (document: NonNullable<Contract[N]>) => readonly string[];

/** The documents that name paths, and their judges. */
const JUDGES: { readonly [N in SchemaName]?: Judge<N> } = {
  'release-record': (record) => [
    ...foreignPaths(Object.keys(record.public), isPublicPath),
    ...foreignPaths(Object.keys(record.bundles), isBundlePath),
    ...foreignPaths(Object.keys(record.manifests), isManifestPath),
  ],
  'site-files': ({ files }) => foreignPaths(Object.keys(files), isPublicPath),
  manifest: ({ genre, chain, dates, volumes = [] }) => [
    ...foreignPaths(
      listedFiles(volumes).map(({ path }) => path),
      isBundlePath,
    ),
    ...dates.flatMap(({ date, path, schema }) => [
      ...(schema === LINEAGE_SCHEMA && genre === 'gold' && path === lineagePath(chain, date)
        ? []
        : foreignDay(genre, chain, { date, path, schema })),
    ]),
  ],
  release: ({ files }) =>
    foreignPaths(
      files.map(({ path }) => path),
      isPublicPath,
    ),
  'methodology-versions': ({ versions }) =>
    versions.flatMap(({ version, path, text_path }) => [
      ...foreignPaths([path], (each) => each === methodologyDataPath(version)),
      ...foreignPaths([text_path], (each) => each === methodologyTextPath(version)),
    ]),
  'meta-day': ({ methodology: { version, path } }) =>
    foreignPaths([path], (each) => each === methodologyDataPath(version)),
};

/** Returns a fault for each path and day schema in a schema-valid document that no release can have there. */
export function findForeignNames<N extends SchemaName>(
  schema: N,
  document: NonNullable<Contract[N]>,
): readonly string[] {
  return JUDGES[schema]?.(document) ?? [];
}

/** Returns whether day files of a genre can have this schema, such as `gold-day/1`. */
export function isDaySchema(genre: Genre, schema: string): boolean {
  const [name, newest] = DAY_SCHEMAS[genre].split('/');
  const [found, number] = schema.split('/');
  return found === name && Number(number) <= Number(newest);
}

function foreignDay(
  genre: Genre,
  chain: Chain,
  { date, path, schema }: Pick<ManifestDate, 'date' | 'path' | 'schema'>,
): string[] {
  return [
    ...(path === dayPath(genre, chain, date) ? [] : [`${date} has the wrong path ${path}`]),
    ...(isDaySchema(genre, schema) ? [] : [`${date} has the wrong schema ${schema}`]),
  ];
}

function foreignPaths(paths: readonly string[], isKnown: (path: string) => boolean): string[] {
  return paths
    .filter((path) => !isKnown(path))
    .map((path) => `names ${path}, which no release can have there unless a newer generator published it`);
}
