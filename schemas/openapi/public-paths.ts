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
import type { Content, HeaderName } from './operations.js';
import { CHAIN, FILE, GENRE, inPath, json } from './parameters.js';
import { publicFile } from './public-file.js';
import { trustPaths } from './trust-paths.js';

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
    { enum: [...EXAMPLE_NAMES] },
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
  const example = 'chain_reference_data-1.1.0-py3-none-any.whl';
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
  const code = inPath('code', { enum: Object.keys(PROBLEMS) }, 'Code of the problem.', 'gone');
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
    [weeklySummaryPath('{chain}')]: releaseFile(
      'getWeeklySummary',
      'Retrieve a weekly summary',
      { 'text/plain': { example: WEEKLY_TEXT } },
      [CHAIN],
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
