import { PLAN_IDS, PLANS } from '../catalog.js';
import { FILES_PATH } from '../paths.js';
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
  const headers: readonly HeaderName[] = [...RATE, ...FILE, 'Vary'];
  const known: Answers = { '304': { description: 'The reader has it.', headers } };
  const answers: Answers = {
    '200': {
      description: 'The address of the file.',
      content: json('file-link'),
      headers: [...headers, 'X-Url-Expires-In'],
    },
    ...known,
    '307': {
      description: 'Where the file is, for a while. Do not send the API key there.',
      headers: [...headers, 'Location', 'X-Url-Expires-In'],
    },
  };
  const headAnswers: Answers = {
    '200': {
      description: 'What GET of the file itself would say.',
      headers: [...headers, 'Content-Disposition', 'Repr-Digest'],
    },
    ...known,
  };
  const terms = {
    id,
    tag: 'Subscriber files',
    summary,
    description,
    parameters: [...parameters, REDIRECT, IF_NONE_MATCH],
    security: KEY,
    answers,
    problems: [...FILE_PROBLEMS, ...problems],
    problemHeaders: [...RATE, 'Vary'] as const,
  };
  return toReads(terms, headAnswers);
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
