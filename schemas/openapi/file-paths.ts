import { PLAN_IDS, PLANS } from '../catalog.js';
import {
  ACCOUNT_PATHS,
  bundlePath,
  dayPath,
  ENDPOINTS,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  OBJECTS_PATH,
  volumePath,
} from '../paths.js';
import type { ProblemCode } from '../problems.js';
import { type JsonObject, schemaRef } from './components.js';
import type { HeaderName } from './headers.js';
import { type Answers, type OperationOptions, toReads } from './operations.js';
import {
  CHAIN,
  DATE,
  FILE,
  GENRE,
  IF_NONE_MATCH,
  inPath,
  json,
  KEY,
  REDIRECTED,
  PERIOD,
  PRIVATE,
  RANGE,
  RATE,
  REDIRECT,
  REVISION,
  SESSION,
  VOLUMES,
  WINDOW,
} from './parameters.js';

const FILE_PROBLEMS: readonly ProblemCode[] = [
  'api-key-missing',
  'api-key-invalid',
  'session-invalid',
  'identity-unavailable',
  'not-entitled',
  'subscription-inactive',
  'not-found',
  'rate-limited',
  'store-unavailable',
  'not-published',
];

/**
 * Returns the operations on a subscriber file. The response is a redirect to a signed URL, or a document that contains
 * the URL.
 */
function subscriberFile(
  id: string,
  summary: string,
  parameters: readonly JsonObject[],
  {
    description,
    problems = [],
  }: { readonly description: string; readonly problems?: readonly ProblemCode[] },
): JsonObject {
  const headers: readonly HeaderName[] = [...RATE, ...REDIRECTED];
  const answers: Answers = {
    '200': {
      description: 'The signed URL of the file.',
      content: json('file-link'),
      headers: [...headers, 'X-Url-Expires-In'],
    },
    '304': {
      description: 'Not modified. One of the ETags in If-None-Match is current.',
      headers: [...RATE, ...FILE],
    },
    '307': {
      description: 'Redirect to the signed URL of the file. Do not send the API key there.',
      headers: [...headers, 'Location', 'X-Url-Expires-In'],
    },
  };
  const options = {
    id,
    tag: 'Subscriber files',
    summary,
    description,
    parameters: [...parameters, REDIRECT, IF_NONE_MATCH],
    security: [...KEY, ...SESSION],
    answers,
    problems: [...FILE_PROBLEMS, ...problems],
    problemHeaders: RATE,
  };
  return toReads(options);
}

const plansWith = (has: (plan: (typeof PLAN_IDS)[number]) => boolean): string =>
  PLAN_IDS.filter(has)
    .map((plan) => PLANS[plan].name)
    .join(' and ');
const ARCHIVE = `Included in ${plansWith((plan) => PLANS[plan].archive)}.`;
const BUNDLES = `Included in ${plansWith(() => true)}; 365d only in ${plansWith((plan) => (PLANS[plan].windows as readonly string[]).includes('365d'))}.`;

function volumePaths(): Record<string, JsonObject> {
  const description = `${ARCHIVE} One row for each date, version and status. The manifest lists the volumes. When a year is closed, its volume replaces those of its months.`;
  return {
    [volumePath('{genre}', '{chain}', '{period}', 'parquet')]: subscriberFile(
      'getVolume',
      'Retrieve a closed year or month as one table in Parquet',
      [GENRE, CHAIN, PERIOD],
      { description },
    ),
    [volumePath('{genre}', '{chain}', '{period}', 'csv')]: subscriberFile(
      'getVolumeAsCsv',
      'Retrieve a closed year or month as one table in CSV',
      [GENRE, CHAIN, PERIOD],
      { description },
    ),
  };
}

function lineagePaths(): Record<string, JsonObject> {
  return {
    [lineageManifestPath('{chain}')]: subscriberFile(
      'getLineageManifest',
      'Retrieve the manifest of the lineage of gold days',
      [CHAIN],
      { description: `${ARCHIVE} Only chains whose metrics are collected from sources have one.` },
    ),
    [lineagePath('{chain}', '{date}')]: subscriberFile(
      'getLineage',
      'Retrieve what the metrics of a gold day were computed from',
      [CHAIN, DATE],
      { description: `${ARCHIVE} A date whose metrics were not collected has none.`, problems: ['gone'] },
    ),
  };
}

/** Returns the operations on subscriber files, by path. */
export function filePaths(): Record<string, JsonObject> {
  return {
    [bundlePath('{genre}', '{chain}', 'latest')]: subscriberFile(
      'getLatest',
      'Retrieve the latest date',
      [GENRE, CHAIN],
      { description: BUNDLES },
    ),
    [bundlePath('{genre}', '{chain}', '{window}')]: subscriberFile(
      'getBundle',
      'Retrieve a bundle of the latest dates',
      [GENRE, CHAIN, WINDOW],
      { description: BUNDLES },
    ),
    [manifestPath('{genre}', '{chain}')]: subscriberFile(
      'getManifest',
      'Retrieve an archive manifest',
      [GENRE, CHAIN, VOLUMES],
      { description: ARCHIVE },
    ),
    [dayPath('{genre}', '{chain}', '{date}')]: subscriberFile(
      'getDay',
      'Retrieve a day file',
      [GENRE, CHAIN, DATE, REVISION],
      { description: ARCHIVE, problems: ['gone'] },
    ),
    ...volumePaths(),
    ...lineagePaths(),
    [bundlePath('briefs', '{chain}', 'latest')]: subscriberFile(
      'getLatestBrief',
      'Retrieve the latest brief',
      [CHAIN],
      { description: `Included in ${plansWith(() => true)}.` },
    ),
    [bundlePath('briefs', '{chain}', '{window}')]: subscriberFile(
      'getBriefs',
      'Retrieve a bundle of briefs',
      [CHAIN, WINDOW],
      { description: ARCHIVE },
    ),
    [manifestPath('briefs', '{chain}')]: subscriberFile(
      'getBriefsManifest',
      'Retrieve the manifest of briefs',
      [CHAIN],
      { description: ARCHIVE },
    ),
    [dayPath('briefs', '{chain}', '{date}')]: subscriberFile(
      'getBrief',
      'Retrieve the brief of a date',
      [CHAIN, DATE, REVISION],
      { description: ARCHIVE, problems: ['gone'] },
    ),
  };
}

/** Schemas of subscriber files. */
const FILE_SCHEMAS = ['bundle', 'manifest', 'meta-day', 'gold-day', 'derived-day', 'brief-day'];

/** Returns the operations of health checks and signed links, by path. */
export function operationPaths(): Record<string, JsonObject> {
  const plain = (id: string, summary: string, answers: OperationOptions['answers']): JsonObject =>
    toReads({ id, tag: 'Operation', summary, answers, problems: [] });
  const readiness = { content: json('readiness'), headers: ['Cache-Control'] as const };
  return {
    [ENDPOINTS.health]: plain('getHealth', 'Check that the process is running', {
      '200': {
        description: 'The process is running.',
        content: json('health'),
        headers: ['Cache-Control'],
      },
    }),
    [ENDPOINTS.readiness]: plain('getReadiness', 'Check that the gateway is ready', {
      '200': {
        description: 'Ready, or degraded: a store is unreachable and cached data is served.',
        ...readiness,
      },
      '503': {
        description: 'Not ready: no release has been read yet.',
        ...readiness,
        headers: ['Cache-Control', 'Retry-After'],
      },
    }),
    [ACCOUNT_PATHS.settings]: toReads({
      id: 'getAccountSettings',
      tag: 'Operation',
      summary: 'Retrieve the settings of the account page',
      answers: {
        '200': {
          description: 'The settings. They contain no secrets.',
          content: json('account-settings'),
          headers: PRIVATE,
        },
      },
      problems: ['rate-limited'],
      problemHeaders: RATE,
    }),
    [`${OBJECTS_PATH}{digest}`]: objectOperations(),
  };
}

const OBJECT = ['ETag', 'Cache-Control', 'Content-Disposition'] as const;
const DIGEST = '325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52';

/** Query parameters of a signed link. */
const LINK = [
  inLink(
    'expires',
    '^[1-9][0-9]{0,11}$',
    'Time at which the link expires, in seconds since 1970-01-01T00:00:00Z.',
    '1787220300',
  ),
  inLink('type', '^[a-z0-9.+-]+/[a-z0-9.+-]+$', 'Media type of the file.', 'application/json'),
  inLink(
    'name',
    '^[A-Za-z0-9._-]{1,100}$',
    'Name under which a browser saves the file.',
    'base-gold-latest.json',
  ),
  inLink('signature', '^[0-9a-f]{64}$', 'Signature of the digest and the other parameters.', '0'.repeat(64)),
];

function inLink(name: string, pattern: string, description: string, example: string): JsonObject {
  return { name, in: 'query', required: true, schema: { type: 'string', pattern }, description, example };
}

function objectOperations(): JsonObject {
  return toReads({
    id: 'getObject',
    tag: 'Subscriber files',
    summary: 'Retrieve a file by its signed link',
    description: 'Only on a gateway with a directory store. Otherwise signed URLs lead to the object store.',
    parameters: [
      inPath('digest', schemaRef('common.sha256'), "SHA-256 of the file's bytes.", DIGEST),
      ...LINK,
      IF_NONE_MATCH,
      RANGE,
    ],
    answers: {
      '200': {
        description: 'The file.',
        content: { 'application/json': FILE_SCHEMAS },
        headers: [...OBJECT, 'Accept-Ranges'],
      },
      '206': {
        description: 'The requested range.',
        content: { 'application/json': null },
        headers: [...OBJECT, 'Content-Range', 'Accept-Ranges'],
      },
      '304': { description: 'Not modified. One of the ETags in If-None-Match is current.', headers: OBJECT },
    },
    problems: ['link-invalid', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-found'],
    problemHeaders: RATE,
    uncounted: ['range-not-satisfiable', 'store-unavailable'],
  });
}
