import Handlebars from 'handlebars';
import { GENRES, CHAIN_IDS } from '../../../schemas/catalog.js';
import { ACCOUNT_PATHS, bundlePath, FILES_PATH, manifestPath, PAGE_PATHS } from '../../../schemas/paths.js';
import { isRevision } from '../../../schemas/revision.js';
import type { Site } from '../../../schemas/types.generated.js';
import { findInvalidPart } from '../access/invalid-part.js';
import { PROBLEMS, type ProblemCode, type ProblemDocument } from '../problems.js';
import { toFrame } from './page-frame.js';
import leven from 'leven';

/** A problem, and the request that it answers. */
export type ErrorFacts = {
  readonly problem: ProblemDocument;
  /** The path as the client sent it. */
  readonly path: string;
  /** The query as the client sent it. */
  readonly query: string;
  /** True if the same request can succeed later. */
  readonly canRetry: boolean;
  /** The origin of the gateway, for a command; without it there is none. */
  readonly origin: string | undefined;
  /** The site of the current release, if it has one. */
  readonly site: Site | undefined;
  /** Paths of public files and pages. */
  readonly publicPaths: ReadonlySet<string>;
};

/** Content-Security-Policy of an error page: it has no script. */
export const ERROR_POLICY =
  "default-src 'none';style-src 'self';img-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'";

/** Number of letters of a path that the page shows. */
const MAX_SHOWN = 120;
const MAX_SUGGESTIONS = 3;

/** Problems of a key, for which a browser that opens a link is the likely cause. */
const KEY_PROBLEMS: ReadonlySet<ProblemCode> = new Set([
  'api-key-missing',
  'api-key-invalid',
  'not-entitled',
  'subscription-inactive',
]);

/** Problems of which the command with a key is the remedy. */
const WITHOUT_KEY: ReadonlySet<ProblemCode> = new Set(['api-key-missing', 'api-key-invalid']);

/** Problems that the account page can solve. */
const ACCOUNT_PROBLEMS: ReadonlySet<ProblemCode> = new Set([
  ...KEY_PROBLEMS,
  'session-invalid',
  'key-limit-reached',
  'already-subscribed',
]);

/** Paths of subscriber files to suggest. */
const FILE_PATHS: readonly string[] = GENRES.flatMap((genre) =>
  CHAIN_IDS.flatMap((chain) => [manifestPath(genre, chain), bundlePath(genre, chain, 'latest')]),
);

/** Returns the function that renders the page of a problem. Every value is escaped. @throws Error for an invalid template */
export function compileErrorPage(source: string, stylesheet: string): (facts: ErrorFacts) => string {
  const template = Handlebars.create().compile<object>(source, { strict: true, knownHelpersOnly: true });
  return (facts) => template({ ...toErrorView(facts), site: { ...toFrame(facts.site), stylesheet } });
}

/** Returns the variables of the template. An optional part is a list of at most one. */
export function toErrorView(facts: ErrorFacts) {
  const { problem, path, query, canRetry, origin } = facts;
  const { code, status, title, detail, instance, type } = problem;
  const { meaning, remedy } = PROBLEMS[code];
  const isLinkToFile = path.startsWith(`${FILES_PATH}/`) && WITHOUT_KEY.has(code);
  const actions = [
    ...(canRetry ? [{ name: 'Try again', href: '' }] : []), // the address of the page itself
    ...(ACCOUNT_PROBLEMS.has(code) ? [{ name: 'Open the account page', href: ACCOUNT_PATHS.page }] : []),
    ...(code === 'not-found' ? [{ name: 'See the chains', href: PAGE_PATHS.front }] : []),
    { name: 'Read the documentation', href: PAGE_PATHS.docs },
  ];
  return {
    status,
    title,
    code,
    page: type,
    instance,
    remedy,
    meaning: PLAIN_MEANINGS[code] ?? toPlainWords(meaning),
    detail: detail === meaning ? [] : [detail],
    path: shorten(path),
    actions: actions.map((action, i) => ({ ...action, look: i === 0 ? 'button' : 'button plain' })),
    download: isLinkToFile && origin !== undefined ? [{ command: toCommand(origin, path, query) }] : [],
    ...(code === 'not-found' ? suggest(facts) : { parts: [], nearest: [] }),
  };
}

/** Returns the values that the path can have in the place of an invalid one, or the paths that are most like it. */
function suggest({ path, publicPaths }: ErrorFacts) {
  const part = findInvalidPart(path);
  if (part !== undefined) {
    const exists = (each: string): boolean => publicPaths.has(each) || each.startsWith(`${FILES_PATH}/`);
    const known = part.values.filter((value) => exists(value.path));
    if (known.length > 0) return { parts: [{ name: part.name, values: known }], nearest: [] };
  }
  const found = nearestPaths(path, [...publicPaths, ...FILE_PATHS, ACCOUNT_PATHS.page], MAX_SUGGESTIONS);
  return { parts: [], nearest: found.length > 0 ? [{ paths: found.map((each) => ({ path: each })) }] : [] };
}

/**
 * Returns the command that downloads a file. curl sends `Authorization` to no other host, so the key reaches only the gateway.
 * The path of a link that somebody else wrote must not end the quotes and run as a command.
 */
function toCommand(origin: string, path: string, query: string): string {
  const [name, value = ''] = query.split('=');
  const revision = name === 'revision' && isRevision(value) ? `?${name}=${value}` : '';
  return `curl -sSL --fail-with-body -H "Authorization: Bearer $CRD_API_KEY" '${origin}${path.replaceAll("'", '%27')}${revision}'`;
}

/** What a problem means to a person with a browser, where programs need other words. */
const PLAIN_MEANINGS: { readonly [code in ProblemCode]?: string } = {
  'not-found': 'Nothing is published at this address.',
};

/** Omits sentences about members of the JSON document, and about the header whose value the detail gives. */
function toPlainWords(meaning: string): string {
  const plain = meaning.split(/(?<=\.) /).filter((sentence) => !/`|Retry-After/.test(sentence));
  return plain.join(' ');
}

function shorten(path: string): string {
  return path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
}

/** Longer paths are compared by their beginning, so that a hostile one costs no more than a long one of ours. */
const MAX_LENGTH = 100;
const MAX_DISTANCE = 8;
/** Distance of the right name in another folder. */
const FOLDER_DISTANCE = 2;

/**
 * Returns the `count` paths of `known` that are most like `path`, the nearest first: by the number of letters to change, to
 * add or to remove (Levenshtein distance), in the whole path or in its last part. Paths that share little with it are
 * omitted.
 */
export function nearestPaths(path: string, known: Iterable<string>, count: number): string[] {
  const wanted = normalize(path);
  const name = lastPart(wanted);
  const ranked: { readonly path: string; readonly distance: number }[] = [];
  for (const each of known) {
    const distance = Math.min(
      boundedDistance(wanted, normalize(each), limitFor(wanted)),
      FOLDER_DISTANCE + boundedDistance(name, lastPart(normalize(each)), limitFor(name) - 1),
    );
    if (distance < Infinity) ranked.push({ path: each, distance });
  }
  return ranked
    .sort((one, other) => one.distance - other.distance || one.path.length - other.path.length)
    .slice(0, count)
    .map((each) => each.path);
}

/** A third of a text may differ, but no more than a few letters of a long one. */
function limitFor(text: string): number {
  return Math.min(Math.ceil(text.length / 3), MAX_DISTANCE);
}

function normalize(path: string): string {
  return path
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/\.html?$/, '')
    .replace(/\/$/, '');
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the Levenshtein distance of two texts, or `Infinity` if it is more than `limit`. */
function boundedDistance(one: string, other: string, limit: number): number {
  const distance = leven(one, other, { maxDistance: limit + 1 });
  return distance > limit ? Infinity : distance;
}
