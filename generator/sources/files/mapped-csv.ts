import { codeOf } from '../../../infra/store/system-error.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { endOfDayMs, parseDate, toDate } from '../../../schemas/dates.js';
import { type DayValues, toMetricValue } from '../../core/collection/day-values.js';
import { type CsvRow, formatInputFault, isCurrencyName } from '../../core/input/input-series.js';
import { describeValueFault } from '../../core/input/value-fault.js';
import { csvRows } from '../../input/csv-rows.js';
import {
  chunksWithin,
  createTextReader,
  FileFaultError,
  INPUT_LIMITS,
  type InputFolder,
} from '../../input/input-folder.js';
import { shapeError, SourceError } from '../source.js';
import { CHAINS, METRICS, metricsOf } from '../../../schemas/catalog.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { GeneratorError, RUN_AGAIN } from '../../core/generator-error.js';
import { toDecimalText } from '../../core/collection/decimal.js';

/** The mapped values of a file by date, for dates that have ended and have a value; and its digest and size. */
export type MappedTable = {
  readonly days: ReadonlyMap<string, DayValues>;
  readonly sha256: string;
  readonly bytes: number;
};

/** Options for reading a file. `where` names the file in messages. */
export type ReadOptions = {
  readonly folder: Pick<InputFolder, 'open'>;
  readonly where: string;
  readonly mapped: MappedFile;
  readonly nowMs: number;
  readonly signal: AbortSignal;
};

/** The places of the columns in a row. */
type Layout = {
  readonly width: number;
  readonly dateAt: number;
  readonly columns: readonly (MappedColumn & { readonly at: number })[];
};

const DATE_FORMS = 'a date as YYYY-MM-DD, or its midnight in UTC, as text or in Unix seconds';
/** Such as the column `UnixTimeStamp` of Etherscan, from 2001 to 2033. */
const UNIX_SECONDS = /^1\d{9}$/;
const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00(?::?00)?| UTC)?)?$/;

/** Reads the values of a file. @throws SourceError 'shape' with line and column, 'unavailable' */
export async function readMappedCsv({
  folder,
  where,
  mapped,
  nowMs,
  signal,
}: ReadOptions): Promise<MappedTable> {
  const days = new Map<string, DayValues>();
  const size = { bytes: 0 };
  let layout: Layout | undefined;
  let newest = '';
  const end = await readRows(folder, where, mapped, size, (row) => {
    signal.throwIfAborted();
    if (layout === undefined) {
      layout = toLayout(where, row, mapped);
      return undefined;
    }
    const { date, values } = parseRow(where, row, layout);
    if (date <= newest) throw shapeError(`${where}:${row.line}`, `a date after ${newest}`, date);
    newest = date;
    const day = parseDate(date) ?? Infinity;
    if (endOfDayMs(day) <= nowMs && Object.keys(values).length > 0) days.set(date, values);
    return undefined;
  });
  if (layout === undefined) throw shapeError(where, 'a header', 'an empty file');
  if (!end.hasFinalLineEnd) {
    throw shapeError(
      `${where}:${end.lines}`,
      'a line end after the last row',
      'none, so the file may be cut off',
    );
  }
  return { days, sha256: end.sha256, bytes: size.bytes };
}

/** Reads the cells of the header. @throws SourceError */
export async function readHeader(
  folder: Pick<InputFolder, 'open'>,
  where: string,
  mapped: MappedFile,
): Promise<readonly string[]> {
  let header: readonly string[] | undefined;
  await readRows(folder, where, mapped, { bytes: 0 }, ({ cells }) => {
    header = cells;
    return 'stop';
  });
  return header ?? [];
}

async function readRows(
  folder: Pick<InputFolder, 'open'>,
  where: string,
  { file }: MappedFile,
  size: { bytes: number },
  visit: (row: CsvRow) => 'stop' | undefined,
): Promise<{ readonly lines: number; readonly hasFinalLineEnd: boolean; readonly sha256: string }> {
  const { metricsFile, metricsLine } = INPUT_LIMITS;
  try {
    const source = await folder.open(file, metricsFile);
    try {
      const text = createTextReader(counted(chunksWithin(source, metricsFile), size), metricsLine);
      for await (const row of csvRows(text.lines())) if (visit(row) === 'stop') break;
      return text.end() ?? { lines: 0, hasFinalLineEnd: false, sha256: '' };
    } finally {
      source.destroy();
    }
  } catch (error) {
    throw toSourceError(where, error);
  }
}

async function* counted(chunks: AsyncIterable<Buffer>, size: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    size.bytes += chunk.length;
    yield chunk;
  }
}

/** Converts what a file or a bucket throws to an error of a source. Returns any other error unchanged. */
export function toSourceError(where: string, error: unknown): unknown {
  if (error instanceof FileFaultError) {
    const { message, remedy, line } = error;
    const at = line === undefined ? where : `${where}:${line}`;
    return new SourceError('shape', `${at}: ${message}: ${remedy}.`, { cause: error });
  }
  if (error instanceof SourceError) return error;
  const reason = error instanceof StoreError ? error.message : codeOf(error);
  if (reason === undefined) return error;
  return new SourceError('unavailable', `${where}: cannot be read (${reason}).`, { cause: error });
}

function toLayout(where: string, { cells }: CsvRow, { dateColumn, columns, isExact }: MappedFile): Layout {
  const find = (column: string): number => {
    const at = cells.indexOf(column);
    if (at !== cells.lastIndexOf(column)) throw shapeError(`${where}:1`, `one column "${column}"`, 'several');
    return at;
  };
  const dateAt = find(dateColumn);
  if (dateAt < 0) throw shapeError(`${where}:1`, `a column "${dateColumn}"`, 'no such column');
  const found = columns.map((column) => ({ ...column, at: find(column.column) }));
  const missing = found.find(({ at }) => at < 0);
  if (isExact && missing !== undefined) {
    throw shapeError(`${where}:1`, `a column "${missing.column}"`, 'no such column');
  }
  const present = found.filter(({ at }) => at >= 0);
  if (present.length === 0) throw shapeError(`${where}:1`, 'a column of a metric', 'none');
  return { width: cells.length, dateAt, columns: present };
}

/** Returns the date of a midnight in UTC. Dates with slashes have two readings, and are refused. */
function parseMidnight(text: string): string | undefined {
  if (UNIX_SECONDS.test(text)) return Number(text) % 86_400 === 0 ? toDate(Number(text) / 86_400) : undefined;
  const date = MIDNIGHT.exec(text)?.[1];
  return date === undefined || parseDate(date) === undefined ? undefined : date;
}

function parseRow(
  where: string,
  { line, cells }: CsvRow,
  layout: Layout,
): { date: string; values: DayValues } {
  const { width, dateAt, columns } = layout;
  if (cells.length !== width) {
    throw shapeError(`${where}:${line}`, `${width} cells as in the header`, String(cells.length));
  }
  const text = cells[dateAt] ?? '';
  const date = parseMidnight(text);
  if (date === undefined) throw shapeError(`${where}:${line}:${dateAt + 1}`, DATE_FORMS, `"${text}"`);
  const values = columns.flatMap(({ metric, column, unit, exponent, at }) => {
    const text = cells[at] ?? '';
    if (text === '') return [];
    const converted = exponent === 0 ? undefined : toDecimalText(text, exponent);
    const result = toMetricValue(metric, converted ?? text);
    if ('expected' in result) {
      const cell = {
        column,
        metric,
        text,
        ...(converted !== undefined && { converted: { text: converted, unit } }),
      };
      const found = describeValueFault(result.fault, cell);
      throw new SourceError('shape', formatInputFault({ file: where, line, column: at + 1, ...found }));
    }
    return [[metric, result.value] as const];
  });
  return { date, values: Object.fromEntries(values) };
}

/** The column of each metric, and its unit: one of `unitsOf`. */
type ColumnMapping = {
  readonly [metric in MetricName]?: { readonly column: string; readonly unit: string };
};

/** Places of the values of a chain. Each member overrides the one for all chains. */
export type ChainColumns = {
  /** Name of the file in the folder. Default: `<chain>.csv`. */
  readonly file?: string;
  /** Default: `date`. */
  readonly dateColumn?: string;
  /** Default: the columns that are named like a metric of the chain, in the units of the catalog. */
  readonly columns?: ColumnMapping;
};

/** A column to read. `exponent` is the power of ten that converts its numbers to the catalog's unit. */
type MappedColumn = {
  readonly metric: MetricName;
  readonly column: string;
  readonly unit: string;
  readonly exponent: number;
};

/** A file to read. */
export type MappedFile = {
  readonly file: string;
  readonly dateColumn: string;
  readonly columns: readonly MappedColumn[];
  /** False if a column may be missing: the mapping is the one of the product. */
  readonly isExact: boolean;
};

/**
 * Returns the file and columns of a chain.
 * @throws GeneratorError 'usage' for an unknown unit, a metric that the chain does not have, or a path.
 */
export function mapChain(
  source: string,
  chain: Chain,
  common: ChainColumns,
  own: ChainColumns = {},
): MappedFile {
  const { file = `${chain}.csv`, dateColumn = 'date', columns } = { ...common, ...own };
  const fail = (what: string, remedy: string): never => {
    throw new GeneratorError('usage', `${source}: ${chain}: ${what}. ${remedy} in the policy.`, {
      next: RUN_AGAIN,
    });
  };
  if (!/^[^/\\]*[^/\\.][^/\\]*$/.test(file))
    fail(`"${file}" is not the name of a file`, 'Name a file of the folder');
  const supported = metricsOf(chain);
  if (columns === undefined) return { file, dateColumn, columns: supported.map(toOwnColumn), isExact: false };
  const foreign = (Object.keys(own.columns ?? {}) as MetricName[]).find(
    (metric) => !supported.includes(metric),
  ); // Object.keys loses the key type
  if (foreign !== undefined) fail(`there is no metric "${foreign}"`, `Use ${supported.join(', ')}`);
  const mapped = supported.flatMap((metric) => {
    const entry = columns[metric];
    if (entry === undefined) return [];
    const { column, unit } = entry;
    const units = unitsOf(chain, metric);
    const exponent = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (exponent !== undefined) return [{ metric, column, unit, exponent }];
    return fail(`${metric} has the unknown unit "${unit}"`, `Use ${Object.keys(units).join(', ')}`);
  });
  return { file, dateColumn, columns: mapped, isExact: true };
}

function toOwnColumn(metric: MetricName): MappedColumn {
  return { metric, column: metric, unit: 'of the catalog', exponent: 0 };
}

/**
 * Passes for a mapping without a column that names a price or a currency. The price of gas is a metric, and a name such as
 * "Value" says nothing beside the metric and unit of the mapping.
 * @throws GeneratorError 'usage'
 */
export function assertNoPrices(source: string, columns: ColumnMapping): void {
  for (const [metric, { column }] of Object.entries(columns)) {
    const name = metric === 'gas_price_mean' ? column.replace(/gas[ _-]?price/i, '') : column;
    if (isCurrencyName(name)) {
      throw new GeneratorError(
        'usage',
        `${source}: the column "${column}" of ${metric} looks like a price, and this service carries none. ` +
          'Remove it in the policy.',
        { next: RUN_AGAIN },
      );
    }
  }
}

/** Powers of ten that convert to a unit of the catalog, by unit of a column. */
type Exponents = Readonly<Record<string, number>>;

const GAS: Exponents = { gas: 0, Mgas: 6, Ggas: 9 };
const ETH: Exponents = { ETH: 0, gwei: -9, wei: -18 };
const COINS: Readonly<Record<'BTC' | 'ETH', Exponents>> = {
  BTC: { 'native coin': 0, BTC: 0, satoshi: -8 },
  ETH: { 'native coin': 0, ...ETH },
};
/** Units of columns by unit of the catalog, where there are others than that one. */
const UNITS: Readonly<Record<string, Exponents>> = {
  bytes: { bytes: 0, kB: 3, MB: 6, GB: 9 },
  gas: GAS,
  'gas per block': { 'gas per block': 0, ...GAS },
  gwei: { gwei: 0, wei: -9, ETH: 9 },
  ETH,
  'TH/s': { 'H/s': -12, 'kH/s': -9, 'MH/s': -6, 'GH/s': -3, 'TH/s': 0, 'PH/s': 3, 'EH/s': 6 },
};

/** Returns the units that a column of a metric may have, each with the power of ten that converts it to the catalog's. */
function unitsOf(chain: Chain, metric: MetricName): Exponents {
  const { unit } = METRICS[metric];
  if (unit.startsWith('native coin')) return COINS[CHAINS[chain].nativeCoin];
  return UNITS[unit] ?? { [unit]: 0 };
}
