import { count } from '../../schemas/words.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type {
  Chain,
  FileCheck,
  FileChecks,
  Site,
  Sources,
  SourceSegment,
} from '../../schemas/types.generated.js';
import { GeneratorError } from '../core/generator-error.js';
import {
  createTableReader,
  type CsvRow,
  type InputFault,
  type InputSeries,
  type TableReader,
  toInputSeries,
} from '../core/input/input-series.js';
import {
  chunksWithin,
  createTextReader,
  describeExcess,
  describeReadError,
  type FileFault,
  INPUT_LIMITS,
  type InputFolder,
  SITE_FILE,
  type TextEnd,
} from './input-folder.js';
import { type FaultAt, type JsonText, MAX_FAULTS, readJsonFile, toJsonFault } from './json-file.js';
import { findAllSchemaFaults } from '../../schemas/validate.js';
import { csvRows } from './csv-rows.js';

/** The input of a run. */
export type Input = {
  /** One series for each valid chain. */
  readonly series: readonly InputSeries[];
  readonly faults: readonly InputFault[];
  /** The chains that a fault makes invalid. */
  readonly invalid: readonly Chain[];
  /** The site: null without a `site.json`. Absent if the file has faults; the published site then stays in force. */
  readonly site?: Site | null;
};

/** Options for `readInput`. */
type InputOptions = {
  readonly folder: InputFolder;
  /** The chains to read. Default: every chain that has a file. */
  readonly chains?: readonly Chain[];
  readonly asOfMs: number;
};

/**
 * Reads `sources.json`, `site.json` and a CSV file per chain, one file at a time.
 * @throws GeneratorError 'usage' if the directory cannot be read, has no metrics, or has no file for a requested chain.
 * @throws StoreError if the bucket cannot be read.
 */
export async function readInput({ folder, chains, asOfMs }: InputOptions): Promise<Input> {
  const names = await folder.list();
  const present = CHAIN_IDS.filter((chain) => names.includes(`${chain}.csv`));
  const wanted = present.filter((chain) => chains === undefined || chains.includes(chain));
  const unknown = chains === undefined ? names.filter((name) => isUnknown(name)) : [];
  for (const chain of chains ?? []) {
    if (!present.includes(chain))
      throw new GeneratorError(
        'usage',
        `There is no ${chain}.csv in ${folder.address}. Add it, or omit --chain ${chain}.`,
      );
  }
  if (wanted.length === 0 && unknown.length === 0) throw noMetrics(folder);
  const sources = await readSourcesJson(folder);
  const { faults: siteFaults, ...site } = await readSiteJson(folder, names);
  const faults = [
    ...unknown.map(unknownFile),
    ...siteFaults,
    ...sources.faults.filter(({ chain }) => chain === undefined || wanted.includes(chain)),
  ];
  const series: InputSeries[] = [];
  const invalid: Chain[] = [];
  for (const chain of wanted) {
    const segments = sources.sources[chain];
    const isExplained = sources.faults.some((fault) => (fault.chain ?? chain) === chain);
    if (segments === undefined && !isExplained) faults.push(missingEntry(chain));
    const check = sources.checks[chain];
    const metrics = await readMetricsCsv(folder, { chain, asOfMs, sources: segments ?? [], check });
    faults.push(...metrics.faults);
    if (segments === undefined || metrics.series === undefined) invalid.push(chain);
    else series.push(metrics.series);
  }
  return { series, faults, invalid, ...site };
}

function isUnknown(name: string): boolean {
  return name.toLowerCase().endsWith('.csv') && !CHAIN_IDS.some((chain) => name === `${chain}.csv`);
}

function noMetrics({ address }: InputFolder): GeneratorError {
  const files = CHAIN_IDS.map((chain) => `${chain}.csv`).join(', ');
  return new GeneratorError(
    'usage',
    `${address} contains none of ${files}. Name the directory of the metrics with --input.`,
  );
}

function unknownFile(file: string): InputFault {
  const remedy = `rename or remove it; chains are ${CHAIN_IDS.join(', ')}`;
  return { file, message: 'is not the file of a known chain', remedy };
}

function missingEntry(chain: Chain): InputFault {
  return {
    chain,
    file: 'sources.json',
    message: `no entry for ${chain}`,
    remedy: `add "${chain}": [{"name": "...", "licence": "..."}]`,
  };
}

/** The sources of each valid chain, the checks of the CSV files, and the faults of the file. */
type SourcesResult = {
  readonly sources: { readonly [chain in Chain]?: readonly SourceSegment[] };
  readonly checks: FileChecks;
  readonly faults: readonly InputFault[];
};

/** Reads `sources.json` of `folder`. A fault in the list of one chain does not affect the others. */
async function readSourcesJson(folder: InputFolder): Promise<SourcesResult> {
  const file = { name: SOURCES_FILE, limit: INPUT_LIMITS.sourcesFile, example: SOURCES_EXAMPLE };
  const missing = `put ${SOURCES_FILE} beside the CSV files, for example ${SOURCES_EXAMPLE}`;
  const json = await readJsonFile(folder, file, missing);
  if ('faults' in json) return { sources: {}, checks: {}, faults: json.faults };
  const faults = findSourcesFaults(json);
  if (faults.some((fault) => fault.chain === undefined)) return { sources: {}, checks: {}, faults };
  const value = JSON.parse(json.text) as Sources; // its schema was checked above
  const valid = CHAIN_IDS.filter((chain) => !faults.some((fault) => fault.chain === chain));
  const sources = Object.fromEntries(valid.flatMap((chain) => (value[chain] ? [[chain, value[chain]]] : [])));
  return { sources, checks: value.files ?? {}, faults };
}

const SOURCES_FILE = 'sources.json';
const SOURCES_EXAMPLE = '{"bitcoin": [{"name": "...", "licence": "..."}]}';

const SEGMENT =
  'each segment has name and licence, and may have from, attribution, url, notes, schedule; texts are one line, and a name does not begin with a space or one of = + - @';
const FILES_REMEDY = 'write for example "files": {"bitcoin": {"rows": 365, "sha256": "<64 hex digits>"}}';

/** Returns the faults of the content of `sources.json`, up to 20 for each chain. A fault without a chain concerns all. */
function findSourcesFaults(json: JsonText): InputFault[] {
  const value: unknown = JSON.parse(json.text);
  const locate = (faults: readonly FaultAt[]): InputFault[] =>
    faults.slice(0, MAX_FAULTS).map((fault) => toFault(json, fault));
  const common = locate(schemaFaults(withoutChains(value), `write ${SOURCES_EXAMPLE}`));
  if (common.length > 0) return common;
  const lists = new Map(Object.entries(value as object)); // it is an object: its schema was checked above
  return CHAIN_IDS.flatMap((chain) => {
    const list: unknown = lists.get(chain);
    return list === undefined ? [] : locate(listFaults(chain, list));
  });
}

/** Returns the value without the lists of known chains, which are checked one by one. */
function withoutChains(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const chains: readonly string[] = CHAIN_IDS;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !chains.includes(key)));
}

function schemaFaults(value: unknown, remedy: string): FaultAt[] {
  return findAllSchemaFaults('sources', value).map(({ pointer, message }) => {
    const path = pointer.split('/').slice(1);
    return { path, message, remedy: path[0] === 'files' ? FILES_REMEDY : remedy };
  });
}

function listFaults(chain: Chain, list: unknown): FaultAt[] {
  const limit = INPUT_LIMITS.sourcesSegments;
  if (Array.isArray(list) && list.length > limit.max)
    return [{ path: [chain], message: describeExcess(limit, list.length), remedy: 'remove old segments' }];
  const faults = schemaFaults({ [chain]: list }, SEGMENT);
  if (faults.length > 0) return faults;
  const segments = list as readonly SourceSegment[]; // its schema was checked above
  return segments.flatMap((segment, i) => [
    ...textFaults([chain, String(i)], segment),
    ...orderFaults([chain, String(i)], segments, i),
  ]);
}

function textFaults(path: readonly string[], segment: SourceSegment): FaultAt[] {
  const limit = INPUT_LIMITS.sourcesText;
  const { schedule, ...texts } = segment;
  return Object.entries<string>(texts)
    .filter(([, text]) => text.length > limit.max)
    .map(([name, text]) => ({
      path: [...path, name],
      message: describeExcess(limit, text.length),
      remedy: 'shorten it',
    }));
}

/** Returns the faults of the `from` of a segment: the first segment must have none, and the others must ascend. */
function orderFaults(path: readonly string[], segments: readonly SourceSegment[], i: number): FaultAt[] {
  const from = segments[i]?.from;
  const before = segments[i - 1]?.from;
  const at = from === undefined ? path : [...path, 'from'];
  const fault = (message: string, remedy: string): FaultAt[] => [{ path: at, message, remedy }];
  if (i === 0)
    return from === undefined
      ? []
      : fault('the first segment has a "from"', 'remove it: the first segment starts with the first date');
  if (from === undefined) return fault('"from" is missing', 'add the first date of this source');
  return before !== undefined && from <= before
    ? fault(`"from" ${from} is not later than the one before`, 'sort the segments by "from"')
    : [];
}

function toFault(json: JsonText, fault: FaultAt): InputFault {
  const chain = CHAIN_IDS.find((each) => each === fault.path[0]);
  return { ...(chain ? { chain } : {}), ...toJsonFault(SOURCES_FILE, json, fault) };
}

const SITE_EXAMPLE = '{"name": "...", "base_url": "https://data.example.com"}';
const SITE_REMEDY = `write for example ${SITE_EXAMPLE}; generator/README.md lists the members`;

/** The site of an input: null without the file, absent if it has faults. */
type SiteResult = { readonly site?: Site | null; readonly faults: readonly InputFault[] };

/** Reads `site.json` of `folder`, whose files are `names`. */
async function readSiteJson(folder: InputFolder, names: readonly string[]): Promise<SiteResult> {
  if (!names.includes(SITE_FILE)) return { site: null, faults: [] };
  const file = { name: SITE_FILE, limit: INPUT_LIMITS.siteFile, example: SITE_EXAMPLE };
  const json = await readJsonFile(folder, file, `make it readable, or remove it`);
  if ('faults' in json) return { faults: json.faults };
  const value: unknown = JSON.parse(json.text);
  const faults = findAllSchemaFaults('site', value).map(({ pointer, message }) =>
    toJsonFault(SITE_FILE, json, { path: pointer.split('/').slice(1), message, remedy: SITE_REMEDY }),
  );
  return faults.length > 0 ? { faults: faults.slice(0, MAX_FAULTS) } : { site: value as Site, faults }; // its schema was checked above
}

const UNREADABLE = 'make sure that it is a file that this user may read';

/** Options for `readMetricsCsv`: the chain's entries in `sources.json`, and the as-of instant. */
type MetricsOptions = {
  readonly chain: Chain;
  readonly asOfMs: number;
  readonly sources: readonly SourceSegment[];
  readonly check: FileCheck | undefined;
};

/** Reads `<chain>.csv` of `folder` as a stream. Returns its series, or its faults up to a limit. */
async function readMetricsCsv(
  folder: InputFolder,
  { chain, asOfMs, sources, check }: MetricsOptions,
): Promise<{ readonly series?: InputSeries; readonly faults: readonly InputFault[] }> {
  const file = `${chain}.csv`;
  const { metricsFile, metricsLine } = INPUT_LIMITS;
  const source = await folder.open(file, metricsFile);
  const faults: InputFault[] = [];
  const table = createTableReader(chain, asOfMs, (fault) => faults.push(fault));
  const text = createTextReader(chunksWithin(source, metricsFile), metricsLine);
  try {
    const rows = await readRows(csvRows(text.lines()), table, faults);
    const end = text.end();
    if (rows !== undefined && end !== undefined) {
      table.end();
      for (const fault of endFaults(end, rows, check)) faults.push({ chain, file, ...fault });
    }
  } catch (error) {
    faults.push({ chain, file, ...describeReadError(error, UNREADABLE) });
  } finally {
    source.destroy();
  }
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS) };
  return { series: toInputSeries(chain, table.columns(), table.rows(), sources), faults };
}

/** Reads all rows and returns their number without the header; `undefined` if it stopped because of faults. */
async function readRows(
  rows: AsyncIterable<CsvRow>,
  table: TableReader,
  faults: readonly InputFault[],
): Promise<number | undefined> {
  let count = 0;
  for await (const row of rows) {
    if (count > 0) table.readRow(row);
    else if (!table.readHeader(row)) return undefined;
    count += 1;
    if (faults.length >= MAX_FAULTS) return undefined;
  }
  return Math.max(0, count - 1);
}

/** Returns the signs that a file with this end is not the whole file, or not the file that it must be. */
function endFaults(end: TextEnd, rows: number, check: FileCheck | undefined): FileFault[] {
  const faults: FileFault[] = [];
  const remedy = 'copy the whole file again, or correct "files" in sources.json';
  if (end.lines > 0 && !end.hasFinalLineEnd)
    faults.push({
      line: end.lines,
      message: 'the last line has no line end, so the file may be cut off',
      remedy: 'copy the whole file again, or end the line with a line break',
    });
  if (check?.rows !== undefined && check.rows !== rows)
    faults.push({ message: `has ${count(rows, 'row')}, but sources.json names ${check.rows}`, remedy });
  if (check?.sha256 !== undefined && check.sha256 !== end.sha256)
    faults.push({ message: `has SHA-256 ${end.sha256}, but sources.json names ${check.sha256}`, remedy });
  return faults;
}
