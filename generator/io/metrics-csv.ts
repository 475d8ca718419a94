import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { parse } from 'fast-csv';
import type { Chain, SourceSegment } from '../../schemas/types.generated.js';
import { codeOf } from '../../infra/store/system-error.js';
import type { InputFault } from '../core/input-fault.js';
import { toInputSeries, type InputSeries } from '../core/input-series.js';
import { createTableReader } from '../core/input-table.js';
import type { InputFolder } from './input-folder.js';

/** Number of faults of one file after which it is not read on. */
export const FAULTS_PER_FILE = 20;

/**
 * Reads `<chain>.csv` of `folder` as a stream. Resolves the series, or every fault of the file up to a limit;
 * `undefined` and a fault for each thing that is wrong with it.
 */
export async function readMetricsCsv(
  folder: InputFolder,
  chain: Chain,
  asOfMs: number,
  sources: readonly SourceSegment[],
): Promise<{ readonly series?: InputSeries; readonly faults: readonly InputFault[] }> {
  const file = `${chain}.csv`;
  const source = await folder.open(file);
  const faults: InputFault[] = [];
  const reader = createTableReader(chain, asOfMs, (fault) => faults.push(fault));
  try {
    let begun = false;
    for await (const row of csvRows(source)) {
      if (begun) reader.readRow(row);
      else if (!reader.readHeader(row)) break;
      begun = true;
      if (faults.length >= FAULTS_PER_FILE) break;
    }
    if (!begun && faults.length === 0) {
      const remedy = 'begin it with the header row: date, then metrics';
      faults.push({ chain, file, message: 'the file is empty', remedy });
    }
    if (faults.length < FAULTS_PER_FILE) reader.end();
  } catch (error) {
    faults.push({ chain, file, ...describeReadError(error) });
  }
  if (faults.length > 0) return { faults: faults.slice(0, FAULTS_PER_FILE) };
  return { series: toInputSeries(chain, reader.columns(), reader.rows(), sources), faults };
}

/** The rows of a CSV file with their line numbers; a quoted line break within a cell counts as a line. */
async function* csvRows(source: Readable): AsyncGenerator<{ line: number; cells: string[] }> {
  const parser = parse<string[], string[]>({ headers: false, ignoreEmpty: false });
  const fault: { line?: number } = {};
  const feeding = feed(source, parser, fault);
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      yield { line, cells };
      line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\n/g)?.length ?? 0), 0);
    }
    await feeding;
  } catch (error) {
    throw isPlaced(error) ? error : new UnreadableRowError(fault.line ?? line, error);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Writes a line at a time to the parser, so that `fault` learns the line of a fault; an error ends the parser with it. */
async function feed(
  source: Readable,
  parser: ReturnType<typeof parse>,
  fault: { line?: number },
): Promise<void> {
  let fed = 0;
  try {
    for await (const line of textLines(source)) {
      if (parser.destroyed) return;
      const number = (fed += 1);
      // No cell of ours spans lines; and a quote left open would make the parser read all that follows again and again.
      if (line.split('"').length % 2 === 0)
        throw new UnreadableRowError(number, 'a quote is left open on its line');
      const more = parser.write(line, (error) => {
        if (error) fault.line ??= number;
      });
      if (!more) await drained(parser);
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error); // what a stream or decoder throws is an Error
  }
}

/** Resolves when the parser takes more, or never will. */
function drained(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      parser.off('drain', done).off('close', done);
      resolve();
    };
    parser.on('drain', done).on('close', done);
  });
}

/** The lines of a stream with their ends, decoded strictly. */
async function* textLines(source: Readable): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  const decode = (bytes: Buffer): string => {
    if (!isUtf8(bytes)) throw new InvalidTextError(line);
    line += 1;
    return bytes.toString('utf8');
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield decode(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield decode(rest);
}

function isPlaced(error: unknown): error is InvalidTextError | UnreadableRowError {
  return error instanceof InvalidTextError || error instanceof UnreadableRowError;
}

class InvalidTextError extends Error {
  readonly line: number;

  constructor(line: number) {
    super('not UTF-8');
    this.line = line;
  }
}

class UnreadableRowError extends Error {
  readonly line: number;

  constructor(line: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.line = line;
  }
}

function describeReadError(error: unknown): Pick<InputFault, 'line' | 'message' | 'remedy'> {
  if (error instanceof InvalidTextError) {
    return { line: error.line, message: 'the text is not UTF-8', remedy: 'save the file as UTF-8' };
  }
  if (error instanceof UnreadableRowError) {
    const message = codeOf(error.cause) ?? error.message.split('\n')[0] ?? 'unreadable';
    const remedy = 'mend the file: RFC 4180, comma-separated, a quote only around a whole cell';
    return codeOf(error.cause) === undefined
      ? { line: error.line, message: `not CSV: ${message.slice(0, 80)}`, remedy }
      : { message: `cannot be read (${message})`, remedy: 'check that it is a file that this user may read' };
  }
  throw error;
}
