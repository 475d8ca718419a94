import { CHAIN_IDS, GENRES, VOLUME_FORMATS, VOLUME_GENRES, WINDOWS } from '../../../schemas/catalog.js';
import {
  archivePath,
  bundlePath,
  calendarPath,
  chainPagePath,
  chartDataPath,
  chartMetricsPath,
  chartPath,
  embedPath,
  metricsPagePath,
  dayPath,
  FILES_PATH,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  queryPath,
  regimesPath,
  summaryPath,
  volumePath,
  volumeSchemaPath,
  weeklyArchivePath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';

/** A part of a path that must be one of a few values, and is another one. */
type InvalidPart = {
  readonly name: PartName;
  /** The values that this part can have, each with the path that has it. */
  readonly values: readonly { readonly value: string; readonly path: string }[];
};

type PartName = 'chain' | 'genre' | 'window' | 'format';
/** Parts with a closed list of values. `{date}`, `{year}` and `{period}` are compared with a pattern instead. */
type Values = { readonly [name in PartName]: readonly string[] };
type Pattern = { readonly regex: RegExp; readonly names: readonly PartName[]; readonly values: Values };

const WORDS: Values = {
  chain: CHAIN_IDS,
  genre: GENRES,
  window: Object.keys(WINDOWS).filter((window) => window !== 'latest'),
  format: VOLUME_FORMATS,
};
const VOLUME_WORDS: Values = { ...WORDS, genre: VOLUME_GENRES };

/** Briefs have one more folder than the other genres: see `archivePath`. */
const BRIEFS = archivePath('briefs', '{chain}').replace(`${FILES_PATH}/`, '').replace('/{chain}', '');

/** No path with valid parts is longer. */
const MAX_LENGTH = 200;

const PATTERNS: readonly Pattern[] = [
  ...[
    chainPagePath('{chain}'),
    metricsPagePath('{chain}'),
    embedPath('{chain}'),
    summaryPath('{chain}'),
    calendarPath('{chain}'),
    regimesPath('{chain}'),
    weeklySummaryPath('{chain}'),
    weeklyArchivePath('{chain}', '{year}'),
    chartPath('{chain}'),
    chartDataPath('{chain}'),
    chartMetricsPath('{chain}'),
    queryPath('{chain}'),
    lineageManifestPath('{chain}'),
    lineagePath('{chain}', '{date}'),
    ...(['{genre}', 'briefs'] as const).flatMap((genre) => [
      manifestPath(genre, '{chain}'),
      dayPath(genre, '{chain}', '{date}'),
      bundlePath(genre, '{chain}', 'latest'),
      bundlePath(genre, '{chain}', '{window}'),
    ]),
  ].map((template) => toPattern(template, WORDS)),
  ...[volumeSchemaPath('{genre}', '{chain}'), volumePath('{genre}', '{chain}', '{period}', '{format}')].map(
    (template) => toPattern(template, VOLUME_WORDS),
  ),
];

/**
 * Returns the part of a path that has none of its possible values, such as the chain of `/chains/dogecoin`; `undefined` if
 * the path is unlike any path of the API, or all its parts are valid.
 */
export function findInvalidPart(path: string): InvalidPart | undefined {
  if (path.length > MAX_LENGTH) return undefined;
  return PATTERNS.map((pattern) => matchPattern(pattern, path))
    .filter((found) => found !== undefined)
    .sort((one, other) => one.faults - other.faults)[0]?.part;
}

/** Returns a sentence that names the possible values, without the one that was sent. */
export function explainInvalidPart({ name, values }: InvalidPart): string {
  const words = values.map(({ value }) => value);
  return `Unknown ${name}. Use ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}.`;
}

function matchPattern({ regex, names, values }: Pattern, path: string) {
  const match = regex.exec(path);
  if (match === null) return undefined;
  const invalid = names.filter((name, i) => !values[name].includes(match[i + 1] ?? ''));
  const [name] = invalid;
  if (name === undefined) return { faults: 0, part: undefined };
  const [start, end] = match.indices?.[names.indexOf(name) + 1] ?? [0, 0];
  const replaced = values[name].map((value) => ({
    value,
    path: path.slice(0, start) + (value === 'briefs' ? BRIEFS : value) + path.slice(end),
  }));
  return { faults: invalid.length, part: { name, values: replaced } };
}

function toPattern(template: string, values: Values): Pattern {
  const names = [...template.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name)
    .filter((name): name is PartName => name !== undefined && name in values);
  const source = template
    .replace(/[.]/g, '\\.')
    .replace('{date}', '\\d{4}-\\d{2}-\\d{2}')
    .replace('{year}', '\\d{4}')
    .replace('{period}', '\\d{4}(?:-\\d{2})?')
    .replace(/\{(chain|genre|window|format)\}/g, '([^/.]+)');
  return { regex: new RegExp(`^${source}$`, 'd'), names, values };
}
