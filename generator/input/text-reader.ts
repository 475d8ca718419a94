import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { FileFaultError } from './file-fault.js';

/** What is known of a text file after its last byte. */
export type TextEnd = {
  readonly lines: number;
  readonly hasFinalLineEnd: boolean;
  readonly sha256: string;
};

/** Reads a text file once, line by line. */
export type TextReader = {
  /** Yields the lines, line ends included. @throws FileFaultError if one is not UTF-8. */
  readonly lines: () => AsyncGenerator<string>;
  /** Returns the end of the file, or `undefined` before it was reached. */
  readonly end: () => TextEnd | undefined;
};

export function createTextReader(source: AsyncIterable<Buffer>): TextReader {
  const hash = createHash('sha256');
  let line = 0;
  let end: TextEnd | undefined;

  function decode(bytes: Buffer): string {
    line += 1;
    if (!isUtf8(bytes)) throw new FileFaultError('the text is not UTF-8', 'save the file as UTF-8', { line });
    return bytes.toString('utf8');
  }

  async function* lines(): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of source) {
      hash.update(chunk);
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
        yield decode(rest.subarray(0, at + 1));
        rest = rest.subarray(at + 1);
      }
    }
    if (rest.length > 0) yield decode(rest);
    end = { lines: line, hasFinalLineEnd: rest.length === 0, sha256: hash.digest('hex') };
  }

  return { lines, end: () => end };
}
