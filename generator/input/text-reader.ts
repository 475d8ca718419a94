import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { FileFaultError } from './file-fault.js';
import { describeExcess, type InputLimit } from './input-limits.js';

/** Facts about a text file that was read to its end. */
export type TextEnd = {
  readonly lines: number;
  readonly hasFinalLineEnd: boolean;
  readonly sha256: string;
};

/** Reads a text file once, line by line. */
type TextReader = {
  /** Yields the lines, line ends included. @throws FileFaultError if one is not UTF-8 or too long. */
  readonly lines: () => AsyncGenerator<string>;
  /** Returns the end of the file, or `undefined` before it was reached. */
  readonly end: () => TextEnd | undefined;
};

/** Creates the reader of a file. The memory that it needs is bounded by the limit of a line. */
export function createTextReader(source: AsyncIterable<Buffer>, limit: InputLimit): TextReader {
  const hash = createHash('sha256');
  let line = 0;
  let end: TextEnd | undefined;

  /** Decodes a line; `dropped` is the number of its bytes that were only counted. */
  function decode(bytes: Buffer, dropped: number): string {
    line += 1;
    const size = dropped + bytes.length;
    if (size > limit.max)
      throw new FileFaultError(`the line ${describeExcess(limit, size)}`, 'break or remove the line', line);
    if (!isUtf8(bytes)) throw new FileFaultError('the text is not UTF-8', 'save the file as UTF-8', line);
    return bytes.toString('utf8');
  }

  async function* lines(): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    let dropped = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
        yield decode(rest.subarray(0, at + 1), dropped);
        rest = rest.subarray(at + 1);
      }
      if (dropped + rest.length > limit.max) {
        dropped += rest.length;
        rest = Buffer.alloc(0);
      }
    }
    if (dropped + rest.length > 0) yield decode(rest, dropped);
    end = { lines: line, hasFinalLineEnd: rest.length === 0, sha256: hash.digest('hex') };
  }

  return { lines, end: () => end };
}
