import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { parse } from 'fast-csv';
import type { Chain, SourceSegment } from '../../schemas/types.generated.js';
import { codeOf } from '../../infra/store/system-error.js';
import type { InputFault } from '../core/input/input-fault.js';
import { toInputSeries, type InputSeries } from '../core/input/input-series.js';
import { createTableReader } from '../core/input/input-table.js';
import type { InputFolder } from './input-folder.js';

/** Reading a file stops after this number of faults. */
const MAX_FAULTS_PER_FILE = 20;

/** Reads `<chain>.csv` of `folder` as a stream. Returns its series, or its faults up to a limit. */
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
    let hasHeader = false;
    for await (const row of csvRows(source)) {
      if (hasHeader) reader.readRow(row);
      else if (!reader.readHeader(row)) break;
      hasHeader = true;
      if (faults.length >= MAX_FAULTS_PER_FILE) break;
    }
    if (!hasHeader && faults.length === 0) {
      const remedy = 'start the file with the header row: date, then metrics';
      faults.push({ chain, file, message: 'the file is empty', remedy });
    }
    if (faults.length < MAX_FAULTS_PER_FILE) reader.end();
  } catch (error) {
    faults.push({ chain, file, ...describeReadError(error) });
  }
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS_PER_FILE) };
  return { series: toInputSeries(chain, reader.columns(), reader.rows(), sources), faults };
}

/** Yields the rows of a CSV file with the numbers of their first lines: a quoted cell may contain line breaks. */
async function* csvRows(source: Readable): AsyncGenerator<{ line: number; cells: string[] }> {
  const parser = parse<string[], string[]>({ headers: false, ignoreEmpty: false });
  const fault: { line?: number } = {};
  const feeding = feedLines(source, parser, fault);
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      yield { line, cells };
      line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\n/g)?.length ?? 0), 0);
    }
    await feeding;
  } catch (error) {
    const hasLine = error instanceof InvalidTextError || error instanceof UnreadableRowError;
    throw hasLine ? error : new UnreadableRowError(fault.line ?? line, error);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Writes one line at a time to the parser, so that `fault` gets the line of a fault. An error destroys the parser. */
async function feedLines(
  source: Readable,
  parser: ReturnType<typeof parse>,
  fault: { line?: number },
): Promise<void> {
  let line = 0;
  try {
    for await (const text of textLines(source)) {
      if (parser.destroyed) return;
      const number = (line += 1);
      // No valid cell spans lines, and an open quote would make the parser read all later lines again and again.
      if (text.split('"').length % 2 === 0)
        throw new UnreadableRowError(number, 'a quote is left open on its line');
      const isReady = parser.write(text, (error) => {
        if (error) fault.line ??= number;
      });
      if (!isReady) await drained(parser);
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error); // streams and decoders throw only errors
  }
}

/** Resolves when the parser accepts more data, or was closed. */
function drained(parser: ReturnType<typeof parse>): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      parser.off('drain', settle).off('close', settle);
      resolve();
    };
    parser.on('drain', settle).on('close', settle);
  });
}

/** Yields the lines of a stream, line ends included. @throws InvalidTextError if one is not UTF-8. */
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
    const remedy = 'fix the row: RFC 4180, comma-separated, quotes only around a whole cell';
    return codeOf(error.cause) === undefined
      ? { line: error.line, message: `not CSV: ${message.slice(0, 80)}`, remedy }
      : {
          message: `cannot be read (${message})`,
          remedy: 'make sure that it is a file that this user may read',
        };
  }
  throw error;
}
