import { codeOf } from '../../../infra/store/system-error.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { endOfDayMs, parseDate } from '../../../schemas/dates.js';
import type { DayValues } from '../../core/collection/values/day-values.js';
import { toMetricValue } from '../../core/collection/values/metric-value.js';
import type { CsvRow } from '../../core/input/input-series.js';
import { csvRows } from '../../input/csv-rows.js';
import {
  chunksWithin,
  createTextReader,
  FileFaultError,
  INPUT_LIMITS,
  type InputFolder,
} from '../../input/input-folder.js';
import { shapeError } from '../shape-error.js';
import { SourceError } from '../source.js';
import type { MappedColumn, MappedFile } from './column-mapping.js';
import { shiftDecimal } from './column-units.js';

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
  const [only = ''] = cells.length === 1 ? cells : [];
  if (only.includes(';')) throw shapeError(`${where}:1`, 'columns separated by commas', 'semicolons');
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

function parseRow(
  where: string,
  { line, cells }: CsvRow,
  layout: Layout,
): { date: string; values: DayValues } {
  const { width, dateAt, columns } = layout;
  if (cells.length !== width) {
    throw shapeError(`${where}:${line}`, `${width} cells as in the header`, String(cells.length));
  }
  const date = MIDNIGHT.exec(cells[dateAt] ?? '')?.[1];
  if (date === undefined || parseDate(date) === undefined) {
    const got = `"${cells[dateAt] ?? ''}"`;
    throw shapeError(`${where}:${line}:${dateAt + 1}`, 'a date as YYYY-MM-DD, or its midnight in UTC', got);
  }
  const values = columns.flatMap(({ metric, column, exponent, at }) => {
    const text = cells[at] ?? '';
    if (text === '') return [];
    const result = toMetricValue(metric, shiftDecimal(text, exponent) ?? text);
    if ('expected' in result) {
      throw shapeError(`${where}:${line}:${at + 1}`, `${column} to be ${result.expected}`, `"${text}"`);
    }
    return [[metric, result.value] as const];
  });
  return { date, values: Object.fromEntries(values) };
}
