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
  summaryPath,
  volumeSchemaPath,
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
  WEEKLY_TEXT,
} from './examples.js';
import { toReads, type Content, type HeaderName } from './operations.js';
import { CHAIN, FILE, GENRE, IF_NONE_MATCH, inPath, json, RANGE, RATE } from './parameters.js';

const SVG: Content = { 'image/svg+xml': { example: CHART_TEXT } };

/**
 * Returns the operations on a public file. The response is a redirect if the public files are on another host. `more` are
 * headers that only some files have.
 */
function publicFile(
  id: string,
  summary: string,
  content: Content,
  parameters: readonly JsonObject[] = [],
  more: readonly HeaderName[] = [],
): JsonObject {
  const headers = [...FILE, ...more]; // no rate limit: caches send the response to other callers
  return toReads({
    id,
    tag: 'Public files',
    summary,
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

/** Returns the operations on public files, by path. */
export function publicPaths(): Record<string, JsonObject> {
  const notPerChain = {
    [PUBLIC_PATHS.status]: publicFile('getStatus', 'Retrieve the freshness of each chain', json('status')),
    [PUBLIC_PATHS.landing]: publicFile('getLanding', 'Retrieve a snapshot of all chains', json('landing')),
    [PUBLIC_PATHS.release]: publicFile(
      'getRelease',
      'Retrieve the digests of all public files',
      json('release'),
    ),
    [PUBLIC_PATHS.changes]: publicFile(
      'getChanges',
      'List the changes of the last 90 releases',
      json('changes'),
    ),
    [PUBLIC_PATHS.glossary]: publicFile('getGlossary', 'Retrieve the glossary', json('glossary')),
    [PUBLIC_PATHS.thresholds]: publicFile(
      'getThresholds',
      'Retrieve the thresholds of the methodology',
      json('thresholds'),
    ),
    [PUBLIC_PATHS.methodologyVersions]: publicFile(
      'getMethodologyVersions',
      'List methodology versions',
      json('methodology-versions'),
    ),
    [PUBLIC_PATHS.featureSchema]: publicFile(
      'getFeatureSchema',
      'Retrieve the Frictionless Table Schema of the regime calendar',
      json('feature-schema'),
    ),
    [volumeSchemaPath('{genre}', '{chain}')]: publicFile(
      'getVolumeSchema',
      "Retrieve the Frictionless Table Schema of a chain's volumes",
      json('feature-schema'),
      [GENRE, CHAIN],
    ),
    [PUBLIC_PATHS.openapi]: publicFile('getOpenApi', 'Retrieve this OpenAPI description', json('openapi')),
    [PUBLIC_PATHS.starterNotebook]: publicFile(
      'getStarterNotebook',
      'Retrieve the starter notebook',
      { 'application/x-ipynb+json': { example: NOTEBOOK } },
      [],
      ['Content-Disposition'],
    ),
    [PUBLIC_PATHS.overviewChart]: publicFile(
      'getOverviewChart',
      'Retrieve a chart of all chains over the last two years',
      SVG,
    ),
  };
  return {
    ...notPerChain,
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
    { enum: [...EXAMPLE_NAMES] },
    'File name, such as `with_pandas.py`.',
    'with_pandas.py',
  );
  return {
    [examplePath('{name}')]: publicFile(
      'getExample',
      'Retrieve an example program',
      { 'text/plain': { example: EXAMPLE_TEXT } },
      [name],
    ),
  };
}

function wheelPaths(): Record<string, JsonObject> {
  const pattern = '^chain_reference_data-[0-9.]+-py3-none-any\\.whl$';
  const example = 'chain_reference_data-1.1.0-py3-none-any.whl';
  const wheel = inPath('wheel', { type: 'string', pattern }, 'File name of the wheel.', example);
  return {
    [wheelPath('{wheel}')]: publicFile(
      'getPythonClient',
      'Retrieve the Python client, for pip install',
      { 'application/zip': null },
      [wheel],
    ),
  };
}

/** Returns the operations on the pages about problems, by path. Other pages are not part of the API. */
function problemPagePaths(): Record<string, JsonObject> {
  const code = inPath('code', { enum: Object.keys(PROBLEMS) }, 'Code of the problem.', 'gone');
  return {
    [problemPath('{code}')]: publicFile(
      'getProblemPage',
      'Retrieve the page about a problem',
      { 'text/html': { example: PROBLEM_PAGE } },
      [code],
    ),
  };
}

function methodologyPaths(): Record<string, JsonObject> {
  return {
    [methodologyDataPath('v1')]: publicFile(
      'getMethodology',
      'Retrieve methodology v1 as data',
      json('methodology'),
    ),
    [methodologyTextPath('v1')]: publicFile('getMethodologyText', 'Retrieve methodology v1 as text', {
      'text/markdown': { example: METHODOLOGY_TEXT },
    }),
  };
}

function chainPaths(): Record<string, JsonObject> {
  return {
    [summaryPath('{chain}')]: publicFile('getSummary', "Retrieve a chain's latest state", json('summary'), [
      CHAIN,
    ]),
    [calendarPath('{chain}')]: publicFile(
      'getCalendar',
      'Retrieve a regime calendar',
      { 'text/csv': { example: CALENDAR_TEXT } },
      [CHAIN],
      ['Content-Disposition'],
    ),
    [weeklySummaryPath('{chain}')]: publicFile(
      'getWeeklySummary',
      'Retrieve a weekly summary',
      { 'text/plain': { example: WEEKLY_TEXT } },
      [CHAIN],
    ),
    [queryPath('{chain}')]: publicFile(
      'getQuery',
      "Retrieve the SQL that computes a chain's metrics from public raw data",
      { 'text/plain': { example: QUERY_TEXT } },
      [CHAIN],
    ),
    [chartPath('{chain}')]: publicFile('getChart', "Retrieve a chart of a chain's last two years", SVG, [
      CHAIN,
    ]),
    [chartDataPath('{chain}')]: publicFile(
      'getChartData',
      "Retrieve the data of a chain's chart, for every date",
      json('chart'),
      [CHAIN],
    ),
  };
}
