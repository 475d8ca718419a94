import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CHAIN_IDS, EXAMPLE_NAMES, GENRES, GUIDE_NAMES, WINDOWS } from '../../schemas/catalog.js';
import { openApiDocument } from '../../schemas/openapi.js';
import {
  API_PATH,
  chainEventsPath,
  chainFeedPath,
  chainPagePath,
  dayPagePath,
  chartMetricsPath,
  embedPath,
  metricsPagePath,
  ENDPOINTS,
  exampleViewPath,
  FILES_PATH,
  guidePath,
  methodologyPagePath,
  OBJECTS_PATH,
  operationPath,
  PAGE_PATHS,
  regimeEventsPath,
  SAMPLE_FILES,
  samplePath,
  TRUST_PATHS,
} from '../../schemas/paths.js';
import { PROBLEMS } from '../../schemas/problems.js';

const ROOT = path.join(import.meta.dirname, '../..');

/** Every path of the service, with placeholders. */
const TEMPLATES: readonly string[] = [
  ...Object.keys(openApiDocument()['paths'] as object),
  ...Object.values(ENDPOINTS),
  ...Object.values(PAGE_PATHS),
  ...Object.values(TRUST_PATHS),
  chainPagePath('{chain}'),
  dayPagePath('{chain}', '{date}'),
  chainFeedPath('{chain}'),
  chainEventsPath('{chain}'),
  regimeEventsPath('{chain}'),
  chartMetricsPath('{chain}'),
  metricsPagePath('{chain}'),
  embedPath('{chain}'),
  methodologyPagePath('v1'),
  ...GUIDE_NAMES.map(guidePath),
  ...EXAMPLE_NAMES.map(exampleViewPath),
  operationPath('{operation}'),
  ...SAMPLE_FILES.map((file) => samplePath('{genre}', file)),
];

/** The possible values of each placeholder. One that is not listed, such as a date, can be any text. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  chain: CHAIN_IDS,
  genre: GENRES,
  window: Object.keys(WINDOWS),
  name: EXAMPLE_NAMES,
  code: Object.keys(PROBLEMS),
};

/** A path in a text: a fixed part of the service, such as `/api/v1`, and what follows it. */
const MENTION =
  /(?<![\w.}>])\/(?:api\/v1|_objects|problems|charts|chains|samples|assets|docs|healthz|readyz)(?:\/[^\s`"'()|,;]*)?/g;
/** A part of a mention that stands for any value: `<chain>`, `{{chain}}`, `{code}`, `[chain]`, `$CHAIN`, `*`, YYYY-MM-DD. */
const WILDCARD = /[<{[$*%]|YYYY|…/;

/** Returns the paths that a text mentions and the service does not have. */
function unknownIn(text: string): string[] {
  return [...text.matchAll(MENTION)].map(([found]) => trim(found)).filter((mention) => !isKnown(mention));
}

/** Returns a mention without the query, the fragment, punctuation, or the rest of an expression that follows it. */
function trim(mention: string): string {
  const path = mention.replace(/[?#].*$/, '').replace(/[.:\\]+$/, '');
  if (!path.includes('{')) return path.replace(/\}$/, ''); // the end of a shell's ${1:-/default}
  return path.replace(/[^/]*\{[^}]*$/, ''); // an expression with a blank: only the folder before it is known
}

function isKnown(mention: string): boolean {
  const parts = mention.replace(/\/$/, '').split('/');
  return TEMPLATES.some((template) => {
    const own = template.split('/');
    const isFolder = mention.endsWith('/') || parts.at(-1) === '*';
    if (isFolder ? own.length < parts.length : own.length !== parts.length) return false;
    return parts.every((part, i) => isPart(part, own[i] ?? ''));
  });
}

function isPart(text: string, part: string): boolean {
  if (WILDCARD.test(text) || text === part) return true;
  const [, before = '', name = '', after = ''] = /^(.*)\{(\w+)\}(.*)$/.exec(part) ?? [];
  if (name === '' || !text.startsWith(before) || !text.endsWith(after)) return false;
  const value = text.slice(before.length, text.length - after.length);
  return VALUES[name]?.includes(value) ?? true;
}

/** Returns the files below a folder that have one of these endings. */
function filesIn(folder: string, endings: RegExp): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory())
      return /^(node_modules|cdk\.out|dist)$|^\./.test(entry.name) ? [] : filesIn(file, endings);
    return endings.test(entry.name) ? [file] : [];
  });
}

const FILES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...['gateway', 'generator', 'infra', 'schemas'].flatMap((folder) => filesIn(folder, /\.md$/)),
  ...filesIn('templates', /\.(md|hbs|txt|py|sh|ts|mjs|ipynb)$/),
];

it.each(FILES)('%s mentions only paths that exist', (file) => {
  expect(unknownIn(readFileSync(path.join(ROOT, file), 'utf8'))).toEqual([]);
});

it('reads the README, the methodology and the templates of pages', () => {
  expect(FILES).toEqual(
    expect.arrayContaining(['README.md', 'schemas/methodology/v1.md', 'templates/pages/front.html.hbs']),
  );
});

it.each([
  `see ${API_PATH}glossaries.`,
  `curl "$GATEWAY"${FILES_PATH}/gold/solana/latest.json`,
  `GET ${API_PATH}summary`,
  `[${OBJECTS_PATH}a/b]`,
  '/problems/no-such-problem',
])('would find the fault in %s', (text) => {
  expect(unknownIn(text)).toHaveLength(1);
});
