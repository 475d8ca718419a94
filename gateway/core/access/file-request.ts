import {
  CHAIN_IDS,
  GENRES,
  VOLUME_FORMATS,
  VOLUME_GENRES,
  WINDOWS,
  type VolumeFormat,
  type VolumeGenre,
} from '../../../schemas/catalog.js';
import { parseDate } from '../../../schemas/dates.js';
import {
  archivePath,
  bundlePath,
  dayPath,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  volumePath,
} from '../../../schemas/paths.js';
import { isRevision } from '../../../schemas/revision.js';
import type { Chain, Genre, Window } from '../../../schemas/types.generated.js';
import { GatewayError } from '../problems.js';
import { explainInvalidPart, findInvalidPart } from './invalid-part.js';

/** A requested subscriber file. `revision` asks for a day file as of that revision; null asks for the current one. */
export type FileRequest =
  | { readonly kind: 'bundle'; readonly genre: Genre; readonly chain: Chain; readonly window: Window }
  | {
      readonly kind: 'volume';
      readonly genre: VolumeGenre;
      readonly chain: Chain;
      readonly period: string;
      readonly format: VolumeFormat;
    }
  | { readonly kind: 'manifest'; readonly genre: Genre; readonly chain: Chain }
  | { readonly kind: 'lineage-manifest'; readonly genre: 'gold'; readonly chain: Chain }
  | { readonly kind: 'lineage'; readonly genre: 'gold'; readonly chain: Chain; readonly date: string }
  | {
      readonly kind: 'day';
      readonly genre: Genre;
      readonly chain: Chain;
      readonly date: string;
      readonly revision: string | null;
    };

/** The form of the response: a redirect to the file, or a document with its URL. */
export type ResponseForm = 'redirect' | 'document';

/**
 * A parsed request. `form` is absent if the query does not set it. `volumes` asks for links to the volumes of a manifest,
 * which need a document.
 */
type ParsedFileRequest = {
  readonly file: FileRequest;
  readonly form?: ResponseForm;
  readonly volumes?: VolumeFormat;
};

const NO_FILE = 'No file has this path. Check the genre, chain, window and date against the API reference.';
const DAY = /^(.+)\/(\d{4}-\d{2}-\d{2})(\.lineage)?\.json$/;

/** All paths of bundles and manifests. They are looked up here instead of being parsed. */
const FILES: ReadonlyMap<string, FileRequest> = new Map([
  ...GENRES.flatMap((genre) => CHAIN_IDS.flatMap((chain) => requestEntries(genre, chain))),
  ...CHAIN_IDS.map((chain): [string, FileRequest] => [
    lineageManifestPath(chain),
    { kind: 'lineage-manifest', genre: 'gold', chain },
  ]),
]);

/** A year or a month, as the last part of a volume's path. */
const PERIOD = /\/(\d{4}(?:-(?:0[1-9]|1[0-2]))?)\.[a-z]+$/;

/** All paths of volumes, with `{period}` in place of the period. */
const VOLUMES: ReadonlyMap<string, Omit<Extract<FileRequest, { kind: 'volume' }>, 'period'>> = new Map(
  VOLUME_GENRES.flatMap((genre) =>
    CHAIN_IDS.flatMap((chain) =>
      VOLUME_FORMATS.map((format) => [
        volumePath(genre, chain, '{period}', format),
        { kind: 'volume' as const, genre, chain, format },
      ]),
    ),
  ),
);

/** The folders of day files. */
const ARCHIVES: ReadonlyMap<string, { readonly genre: Genre; readonly chain: Chain }> = new Map(
  GENRES.flatMap((genre) => CHAIN_IDS.map((chain) => [archivePath(genre, chain), { genre, chain }])),
);

function requestEntries(genre: Genre, chain: Chain): [string, FileRequest][] {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  return [
    [manifestPath(genre, chain), { kind: 'manifest', genre, chain }],
    ...windows.map((window): [string, FileRequest] => [
      bundlePath(genre, chain, window),
      { kind: 'bundle', genre, chain, window },
    ]),
  ];
}

/**
 * Parses a path and a raw query without its `?`. The path is compared with the paths that can exist, so that no part of
 * a request ever becomes part of a store key.
 * @throws GatewayError 'not-found' for a path that no file can have, 'request-malformed' for an invalid query.
 */
export function parseFileRequest(path: string, query: string): ParsedFileRequest {
  const file = FILES.get(path) ?? parseDay(path) ?? parseVolume(path);
  if (file === undefined) {
    const part = findInvalidPart(path);
    const detail = part === undefined ? NO_FILE : explainInvalidPart(part);
    throw new GatewayError('not-found', { detail });
  }
  if (query === '') return { file };
  return parseQuery(file, query);
}

function parseDay(path: string): FileRequest | undefined {
  const [, folder = '', date = '', lineage] = DAY.exec(path) ?? [];
  const archive = ARCHIVES.get(folder);
  if (archive === undefined || parseDate(date) === undefined) return undefined;
  const { genre, chain } = archive;
  if (lineage === undefined) return { kind: 'day', genre, chain, date, revision: null };
  return genre === 'gold' ? { kind: 'lineage', genre, chain, date } : undefined;
}

function parseVolume(path: string): FileRequest | undefined {
  const period = PERIOD.exec(path)?.[1];
  if (period === undefined) return undefined;
  const volume = VOLUMES.get(path.replace(`/${period}.`, '/{period}.'));
  return volume && { ...volume, period };
}

function parseQuery(file: FileRequest, query: string): ParsedFileRequest {
  let form: ResponseForm | undefined;
  let revision: string | undefined;
  let volumes: VolumeFormat | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'redirect' && form === undefined) form = parseForm(value);
    else if (name === 'revision' && revision === undefined && file.kind === 'day')
      revision = parseRevision(value);
    else if (name === 'volumes' && volumes === undefined && hasVolumes(file))
      volumes = parseVolumeFormat(value);
    else throw new GatewayError('request-malformed', { detail: explainParameter(name, file) });
  }
  if (volumes !== undefined) return { file, form: documentOf(form), volumes };
  return {
    file: revision === undefined || file.kind !== 'day' ? file : { ...file, revision },
    ...(form === undefined ? {} : { form }),
  };
}

function documentOf(form: ResponseForm | undefined): ResponseForm {
  if (form !== 'redirect') return 'document';
  throw new GatewayError('request-malformed', {
    detail: 'A redirect has no links to volumes. Leave out redirect=true.',
  });
}

/** Returns whether a file is a manifest that lists volumes. */
const hasVolumes = ({ kind, genre }: FileRequest): boolean =>
  kind === 'manifest' && VOLUME_GENRES.some((each) => each === genre);

function parseVolumeFormat(value: string): VolumeFormat {
  const format = VOLUME_FORMATS.find((each) => each === value);
  if (format !== undefined) return format;
  throw new GatewayError('request-malformed', {
    detail: `Invalid value for "volumes": use ${VOLUME_FORMATS.join(' or ')}.`,
  });
}

function parseForm(value: string): ResponseForm {
  if (value === 'true') return 'redirect';
  if (value === 'false') return 'document';
  throw new GatewayError('request-malformed', { detail: 'Invalid value for "redirect": use true or false.' });
}

function parseRevision(value: string): string {
  if (isRevision(value)) return value;
  throw new GatewayError('request-malformed', {
    detail: 'Invalid value for "revision": use a published revision, such as 2026-08-20.000001.',
  });
}

/** Explains why a parameter is not accepted, without its value, which may be a key. */
function explainParameter(name: string, file: FileRequest): string {
  if (/key|token|auth|secret/i.test(name)) {
    return 'Send the API key in the header Authorization, not in the URL: URLs are logged.';
  }
  if (name === 'redirect') return 'Send the parameter redirect only once.';
  if (name === 'volumes') {
    return hasVolumes(file)
      ? 'Send the parameter volumes only once.'
      : `Only the manifests of ${VOLUME_GENRES.slice(0, -1).join(', ')} and ${VOLUME_GENRES.at(-1)} accept the parameter volumes.`;
  }
  if (name !== 'revision')
    return 'Unknown parameter. Files accept redirect, day files also revision, and manifests also volumes.';
  return file.kind === 'day'
    ? 'Send the parameter revision only once.'
    : 'Only day files accept the parameter revision.';
}

/** Returns the path of a bundle, volume or manifest, as it is listed in the release. */
export function listedPathOf(file: Exclude<FileRequest, { kind: 'day' | 'lineage' }>): string {
  if (file.kind === 'lineage-manifest') return lineageManifestPath(file.chain);
  if (file.kind === 'volume') return volumePath(file.genre, file.chain, file.period, file.format);
  return file.kind === 'manifest'
    ? manifestPath(file.genre, file.chain)
    : bundlePath(file.genre, file.chain, file.window);
}

/** Returns the path of a file, without a query. */
export function pathOf(file: FileRequest): string {
  if (file.kind === 'lineage') return lineagePath(file.chain, file.date);
  return file.kind === 'day' ? dayPath(file.genre, file.chain, file.date) : listedPathOf(file);
}
