import { parse } from 'fast-csv';
import type { CsvRow } from '../core/input/input-series.js';
import { FileFaultError } from './input-folder.js';

const REMEDY = 'fix the row: RFC 4180, comma-separated, quotes only around a whole cell';

type Parser = ReturnType<typeof parse>;

/**
 * Yields the rows of CSV lines with their line numbers. A cell with a line break is refused.
 * @throws FileFaultError for a line that is not CSV; the errors of `lines`, after the rows before them.
 */
export async function* csvRows(lines: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const parser = parse<string[], string[]>({ headers: false, ignoreEmpty: false });
  const refused: { line?: number } = {};
  const feeding = feedLines(lines, parser, refused);
  feeding.catch(() => undefined); // awaited below
  let line = 1;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      yield { line, cells };
      line += 1;
    }
  } catch (error) {
    throw notCsv(error instanceof Error ? error.message : String(error), refused.line ?? line);
  } finally {
    parser.destroy();
  }
  await feeding;
}

/** Writes one line at a time to the parser, so that `refused` gets the line that it does not accept. */
async function feedLines(
  lines: AsyncIterable<string>,
  parser: Parser,
  refused: { line?: number },
): Promise<void> {
  let line = 0;
  try {
    for await (const text of lines) {
      if (parser.destroyed) return;
      const number = (line += 1);
      // A cell that spans lines is not valid here, and an open quote would make the parser read all later lines again and again.
      if (text.split('"').length % 2 === 0) throw notCsv('a quote is left open on its line', number);
      const isReady = parser.write(text, (error) => {
        if (error) refused.line ??= number;
      });
      if (!isReady) await drained(parser);
    }
  } finally {
    parser.end();
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
  return new FileFaultError(`not CSV: ${(message.split('\n')[0] ?? '').slice(0, 80)}`, REMEDY, line);
}
