import { CHAINS, FIRST_DATE, METRIC_NAMES, metricsOf } from '../../schemas/catalog.js';
import { endOfDayMs, parseDate, toDate, toInstant } from '../../schemas/dates.js';
import type { Chain, MetricName } from '../../schemas/types.generated.js';
import type { InputFault } from './input-fault.js';
import type { InputRow } from './input-series.js';

/** A row of cells with the number of the line that it begins on, from 1. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

/** What the header of a chain's file says: a metric per cell; `undefined` for the date and for faulty cells. */
export type InputHeader = {
  readonly width: number;
  readonly dateAt: number;
  readonly metrics: readonly (MetricName | undefined)[];
};

type Report = (at: { line?: number; column?: number }, message: string, remedy: string) => void;

const FIAT = /usd|eur|gbp|jpy|cny|fiat|price|mrkt|market|roi|reference_?rate|^cap|value/i;
const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const LARGEST = 2 ** 53;
const SMALLEST = 1e-30;

/** Judges the cells of `<chain>.csv` one row at a time, and says what is wrong with each. */
export type TableReader = {
  /** Reads the first row. Resolves `false` when the file cannot be read on. */
  readonly readHeader: (row: CsvRow) => boolean;
  readonly readRow: (row: CsvRow) => void;
  /** To be called after the last row. */
  readonly end: () => void;
  readonly columns: () => readonly MetricName[];
  readonly rows: () => readonly InputRow[];
};

/** A reader of one chain's table. A date whose UTC day is not over at `asOfMs` is a fault. */
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
      fault({ line }, `${kind} row: ${cells.length} cells where the header has ${header.width}`, remedy);
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
      if (header === undefined || seen > 0) return;
      const remedy = 'give it at least one date, or remove the file to keep the published state';
      fault({}, 'the file has no row', remedy);
    },
    columns: () => (header?.metrics ?? []).filter((metric) => metric !== undefined),
    rows: () => rows,
  };
}

/** Reads the dates of a column one after the other; they must ascend, and be over at `asOfMs`. */
function createDateReader(
  asOfMs: number,
  fault: Report,
): (text: string, at: { line: number; column: number }) => number | undefined {
  let lastDay: number | undefined;
  return (text, at) => {
    const day = parseDate(text);
    if (day === undefined) {
      fault(at, `date "${shorten(text)}" is not a date that exists`, 'write YYYY-MM-DD, a UTC day');
      return undefined;
    }
    if (text < FIRST_DATE) {
      fault(at, `date ${text} lies before ${FIRST_DATE}, the first day of any chain`, 'mend the year');
      return undefined;
    }
    const before = lastDay;
    lastDay = Math.max(day, before ?? day);
    if (before !== undefined && day <= before) {
      const kind = day === before ? 'stands twice' : `comes after ${toDate(before)}`;
      fault(at, `date ${text} ${kind}`, 'list each date once, ascending');
      return undefined;
    }
    if (endOfDayMs(day) > asOfMs) {
      const remedy = 'remove the row, or run with a later --as-of';
      fault(at, `date ${text} is not over at ${toInstant(asOfMs)}`, remedy);
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
      fault(at, `column "${shorten(cell)}" stands twice`, 'keep one of them');
      return undefined;
    }
    const metric = metricsOf(chain).find((name) => name === cell);
    if (metric === undefined) reportUnknownColumn(chain, cell, at, fault);
    return metric;
  });
  const dateAt = cells.indexOf('date');
  if (cells.filter((cell) => cell === 'date').length > 1) {
    fault({ line, column: cells.lastIndexOf('date') + 1 }, 'column "date" stands twice', 'keep one of them');
  }
  if (dateAt < 0) {
    fault({ line, column: 1 }, 'no column "date"', 'begin the file with the header row: date, then metrics');
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
  } else if (FIAT.test(cell)) {
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

/** The value of a cell; null when it is empty or faulty. */
function readNumber(
  text: string,
  metric: MetricName,
  at: { line: number; column: number },
  fault: Report,
): number | null {
  if (text === '') return null;
  const shown = `${metric} "${shorten(text)}"`;
  const empty = 'or leave the cell empty when the value is missing';
  if (!NUMBER.test(text)) {
    const unsigned = text.replace(/^-/, '');
    if (/^[+-]?(inf(inity)?|nan)$/i.test(text))
      fault(at, `${shown} is not finite`, `write a finite number, ${empty}`);
    else if (unsigned !== text && NUMBER.test(unsigned))
      fault(at, `${shown} is negative`, `metrics are never negative: mend it, ${empty}`);
    else fault(at, `${shown} is not a number`, `write a decimal such as 12.5 or 9.44e-07, ${empty}`);
    return null;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) {
    fault(at, `${shown} is not finite`, `write a finite number, ${empty}`);
    return null;
  }
  if (value < SMALLEST && isNotZero(text)) {
    fault(at, `${shown} is below 1e-30, where ratios lose their meaning`, 'check the unit of the column');
    return null;
  }
  if (value > LARGEST || (value === LARGEST && !isExactly(text, LARGEST))) {
    fault(at, `${shown} is above 2^53 and cannot be read exactly`, 'check the unit of the column');
    return null;
  }
  return value;
}

/** Whether a decimal text says another number than zero, however small. */
function isNotZero(text: string): boolean {
  return /[1-9]/.test(text.split(/e/i)[0] ?? '');
}

/** Whether a decimal text says this whole number and no more. Precondition: the text is a number near it. */
function isExactly(text: string, whole: number): boolean {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  const digits = BigInt(integer + fraction);
  const shift = Number(exponent) - fraction.length;
  return shift >= 0
    ? digits * 10n ** BigInt(shift) <= BigInt(whole)
    : digits <= BigInt(whole) * 10n ** BigInt(-shift);
}

function shorten(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?');
  return printable.length > 40 ? `${printable.slice(0, 40)}...` : printable;
}
