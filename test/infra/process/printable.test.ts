import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { createLogger } from '../../../gateway/io/operation/logger.js';
import { createLogLines } from '../../../generator/terminal/log-lines.js';
import { createProgressDisplay } from '../../../generator/terminal/progress-display.js';
import { formatFailure } from '../../../infra/process/exit-codes.js';
import { formatTable } from '../../../infra/process/format-table.js';
import { createPaint } from '../../../infra/process/paint.js';
import { printable, printableCell, printableColoured, shownJson } from '../../../infra/process/printable.js';
import { printLine, warnLine } from '../../../infra/process/run-program.js';

const ROOT = path.join(import.meta.dirname, '../../..');
/** What a terminal must not get, but for line feeds. */
const HIDDEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;
const GREEN = '\u001b[32mpublished\u001b[39m';

/** Draws text of any code units, often of those that move a cursor, colour or reorder. */
function hostileText(): fc.Arbitrary<string> {
  const pieces = [
    '\u001b[2J',
    '\u001b[31m',
    '\u001b]0;x\u0007',
    '\u009b31m',
    '\u202e',
    '\u2066',
    '\u2028',
    '\ud800',
  ];
  const outcomes = [
    'published',
    'refused: ',
    'a b',
    '\n',
    '\r',
    '\t',
    '\u007f',
    '\u0085',
    '\uFEFF',
    '😀',
    'é',
  ];
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  return fc.array(fc.oneof(fc.constantFrom(...pieces, ...outcomes), unit)).map((parts) => parts.join(''));
}

/** Returns what a stream of this process gets while `write` runs. */
function written(stream: NodeJS.WriteStream, write: () => void): string {
  const own = stream.write.bind(stream);
  let text = '';
  stream.write = (piece: string | Uint8Array): boolean => {
    text += String(piece);
    return true;
  };
  try {
    write();
  } finally {
    stream.write = own;
  }
  return text;
}

it.each([
  ['\u001b[2Jgone', '?[2Jgone'],
  ['\u009b31mred', '?31mred'],
  ['exe\u202etxt.', 'exe?txt.'],
  ['one\u2028two\u2029three', 'one?two?three'],
  ['\r\ud800\t\u007f\uFEFF', '?????'],
  ['one\ntwo', 'one\ntwo'],
  ['No control: é 日本 😀 \u00a0…', 'No control: é 日本 😀 \u00a0…'],
])('the text %j is printed as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it.each([
  [`bitcoin  ${GREEN}  2 days`, `bitcoin  ${GREEN}  2 days`],
  ['\u001b[1mExit codes:\u001b[22m', '\u001b[1mExit codes:\u001b[22m'],
  ['\u001b[31mnever ends', '?[31mnever ends'],
  ['\u001b[41mpublished\u001b[39m', '?[41mpublished?[39m'],
  ['\u001b[32mone\ntwo\u001b[39m', '?[32mone\ntwo?[39m'],
])('colours stay where they end after a few words: %j', (text, shown) => {
  expect(printableColoured(text)).toBe(shown);
});

it('a cell of a table is one line', () => {
  expect(printableCell(`${GREEN}\na`)).toBe(`${GREEN}?a`);
  expect(formatTable(['a', 'b'], [['x\ny', '\u001b[2J']])).toBe('a    b\nx?y  ?[2J');
});

it('JSON keeps its value and escapes what a terminal does not show', () => {
  expect(shownJson({ name: 'a\u009b\u202e\n\u007f\u{e0041}' })).toBe(
    '{\n  "name": "a\\u009b\\u202e\\n\\u007f\\udb40\\udc41"\n}',
  );
  fc.assert(
    fc.property(hostileText(), (text) => {
      expect(JSON.parse(shownJson({ [text]: text }))).toEqual({ [text]: text });
    }),
  );
});

describe('whatever the text is, no control character is in', () => {
  const paint = createPaint(Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 4 }));
  const failure = { bug: { code: 70, meaning: '' } };
  const logged = (write: (destination: { write: (line: string) => void }) => void): string => {
    let text = '';
    write({ write: (line) => void (text += line) });
    expect(text.trim()).not.toContain('\n'); // one document per line
    JSON.parse(text);
    return text;
  };
  const now = (): number => 0;

  it.each<[string, (text: string) => string]>([
    ['a line of stdout', (text) => written(process.stdout, () => printLine(text)).replace(/.\[\d+m/gu, '')],
    ['a line of stderr', (text) => written(process.stderr, () => warnLine(text, (each) => each))],
    ['a table', (text) => formatTable([text], [[text]]).replace(/.\[\d+m/gu, '')],
    ['a failure as JSON', (text) => formatFailure(failure, { exit: 'bug', message: text, next: text })],
    [
      'a log line of the generator',
      (text) =>
        logged((destination) => createLogLines({ destination, quiet: false, now, clock: now }).warn(text)),
    ],
    [
      'a log line of the gateway',
      (text) =>
        logged((destination) =>
          createLogger({ destination, level: 'info', scrub: (each) => each }).error({
            err: new Error(text),
            [text]: text,
          }),
        ),
    ],
    [
      'a finished stage',
      (text) => {
        const stream = new PassThrough({ encoding: 'utf8' });
        const progress = createProgressDisplay({ quiet: false, stream: stream as never, now });
        progress.begin('verify');
        progress.end(text);
        return String(stream.read());
      },
    ],
  ])('%s', (_, show) => {
    fc.assert(fc.property(hostileText(), (text) => !HIDDEN.test(show(text))));
  });

  it('a painted line, but for the colours of its outcome', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const line = written(process.stderr, () => warnLine(`refused: ${text}`, paint));
        const [outcome = ''] = /\u001b\[3[123]m(published|refused:?)\u001b\[39m/.exec(line) ?? [];
        expect(outcome).not.toBe('');
        expect(line.replace(outcome, '')).not.toMatch(HIDDEN);
      }),
    );
  });
});

it('only run-program.ts and the progress display write to the terminal', () => {
  const files = ['generator', 'gateway', 'infra/process', 'infra/store', 'schemas'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(folder, file)),
  );
  const writers = files.filter((file) =>
    /\bconsole\.|\bstd(out|err)\.write|\bstream\.write|\bwriteSync\(\s*[12]\b/.test(
      readFileSync(path.join(ROOT, file), 'utf8'),
    ),
  );
  expect(writers).toEqual(['generator/terminal/progress-display.ts', 'infra/process/run-program.ts']);
});
