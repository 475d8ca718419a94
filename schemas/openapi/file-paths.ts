import { PLAN_IDS, PLANS } from '../catalog.js';
import { FILES_PATH } from '../paths.js';
import type { ProblemCode } from '../problems.js';
import type { JsonObject } from './components.js';
import { toReads, type HeaderName } from './operations.js';
import {
  CHAIN,
  DATE,
  FILE,
  GENRE,
  IF_NONE_MATCH,
  inHeader,
  json,
  KEY,
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

/** A subscriber file: a redirect to a signed address, or a document that has it. */
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
  const accept = inHeader(
    'Accept',
    'application/json;profile="signed-url" asks for a document instead of a redirect.',
  );
  return toReads({
    id,
    tag: 'Subscriber files',
    summary,
    description,
    parameters: [...parameters, REDIRECT, accept, IF_NONE_MATCH],
    security: KEY,
    answers: {
      '200': {
        description: 'The address of the file; to HEAD, what GET of the file itself would say.',
        content: json('file-link'),
        headers: [...headers, 'X-Url-Expires-In', 'Content-Disposition', 'Repr-Digest'],
      },
      '304': { description: 'The reader has it.', headers },
      '307': {
        description: 'Where the file is, for a while. Do not send the API key there.',
        headers: [...headers, 'Location', 'X-Url-Expires-In'],
      },
    },
    problems: [...FILE_PROBLEMS, ...problems],
  });
}

const plansWith = (has: (plan: (typeof PLAN_IDS)[number]) => boolean): string =>
  PLAN_IDS.filter(has)
    .map((plan) => PLANS[plan].name)
    .join(' and ');
const ARCHIVE = `Part of ${plansWith((plan) => PLANS[plan].archive)}.`;
const BUNDLES = `Part of ${plansWith(() => true)}; 365d of ${plansWith((plan) => (PLANS[plan].windows as readonly string[]).includes('365d'))} alone.`;

/** The paths of subscriber files. */
export function filePaths(): Record<string, JsonObject> {
  const briefs = `${FILES_PATH}/briefs`;
  return {
    [`${FILES_PATH}/{genre}/{chain}/latest.json`]: subscriberFile(
      'getLatest',
      'Bundle of the latest date',
      [GENRE, CHAIN],
      { description: BUNDLES },
    ),
    [`${FILES_PATH}/{genre}/{chain}/{window}/latest.json`]: subscriberFile(
      'getBundle',
      'Bundle of the last dates',
      [GENRE, CHAIN, WINDOW],
      { description: BUNDLES },
    ),
    [`${FILES_PATH}/{genre}/{chain}/manifest.json`]: subscriberFile(
      'getManifest',
      'Every date with the digest of its day file',
      [GENRE, CHAIN],
      { description: ARCHIVE },
    ),
    [`${FILES_PATH}/{genre}/{chain}/{date}.json`]: subscriberFile(
      'getDay',
      'Day file',
      [GENRE, CHAIN, DATE, REVISION],
      { description: ARCHIVE, problems: ['gone'] },
    ),
    [`${briefs}/chains/{chain}/latest.json`]: subscriberFile(
      'getLatestBrief',
      'Brief of the latest date',
      [CHAIN],
      { description: `Part of ${plansWith(() => true)}.` },
    ),
    [`${briefs}/{chain}/{window}/latest.json`]: subscriberFile(
      'getBriefs',
      'Bundle of briefs',
      [CHAIN, WINDOW],
      { description: ARCHIVE },
    ),
    [`${briefs}/chains/{chain}/manifest.json`]: subscriberFile(
      'getBriefsManifest',
      'Every date with the digest of its brief',
      [CHAIN],
      { description: ARCHIVE },
    ),
    [`${briefs}/chains/{chain}/{date}.json`]: subscriberFile(
      'getBrief',
      'Brief of a date',
      [CHAIN, DATE, REVISION],
      { description: ARCHIVE, problems: ['gone'] },
    ),
  };
}
