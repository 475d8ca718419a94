import { CHAINS, FIRST_DATE, METRIC_NAMES, metricsOf } from '../../../schemas/catalog.js';
import { endOfDayMs, parseDate, toDate, toInstant } from '../../../schemas/dates.js';
import type { Chain, MetricName, SourceSegment } from '../../../schemas/types.generated.js';
import { capitalized } from '../../../schemas/words.js';
import { describeValueFault, judgeValue, shorten } from './value-fault.js';

/** The values of a metric, one per date of a series; null where a value is missing. */
export type Column = readonly (number | null)[];

/**
 * The metrics of a chain on every date from the first to the last input date, without gaps.
 * Shape: `dates`, `present` and each column have one element per date, ascending. A metric that the input has no
 * column for is absent. `present` is false on a date without a row.
 */
export type InputSeries = {
  readonly chain: Chain;
  readonly dates: readonly string[];
  readonly present: readonly boolean[];
  readonly metrics: { readonly [metric in MetricName]?: Column };
  readonly sources: readonly SourceSegment[];
};

/** An input row: its day number, and one value per metric in the order of the header. */
export type InputRow = { readonly day: number; readonly values: readonly (number | null)[] };

/**
 * Returns the series of the given rows.
 * Precondition: at least one row; rows ascend by day; each row has one value per column.
 */
export function toInputSeries(
  chain: Chain,
  columns: readonly MetricName[],
  rows: readonly InputRow[],
  sources: readonly SourceSegment[],
): InputSeries {
  const first = rows[0]?.day ?? 0;
  const length = (rows.at(-1)?.day ?? 0) - first + 1;
  const present = new Array<boolean>(length).fill(false);
  const values = columns.map(() => new Array<number | null>(length).fill(null));
  for (const row of rows) {
    present[row.day - first] = true;
    values.forEach((column, c) => {
      column[row.day - first] = row.values[c] ?? null;
    });
  }
  const dates = Array.from({ length }, (_, i) => toDate(first + i));
  const metrics = Object.fromEntries(columns.map((metric, c) => [metric, values[c] ?? []]));
  return { chain, dates, present, metrics, sources };
}

/** Returns the column of `metric`, or a column of nulls if the input lacks the metric. */
export function columnOf(series: InputSeries, metric: MetricName): Column {
  return series.metrics[metric] ?? new Array<null>(series.dates.length).fill(null);
}

/** Returns the metrics with at least one value, in the catalog's order. */
export function metricsWithValues(series: InputSeries): MetricName[] {
  return metricsOf(series.chain).filter((metric) => series.metrics[metric]?.some((value) => value !== null));
}

/** Returns the source segment that covers `date`. */
export function sourceOn(series: InputSeries, date: string): SourceSegment | undefined {
  return series.sources.findLast((segment) => segment.from === undefined || segment.from <= date);
}

/** Returns the series up to and including `date`, which may be outside the series. */
export function cutSeries(series: InputSeries, date: string): InputSeries {
  const length = series.dates.filter((each) => each <= date).length;
  const metrics = Object.fromEntries(
    Object.entries(series.metrics).map(([metric, column]) => [metric, column.slice(0, length)]),
  );
  return {
    ...series,
    dates: series.dates.slice(0, length),
    present: series.present.slice(0, length),
    metrics,
  };
}

/** A row of cells and the number of its first line, counted from 1. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/** The header of a chain's file: one metric per cell, `undefined` for the date and for faulty cells. */
type InputHeader = {
  readonly width: number;
  readonly dateAt: number;
  readonly metrics: readonly (MetricName | undefined)[];
};

type Report = (at: { line?: number; column?: number }, message: string, remedy: string) => void;

/** Parts of names of columns that hold prices or amounts in a currency, whatever a policy says of them. */
const CURRENCY = /usd|dollar|\$|eur|gbp|jpy|cny|fiat|price/i;
/** Other parts of the names that data providers give to prices and fiat values, as in `CapMrktCurUSD`. */
const MARKET = /mrkt|market|roi|reference_?rate|^cap|value/i;

/** Validates `<chain>.csv` row by row and reports every fault. */
export type TableReader = {
  /** Reads the first row. Returns `false` when the rest of the file cannot be read. */
  readonly readHeader: (row: CsvRow) => boolean;
  readonly readRow: (row: CsvRow) => void;
  /** Completes the checks. Call it after the last row of a file, unless reading stopped before. */
  readonly end: () => void;
  readonly columns: () => readonly MetricName[];
  readonly rows: () => readonly InputRow[];
};

/** Creates the reader of one chain's table. A date whose UTC day has not ended at `asOfMs` is a fault. */
export function createTableReader(
  chain: Chain,
  asOfMs: number,
  report: (fault: InputFault) => void,
): TableReader {
  const file = `${chain}.csv`;
  const fault: Report = (at, message, remedy) => report({ chain, file, ...at, message, remedy });
  let header: InputHeader | undefined;
  const readDate = createDateReader(asOfMs, fault);
  const rows: InputRow[] = [];
  let seen = 0;

  function readRow({ line, cells }: CsvRow): void {
    if (header === undefined) return;
    seen += 1;
    if (cells.length !== header.width) {
      const kind = cells.length < header.width ? 'short' : 'long';
      const remedy = 'give the row one cell per column; an empty cell means missing';
      fault(
        { line },
        `${kind} row: ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where the header has ${header.width}`,
        remedy,
      );
      return;
    }
    const day = readDate(cells[header.dateAt] ?? '', { line, column: header.dateAt + 1 });
    const values: (number | null)[] = [];
    header.metrics.forEach((metric, c) => {
      if (metric === undefined) return;
      values.push(readNumber(cells[c] ?? '', metric, { line, column: c + 1 }, fault));
    });
    if (day !== undefined) rows.push({ day, values });
  }

  return {
    readHeader(row) {
      header = readHeaderCells(chain, row, fault);
      return header !== undefined;
    },
    readRow,
    end() {
      if (header === undefined) {
        fault({}, 'the file is empty', 'start the file with the header row: date, then metrics');
      } else if (seen === 0) {
        const remedy = 'add at least one date, or remove the file to keep the published state';
        fault({}, 'the file has no rows', remedy);
      }
    },
    columns: () => (header?.metrics ?? []).filter((metric) => metric !== undefined),
    rows: () => rows,
  };
}

/** Creates a reader of date cells. Dates must ascend, and their day must have ended at `asOfMs`. */
function createDateReader(
  asOfMs: number,
  fault: Report,
): (text: string, at: { line: number; column: number }) => number | undefined {
  let lastDay: number | undefined;
  return (text, at) => {
    const day = parseDate(text);
    if (day === undefined) {
      fault(at, `date "${shorten(text)}" does not exist`, 'write a UTC day as YYYY-MM-DD');
      return undefined;
    }
    if (text < FIRST_DATE) {
      fault(at, `date ${text} is before ${FIRST_DATE}, the first day of any chain`, 'correct the year');
      return undefined;
    }
    const before = lastDay;
    lastDay = Math.max(day, before ?? day);
    if (before !== undefined && day <= before) {
      const kind = day === before ? 'appears twice' : `comes after ${toDate(before)}`;
      fault(at, `date ${text} ${kind}`, 'list each date once, in ascending order');
      return undefined;
    }
    if (endOfDayMs(day) > asOfMs) {
      const remedy = 'remove the row, or run with a later --as-of';
      fault(at, `date ${text} has not ended at ${toInstant(asOfMs)}`, remedy);
      return undefined;
    }
    return day;
  };
}

function readHeaderCells(chain: Chain, { line, cells }: CsvRow, fault: Report): InputHeader | undefined {
  const metrics = cells.map((cell, c) => {
    if (cell === 'date') return undefined;
    const at = { line, column: c + 1 };
    if (cells.indexOf(cell) < c) {
      fault(at, `column "${shorten(cell)}" appears twice`, 'keep one of them');
      return undefined;
    }
    const metric = metricsOf(chain).find((name) => name === cell);
    if (metric === undefined) reportUnknownColumn(chain, cell, at, fault);
    return metric;
  });
  const dateAt = cells.indexOf('date');
  if (cells.filter((cell) => cell === 'date').length > 1) {
    fault({ line, column: cells.lastIndexOf('date') + 1 }, 'column "date" appears twice', 'keep one of them');
  }
  if (dateAt < 0) {
    fault({ line, column: 1 }, 'no column "date"', 'start the file with a header row: date, then metrics');
    return undefined;
  }
  return { width: cells.length, dateAt, metrics };
}

function reportUnknownColumn(
  chain: Chain,
  cell: string,
  at: { line: number; column: number },
  fault: Report,
): void {
  const name = `column "${shorten(cell)}"`;
  if ((METRIC_NAMES as readonly string[]).includes(cell)) {
    fault(
      at,
      `${name} is not supported on ${chain}`,
      `remove it; ${CHAINS[chain].name} has ${metricsOf(chain).join(', ')}`,
    );
  } else if (isPriceName(cell)) {
    fault(
      at,
      `${name} looks like a price or a fiat value, and this service carries neither (product boundary)`,
      'remove the column',
    );
  } else {
    fault(
      at,
      `${name} is unknown`,
      `remove or rename it; ${CHAINS[chain].name} has ${metricsOf(chain).join(', ')}`,
    );
  }
}

/** Returns whether the name of a column that is no metric says that it holds prices, or amounts in a currency. */
export function isPriceName(column: string): boolean {
  return CURRENCY.test(column) || MARKET.test(column);
}

/** Returns whether the name of a column names a price or a currency, so that no mapping can make a metric of it. */
export function isCurrencyName(column: string): boolean {
  return CURRENCY.test(column);
}

/** Returns the value of a cell, or null when it is empty or faulty. */
function readNumber(
  text: string,
  metric: MetricName,
  at: { line: number; column: number },
  fault: Report,
): number | null {
  if (text === '') return null;
  const found = judgeValue(metric, text);
  if (found === undefined) return Number(text) + 0; // -0 is 0
  const { message, remedy } = describeValueFault(found, { column: metric, metric, text });
  fault(at, message, remedy);
  return null;
}

/** A fault in the input, with its location and its fix. Lines and columns count from 1. */
export type InputFault = {
  /** The affected chain. Absent when the fault affects every chain. */
  readonly chain?: Chain;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** States the fault and names the column or member. */
  readonly message: string;
  readonly remedy: string;
};

/** Returns the fault in one printable line: `bitcoin.csv:12:4: fault. Fix.` */
export function formatInputFault({ file, line, column, message, remedy }: InputFault): string {
  const location = [file, line, column].filter((part) => part !== undefined).join(':');
  const text = `${location}: ${message}. ${capitalized(remedy)}.`;
  return text.replace(/\p{C}/gu, '?');
}
