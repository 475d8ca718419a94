import { CHAIN_IDS, GENRES, WINDOWS } from '../../schemas/catalog.js';
import { parseDate } from '../../schemas/dates.js';
import { bundlePath, dayPath, FILES_PATH, manifestPath } from '../../schemas/paths.js';
import { isRevision } from '../../schemas/revision.js';
import type { Chain, Genre, Window } from '../../schemas/types.generated.js';
import { GatewayError } from './problems.js';

/** What a subscriber asks for. A day file's `revision` asks for what the date said as of it; null: what it says now. */
export type FileRequest =
  | { readonly kind: 'bundle'; readonly genre: Genre; readonly chain: Chain; readonly window: Window }
  | { readonly kind: 'manifest'; readonly genre: Genre; readonly chain: Chain }
  | {
      readonly kind: 'day';
      readonly genre: Genre;
      readonly chain: Chain;
      readonly date: string;
      readonly revision: string | null;
    };

/** How the answer shall come: as a redirect to the file, or as a document with its URL. */
export type AnswerForm = 'redirect' | 'document';

/** A request for a subscriber file. `form` is absent where the query does not say it. */
export type ParsedFileRequest = { readonly file: FileRequest; readonly form?: AnswerForm };

const DAY = /^(.+)\/(\d{4}-\d{2}-\d{2})\.json$/;

/** Every path that a genre and chain has, days apart. It is looked up, never taken apart. */
const FILES: ReadonlyMap<string, FileRequest> = new Map(
  GENRES.flatMap((genre) => CHAIN_IDS.flatMap((chain) => listFiles(genre, chain))),
);

/** The folders of day files. */
const ARCHIVES: ReadonlyMap<string, { readonly genre: Genre; readonly chain: Chain }> = new Map(
  GENRES.flatMap((genre) =>
    CHAIN_IDS.map((chain) => [manifestPath(genre, chain).replace(/\/manifest\.json$/, ''), { genre, chain }]),
  ),
);

function listFiles(genre: Genre, chain: Chain): [string, FileRequest][] {
  const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
  return [
    [manifestPath(genre, chain), { kind: 'manifest', genre, chain }],
    ...windows.map((window): [string, FileRequest] => [
      bundlePath(genre, chain, window),
      { kind: 'bundle', genre, chain, window },
    ]),
  ];
}

/**
 * What is asked for by a path and a raw query without its `?`. The path is compared with those that exist, so that no
 * text of a request ever becomes a part of a key.
 * @throws GatewayError 'not-found' for a path that no file can have, 'request-malformed' for a query that is not known.
 */
export function parseFileRequest(path: string, query: string): ParsedFileRequest {
  const file = FILES.get(path) ?? parseDay(path);
  if (file === undefined)
    throw new GatewayError('not-found', { detail: `no file has this path below ${FILES_PATH}` });
  if (query === '') return { file };
  return parseQuery(file, query);
}

function parseDay(path: string): FileRequest | undefined {
  const [, folder = '', date = ''] = DAY.exec(path) ?? [];
  const archive = ARCHIVES.get(folder);
  if (archive === undefined || parseDate(date) === undefined) return undefined;
  return { kind: 'day', ...archive, date, revision: null };
}

function parseQuery(file: FileRequest, query: string): ParsedFileRequest {
  let form: AnswerForm | undefined;
  let revision: string | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'redirect' && form === undefined) form = parseForm(value);
    else if (name === 'revision' && revision === undefined && file.kind === 'day')
      revision = parseRevision(value);
    else throw new GatewayError('request-malformed', { detail: explainParameter(name, file) });
  }
  return {
    file: revision === undefined || file.kind !== 'day' ? file : { ...file, revision },
    ...(form === undefined ? {} : { form }),
  };
}

function parseForm(value: string): AnswerForm {
  if (value === 'true') return 'redirect';
  if (value === 'false') return 'document';
  throw new GatewayError('request-malformed', { detail: 'the parameter redirect is true or false' });
}

function parseRevision(value: string): string {
  if (isRevision(value)) return value;
  throw new GatewayError('request-malformed', {
    detail: 'the parameter revision is a published revision, such as 2026-08-20.000001',
  });
}

/** Why a parameter was not taken. Its value is not repeated: it may be a key. */
function explainParameter(name: string, file: FileRequest): string {
  if (/key|token|auth|secret/i.test(name)) {
    return 'an API key belongs in the header X-API-Key, never in the address: addresses are kept in logs';
  }
  if (name === 'redirect') return 'the parameter redirect was given twice';
  if (name !== 'revision') return 'a file takes no other parameter than redirect, and a day file revision';
  return file.kind === 'day'
    ? 'the parameter revision was given twice'
    : 'only a day file takes the parameter revision';
}

/** The path of a bundle or manifest, as the release lists it. */
export function pathOf(file: Exclude<FileRequest, { kind: 'day' }>): string {
  return file.kind === 'manifest'
    ? manifestPath(file.genre, file.chain)
    : bundlePath(file.genre, file.chain, file.window);
}

/** The path of a file, without what the query says. */
export function urlPathOf(file: FileRequest): string {
  return file.kind === 'day' ? dayPath(file.genre, file.chain, file.date) : pathOf(file);
}
