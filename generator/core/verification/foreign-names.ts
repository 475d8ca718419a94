import { dayPath, lineagePath, methodologyDataPath, methodologyTextPath } from '../../../schemas/paths.js';
import { isBundlePath, isManifestPath, isPublicPath } from '../../../schemas/release-paths.js';
import type { Chain, Contract, Genre, ManifestDate } from '../../../schemas/types.generated.js';
import type { SchemaName } from '../../../schemas/validate.js';
import { LINEAGE_SCHEMA } from '../draft/lineage-draft.js';
import { DAY_SCHEMAS } from '../records/day-writers.js';
import { listedFiles } from '../volumes/volume-files.js';

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
