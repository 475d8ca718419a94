import { parse } from 'fast-csv';
import type { CsvRow } from '../core/input/input-table.js';
import { FileFaultError } from './file-fault.js';

const REMEDY = 'fix the row: RFC 4180, comma-separated, quotes only around a whole cell';

type Parser = ReturnType<typeof parse>;
/** Why feeding the parser ended early: the line that it refused, or the error of the lines. */
type FeedFault = { line?: number; error?: unknown };

/**
 * Yields the rows of CSV lines with the numbers of their first lines: a quoted cell may contain line breaks.
 * @throws FileFaultError for a line that is not CSV; the errors of `lines`.
 */
export async function* csvRows(lines: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const parser = parse<string[], string[]>({ headers: false, ignoreEmpty: false });
  const fault: FeedFault = {};
  const feeding = feedLines(lines, parser, fault);
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      yield { line, cells };
      line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\n/g)?.length ?? 0), 0);
    }
    await feeding;
  } catch (error) {
    throw fault.error ?? notCsv(error instanceof Error ? error.message : String(error), fault.line ?? line);
  } finally {
    parser.destroy();
  }
}

/** Writes one line at a time to the parser, so that `fault` gets the line of a fault. An error destroys the parser. */
async function feedLines(lines: AsyncIterable<string>, parser: Parser, fault: FeedFault): Promise<void> {
  let line = 0;
  try {
    for await (const text of lines) {
      if (parser.destroyed) return;
      const number = (line += 1);
      // No valid cell spans lines, and an open quote would make the parser read all later lines again and again.
      if (text.split('"').length % 2 === 0) throw notCsv('a quote is left open on its line', number);
      const isReady = parser.write(text, (error) => {
        if (error) fault.line ??= number;
      });
      if (!isReady) await drained(parser);
    }
    parser.end();
  } catch (error) {
    fault.error = error;
    parser.destroy(error as Error); // streams and decoders throw only errors
  }
}

/** Resolves when the parser accepts more data, or was closed. */
function drained(parser: Parser): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      parser.off('drain', settle).off('close', settle);
      resolve();
    };
    parser.on('drain', settle).on('close', settle);
  });
}

function notCsv(message: string, line: number): FileFaultError {
  return new FileFaultError(`not CSV: ${(message.split('\n')[0] ?? '').slice(0, 80)}`, REMEDY, { line });
}
