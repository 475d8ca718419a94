import { examplePath, methodologyDataPath, methodologyTextPath, PUBLIC_PATHS } from '../paths.js';
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
  WEEKLY_TEXT,
} from './examples.js';
import { toReads, type Content, type HeaderName } from './operations.js';
import { CHAIN, FILE, IF_NONE_MATCH, inPath, json, RANGE, RATE } from './parameters.js';

const SVG: Content = { 'image/svg+xml': { example: CHART_TEXT } };

/** A public file: sent, or where the public files are elsewhere, a redirect. `more` are headers that not all have. */
function publicFile(
  id: string,
  summary: string,
  content: Content,
  parameters: readonly JsonObject[] = [],
  more: readonly HeaderName[] = [],
): JsonObject {
  const headers = [...RATE, ...FILE, ...more];
  return toReads({
    id,
    tag: 'Public files',
    summary,
    parameters: [...parameters, IF_NONE_MATCH, RANGE],
    answers: {
      '200': { description: 'The file.', content, headers: [...headers, 'Accept-Ranges'] },
      '206': {
        description: 'The part that was asked for.',
        content: binary(content),
        headers: [...headers, 'Content-Range', 'Accept-Ranges'],
      },
      '304': { description: 'The reader has it.', headers },
      '307': { description: 'Where it is, if it is kept elsewhere.', headers: [...headers, 'Location'] },
    },
    problems: ['not-found', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-published'],
    problemHeaders: RATE,
  });
}

function binary(content: Content): Content {
  return Object.fromEntries(Object.keys(content).map((type) => [type, null]));
}

/** The paths of public files. */
export function publicPaths(): Record<string, JsonObject> {
  const whole = {
    [PUBLIC_PATHS.status]: publicFile(
      'getStatus',
      'Freshness, lag and publication of each chain',
      json('status'),
    ),
    [PUBLIC_PATHS.landing]: publicFile('getLanding', 'Snapshot across the chains', json('landing')),
    [PUBLIC_PATHS.release]: publicFile('getRelease', 'Digest of every other public file', json('release')),
    [PUBLIC_PATHS.changes]: publicFile('getChanges', 'What the last 90 releases changed', json('changes')),
    [PUBLIC_PATHS.glossary]: publicFile(
      'getGlossary',
      'Every term, metric, label, level and field',
      json('glossary'),
    ),
    [PUBLIC_PATHS.thresholds]: publicFile(
      'getThresholds',
      'Every number of the methodology',
      json('thresholds'),
    ),
    [PUBLIC_PATHS.methodologyVersions]: publicFile(
      'getMethodologyVersions',
      "The methodology's versions",
      json('methodology-versions'),
    ),
    [PUBLIC_PATHS.featureSchema]: publicFile(
      'getFeatureSchema',
      'Frictionless Table Schema of the calendar',
      json('feature-schema'),
    ),
    [PUBLIC_PATHS.openapi]: publicFile('getOpenApi', 'This description', json('openapi')),
    [PUBLIC_PATHS.starterNotebook]: publicFile(
      'getStarterNotebook',
      'Notebook that joins a metric to the calendar',
      { 'application/x-ipynb+json': { example: NOTEBOOK } },
      [],
      ['Content-Disposition'],
    ),
    [PUBLIC_PATHS.overviewChart]: publicFile(
      'getOverviewChart',
      'The last 365 days of all chains as a picture',
      SVG,
    ),
  };
  return { ...whole, ...methodologyPaths(), ...chainPaths(), ...examplePaths(), ...problemPagePaths() };
}

function examplePaths(): Record<string, JsonObject> {
  const name = inPath(
    'name',
    { enum: [...EXAMPLE_NAMES] },
    'Name of the file, such as `sync.py`.',
    'sync.py',
  );
  return {
    [examplePath('{name}')]: publicFile(
      'getExample',
      'A program that uses the interface',
      { 'text/plain': { example: EXAMPLE_TEXT } },
      [name],
    ),
  };
}

/** Of the pages for people only those that a problem names are part of the interface. */
function problemPagePaths(): Record<string, JsonObject> {
  const code = inPath('code', { enum: Object.keys(PROBLEMS) }, 'The problem, as in `code`.', 'gone');
  return {
    '/problems/{code}': publicFile(
      'getProblemPage',
      'A page about a problem',
      { 'text/html': { example: PROBLEM_PAGE } },
      [code],
    ),
  };
}

function methodologyPaths(): Record<string, JsonObject> {
  return {
    [methodologyDataPath('v1')]: publicFile('getMethodology', 'Methodology v1 as data', json('methodology')),
    [methodologyTextPath('v1')]: publicFile('getMethodologyText', 'Methodology v1 as text', {
      'text/markdown': { example: METHODOLOGY_TEXT },
    }),
  };
}

function chainPaths(): Record<string, JsonObject> {
  return {
    '/api/v1/summary/{chain}': publicFile('getSummary', "A chain's state on its last date", json('summary'), [
      CHAIN,
    ]),
    '/api/v1/analyst-kit/{chain}/regime-calendar': publicFile(
      'getCalendar',
      'One row per date: regime, confidence, scores',
      { 'text/csv': { example: CALENDAR_TEXT } },
      [CHAIN],
      ['Content-Disposition'],
    ),
    '/api/v1/analyst-kit/{chain}/weekly-summary': publicFile(
      'getWeeklySummary',
      'The last seven dates in words and columns',
      { 'text/plain': { example: WEEKLY_TEXT } },
      [CHAIN],
    ),
    '/charts/{chain}.svg': publicFile('getChart', "A chain's last 365 days as a picture", SVG, [CHAIN]),
  };
}
