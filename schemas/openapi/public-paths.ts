import {
  calendarPath,
  chartDataPath,
  chartPath,
  examplePath,
  methodologyDataPath,
  methodologyTextPath,
  problemPath,
  PUBLIC_PATHS,
  queryPath,
  regimesPath,
  summaryPath,
  TRUST_PATHS,
  volumeSchemaPath,
  weeklyArchivePath,
  weeklySummaryPath,
  wheelPath,
} from '../paths.js';
import { EXAMPLE_NAMES } from '../catalog.js';
import { PROBLEMS } from '../problems.js';
import type { JsonObject } from './components.js';
import {
  CALENDAR_TEXT,
  CHART_TEXT,
  EXAMPLE_TEXT,
  METHODOLOGY_TEXT,
  NOTEBOOK,
  PROBLEM_PAGE,
  QUERY_TEXT,
  WEEKLY_ARCHIVE_TEXT,
  WEEKLY_TEXT,
} from './examples.js';
import { type Content, type HeaderName, toReads } from './operations.js';
import { CHAIN, FILE, GENRE, IF_NONE_MATCH, inPath, json, RANGE, RATE, YEAR } from './parameters.js';
import { JWS_TYPE, TRUST_TYPES, type TrustDocumentName } from '../trust/trust-documents.js';
import keySet from '../examples/valid/key-set/one-key.json' with { type: 'json' };
import statement from '../examples/valid/release-statement/after-rollback.json' with { type: 'json' };
import timestamp from '../examples/valid/timestamp/after-rollback.json' with { type: 'json' };
import { canonicalJson } from '../canonical-json.js';

const SVG: Content = { 'image/svg+xml': { example: CHART_TEXT } };

/** Returns the operations on a public file of a release. `more` are headers that only some files have. */
function releaseFile(
  id: string,
  summary: string,
  content: Content,
  parameters: readonly JsonObject[] = [],
  more: readonly HeaderName[] = [],
): JsonObject {
  return publicFile({ id, summary, content, parameters, headers: [...FILE, ...more] });
}

/** Returns the operations on public files, by path. */
export function publicPaths(): Record<string, JsonObject> {
  const notPerChain = {
    [PUBLIC_PATHS.status]: releaseFile('getStatus', 'Retrieve the freshness of each chain', json('status')),
    [PUBLIC_PATHS.landing]: releaseFile('getLanding', 'Retrieve a snapshot of all chains', json('landing')),
    [PUBLIC_PATHS.release]: releaseFile(
      'getRelease',
      'Retrieve the digests of all public files',
      json('release'),
    ),
    [PUBLIC_PATHS.changes]: releaseFile(
      'getChanges',
      'List the changes of the last 90 releases',
      json('changes'),
    ),
    [PUBLIC_PATHS.glossary]: releaseFile('getGlossary', 'Retrieve the glossary', json('glossary')),
    [PUBLIC_PATHS.thresholds]: releaseFile(
      'getThresholds',
      'Retrieve the thresholds of the methodology',
      json('thresholds'),
    ),
    [PUBLIC_PATHS.methodologyVersions]: releaseFile(
      'getMethodologyVersions',
      'List methodology versions',
      json('methodology-versions'),
    ),
    [PUBLIC_PATHS.featureSchema]: releaseFile(
      'getFeatureSchema',
      'Retrieve the Frictionless Table Schema of the regime calendar',
      json('feature-schema'),
    ),
    [volumeSchemaPath('{genre}', '{chain}')]: releaseFile(
      'getVolumeSchema',
      "Retrieve the Frictionless Table Schema of a chain's volumes",
      json('feature-schema'),
      [GENRE, CHAIN],
    ),
    [PUBLIC_PATHS.openapi]: releaseFile('getOpenApi', 'Retrieve this OpenAPI description', json('openapi')),
    [PUBLIC_PATHS.starterNotebook]: releaseFile(
      'getStarterNotebook',
      'Retrieve the starter notebook',
      { 'application/x-ipynb+json': { example: NOTEBOOK } },
      [],
      ['Content-Disposition'],
    ),
    [PUBLIC_PATHS.overviewChart]: releaseFile(
      'getOverviewChart',
      'Retrieve a chart of all chains over the last two years',
      SVG,
    ),
  };
  return {
    ...notPerChain,
    ...trustPaths(),
    ...methodologyPaths(),
    ...chainPaths(),
    ...examplePaths(),
    ...wheelPaths(),
    ...problemPagePaths(),
  };
}

function examplePaths(): Record<string, JsonObject> {
  const name = inPath(
    'name',
    { type: 'string', enum: [...EXAMPLE_NAMES] },
    'File name, such as `with_pandas.py`.',
    'with_pandas.py',
  );
  return {
    [examplePath('{name}')]: releaseFile(
      'getExample',
      'Retrieve an example program',
      { 'text/plain': { example: EXAMPLE_TEXT } },
      [name],
    ),
  };
}

function wheelPaths(): Record<string, JsonObject> {
  const pattern = '^chain_reference_data-[0-9.]+-py3-none-any\\.whl$';
  const example = 'chain_reference_data-1.4.0-py3-none-any.whl';
  const wheel = inPath('wheel', { type: 'string', pattern }, 'File name of the wheel.', example);
  return {
    [wheelPath('{wheel}')]: releaseFile(
      'getPythonClient',
      'Retrieve the Python client, for pip install',
      { 'application/zip': null },
      [wheel],
    ),
  };
}

/** Returns the operations on the pages about problems, by path. Other pages are not part of the API. */
function problemPagePaths(): Record<string, JsonObject> {
  const code = inPath(
    'code',
    { type: 'string', enum: Object.keys(PROBLEMS) },
    'Code of the problem.',
    'gone',
  );
  return {
    [problemPath('{code}')]: releaseFile(
      'getProblemPage',
      'Retrieve the page about a problem',
      { 'text/html': { example: PROBLEM_PAGE } },
      [code],
    ),
  };
}

function methodologyPaths(): Record<string, JsonObject> {
  return {
    [methodologyDataPath('v1')]: releaseFile(
      'getMethodology',
      'Retrieve methodology v1 as data',
      json('methodology'),
    ),
    [methodologyTextPath('v1')]: releaseFile('getMethodologyText', 'Retrieve methodology v1 as text', {
      'text/markdown': { example: METHODOLOGY_TEXT },
    }),
  };
}

function chainPaths(): Record<string, JsonObject> {
  return {
    [summaryPath('{chain}')]: releaseFile('getSummary', "Retrieve a chain's latest state", json('summary'), [
      CHAIN,
    ]),
    [calendarPath('{chain}')]: releaseFile(
      'getCalendar',
      'Retrieve a regime calendar',
      { 'text/csv': { example: CALENDAR_TEXT } },
      [CHAIN],
      ['Content-Disposition'],
    ),
    [regimesPath('{chain}')]: releaseFile(
      'getRegimes',
      'Retrieve what the labels of a chain have meant in its history',
      json('regimes'),
      [CHAIN],
    ),
    [weeklySummaryPath('{chain}')]: releaseFile(
      'getWeeklySummary',
      'Retrieve a weekly summary',
      { 'text/plain': { example: WEEKLY_TEXT } },
      [CHAIN],
    ),
    [weeklyArchivePath('{chain}', '{year}')]: releaseFile(
      'getWeeklyArchive',
      "Retrieve a year's weekly summaries",
      { 'text/plain': { example: WEEKLY_ARCHIVE_TEXT } },
      [CHAIN, YEAR],
    ),
    [queryPath('{chain}')]: releaseFile(
      'getQuery',
      "Retrieve the SQL that computes a chain's metrics from public raw data",
      { 'text/plain': { example: QUERY_TEXT } },
      [CHAIN],
    ),
    [chartPath('{chain}')]: releaseFile('getChart', "Retrieve a chart of a chain's last two years", SVG, [
      CHAIN,
    ]),
    [chartDataPath('{chain}')]: releaseFile(
      'getChartData',
      "Retrieve the data of a chain's chart, for every date",
      json('chart'),
      [CHAIN],
    ),
  };
}

/** Headers of a file that belongs to no release. */
const HEADERS: readonly HeaderName[] = ['Cache-Control', 'ETag', 'X-Content-SHA256'];
const ONLY_SIGNED = 'A site that does not sign its releases answers 404.';

/** The keys that sign, with the thumbprints that they have in examples. */
const SIGNERS = {
  root: { words: 'the root key', kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' },
  release: { words: 'a release key', kid: 'FtIu-VbGrfe_KB6CH7GNwODB72MNxj_ml11dEvO-7kk' },
} as const;

type SignedFile = {
  readonly id: string;
  readonly summary: string;
  readonly payload: TrustDocumentName;
  readonly signer: keyof typeof SIGNERS;
};

function signedFile({ id, summary, payload, signer }: SignedFile): JsonObject {
  const { words, kid } = SIGNERS[signer];
  const example = PAYLOAD_EXAMPLES[payload];
  return publicFile({
    id,
    summary,
    description: `A compact JWS (RFC 7515) by ${words}. \`contentSchema\` describes its payload. ${ONLY_SIGNED}`,
    content: {
      [JWS_TYPE]: { example: jwsExample(payload, kid), payload: { schema: payload, example } },
    },
    headers: HEADERS,
  });
}

/** Returns the operations on the files by which readers verify signed releases, by path. */
function trustPaths(): Record<string, JsonObject> {
  return {
    [TRUST_PATHS.keys]: signedFile({
      id: 'getKeySet',
      summary: 'Retrieve the keys that sign releases',
      payload: 'key-set',
      signer: 'root',
    }),
    [TRUST_PATHS.timestamp]: signedFile({
      id: 'getTimestamp',
      summary: 'Retrieve the signed timestamp of the current release',
      payload: 'timestamp',
      signer: 'release',
    }),
    [TRUST_PATHS.statement]: signedFile({
      id: 'getStatement',
      summary: 'Retrieve the signed statement about the current release',
      payload: 'release-statement',
      signer: 'release',
    }),
    [TRUST_PATHS.releases]: publicFile({
      id: 'getReleases',
      summary: 'List all releases with their digests',
      description: `The statement about a release contains the digest of the list up to that release. ${ONLY_SIGNED}`,
      content: json('releases'),
      headers: HEADERS,
    }),
  };
}

/** An example of the payload of each signed document. */
const PAYLOAD_EXAMPLES = {
  'key-set': keySet,
  'release-statement': statement,
  timestamp,
} as const satisfies Record<TrustDocumentName, object>;

/** Letters of the payload and of the signature in an example. */
const SHOWN = 40;
/** Beginning of the signature in an example. */
const SIGNATURE = 'xJB60PmmYVpBLwF0UfkZeaEfv4cX8ztOiGH4gcPElmDV7UOa';

/** Returns an example of a signed document. Only its header is whole: the payload has an example of its own. */
function jwsExample(name: TrustDocumentName, kid: string): string {
  const header = { alg: 'EdDSA', kid, typ: TRUST_TYPES[name] };
  return [encode(header), shorten(encode(PAYLOAD_EXAMPLES[name])), shorten(SIGNATURE)].join('.');
}

function encode(value: unknown): string {
  return Buffer.from(canonicalJson(value)).toString('base64url');
}

function shorten(text: string): string {
  return `${text.slice(0, SHOWN)}…`;
}

/** Options for `publicFile`. */
type PublicFileOptions = {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly content: Content;
  readonly parameters?: readonly JsonObject[];
  /** Headers of every response about the file; by default those of a file of a release. */
  readonly headers?: readonly HeaderName[];
};

/** Returns the operations on a public file. The response is a redirect if the public files are on another host. */
function publicFile({
  content,
  parameters = [],
  headers = FILE, // no rate limit: caches send the response to other callers
  ...options
}: PublicFileOptions): JsonObject {
  return toReads({
    ...options,
    tag: 'Public files',
    parameters: [...parameters, IF_NONE_MATCH, RANGE],
    answers: {
      '200': { description: 'The file.', content, headers: [...headers, 'Accept-Ranges'] },
      '206': {
        description: 'The requested range.',
        content: binary(content),
        headers: [...headers, 'Content-Range', 'Accept-Ranges'],
      },
      '304': { description: 'Not modified. One of the ETags in If-None-Match is current.', headers },
      '307': {
        description: 'Redirect to the host that serves the public files.',
        headers: [...headers, 'Location'],
      },
    },
    problems: ['not-found', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-published'],
    problemHeaders: RATE,
    uncounted: ['range-not-satisfiable'],
  });
}

function binary(content: Content): Content {
  return Object.fromEntries(Object.keys(content).map((type) => [type, null]));
}
