import { PLAN_IDS, PLANS } from '../catalog.js';
import { bundlePath, dayPath, lineageManifestPath, lineagePath, manifestPath, volumePath } from '../paths.js';
import type { ProblemCode } from '../problems.js';
import type { JsonObject } from './components.js';
import type { HeaderName } from './headers.js';
import { toReads, type Answers } from './operations.js';
import {
  CHAIN,
  DATE,
  FILE,
  GENRE,
  IF_NONE_MATCH,
  json,
  KEY,
  PERIOD,
  RATE,
  REDIRECT,
  REVISION,
  WINDOW,
} from './parameters.js';

const FILE_PROBLEMS: readonly ProblemCode[] = [
  'api-key-missing',
  'api-key-invalid',
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
  const headers: readonly HeaderName[] = [...RATE, ...FILE];
  const notModified: Answers = {
    '304': { description: 'Not modified. One of the ETags in If-None-Match is current.', headers },
  };
  const answers: Answers = {
    '200': {
      description: 'A document with the signed URL of the file.',
      content: json('file-link'),
      headers: [...headers, 'X-Url-Expires-In'],
    },
    ...notModified,
    '307': {
      description: 'Redirect to the signed URL of the file. Do not send the API key there.',
      headers: [...headers, 'Location', 'X-Url-Expires-In'],
    },
  };
  const headAnswers: Answers = {
    '200': {
      description: 'The headers of the file itself.',
      headers: [...headers, 'Content-Disposition', 'Repr-Digest'],
    },
    ...notModified,
  };
  const options = {
    id,
    tag: 'Subscriber files',
    summary,
    description,
    parameters: [...parameters, REDIRECT, IF_NONE_MATCH],
    security: KEY,
    answers,
    problems: [...FILE_PROBLEMS, ...problems],
    problemHeaders: RATE,
  };
  return toReads(options, headAnswers);
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
      [GENRE, CHAIN],
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
