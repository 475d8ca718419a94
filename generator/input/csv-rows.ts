import { parse } from 'fast-csv';
import type { CsvRow } from '../core/input/input-series.js';
import { FileFaultError } from './input-folder.js';

const REMEDY = 'fix the row: RFC 4180, comma-separated, quotes only around a whole cell';
const BYTE_ORDER_MARK = '\uFEFF';
/** Signs that programs write between columns instead of commas. */
const SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;
/** Number of lines that the parser gets at once: with one at a time, most of the time goes into its stream. */
const BATCH_LINES = 256;

/**
 * Yields the rows of CSV lines with their line numbers. A cell with a line break is refused.
 * @throws FileFaultError for a line that is not CSV; the errors of `lines`, after the rows before them.
 */
export async function* csvRows(lines: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  let line = 1;
  for await (const batch of batchesOf(lines)) {
    const first = line;
    if (first === 1) refuseSeparators(batch[0] ?? '');
    const isWhole = batch.every((text, i) => findFault(text, first + i) === undefined);
    const rows = isWhole ? await parseRows(batch.join('')).catch(() => undefined) : undefined;
    if (rows !== undefined) {
      for (const cells of rows) yield { line: line++, cells };
      continue;
    }
    for (const text of batch) for (const cells of await parseLine(text, line)) yield { line: line++, cells };
  }
}

/** Throws FileFaultError for a header whose columns are separated by another sign than commas. */
function refuseSeparators(header: string): void {
  const name = header.includes(',') ? undefined : SEPARATORS.find(([sign]) => header.includes(sign))?.[1];
  if (name === undefined) return;
  throw new FileFaultError(`its columns are separated by ${name}`, 'separate them by commas', 1);
}

/** Groups the lines. Those before an error of `lines` are a group of their own. */
async function* batchesOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const text of lines) {
      batch.push(text);
      if (batch.length < BATCH_LINES) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    failure = { error };
  }
  if (batch.length > 0) yield batch;
  if (failure !== undefined) throw failure.error;
}

/** Parses a line: one row, or several if carriage returns alone end them. @throws FileFaultError. */
async function parseLine(text: string, line: number): Promise<string[][]> {
  const fault = findFault(text, line);
  if (fault !== undefined) throw notCsv(fault, line);
  return parseRows(text).catch((error: unknown) => {
    throw notCsv(error instanceof Error ? error.message : String(error), line);
  });
}

/** Returns why a line is refused before it is parsed; `undefined` if it is not. */
function findFault(text: string, line: number): string | undefined {
  // A cell that spans lines is not valid here, and an open quote would make the parser read all later lines again and again.
  if (text.split('"').length % 2 === 0) return 'a quote is left open on its line';
  return line > 1 && text.startsWith(BYTE_ORDER_MARK) ? 'a byte order mark inside the file' : undefined;
}

async function parseRows(text: string): Promise<string[][]> {
  const parser = parse<string[], string[]>({ headers: false, ignoreEmpty: false });
  parser.end(text);
  return parser.toArray() as Promise<string[][]>; // rows without headers are arrays of texts
}

function notCsv(message: string, line: number): FileFaultError {
  return new FileFaultError(`not CSV: ${(message.split('\n')[0] ?? '').slice(0, 80)}`, REMEDY, line);
}
