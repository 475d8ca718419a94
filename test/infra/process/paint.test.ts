import { PassThrough } from 'node:stream';
import { createPaint, hasColours } from '../../../infra/process/paint.js';

/** Returns a stream that is a terminal with 16 colours, or none. */
function createStream(isTTY: boolean): NodeJS.WritableStream {
  return Object.assign(new PassThrough(), { isTTY, getColorDepth: () => 4 });
}

const VARIABLES = ['FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS'];
let before: NodeJS.ProcessEnv;
beforeEach(() => {
  before = { ...process.env };
  for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
});
afterEach(() => {
  process.env = before;
});

describe('on a terminal', () => {
  it.each([
    ['published: 2025-01-01.000001', '\u001b[32mpublished\u001b[39m: 2025-01-01.000001'],
    ['bitcoin: refused: 3 dates', 'bitcoin: \u001b[31mrefused\u001b[39m: 3 dates'],
    ['bitcoin: publication is held: why', 'bitcoin: \u001b[33mpublication is held\u001b[39m: why'],
    ['warming up until 2025-04-10', '\u001b[33mwarming up\u001b[39m until 2025-04-10'],
    ['generator: the disk is full', '\u001b[31mgenerator:\u001b[39m the disk is full'],
  ])('the outcome at the beginning is coloured: %s', (text, painted) => {
    expect(createPaint(createStream(true))(text)).toBe(painted);
  });

  it.each([
    'acme: research through 2026-12-31',
    'refusedly',
    'held-back',
    'it is refused',
    'generator publish --input x',
    'crd_live_12345678_published',
    '',
  ])('nothing else is coloured: %s', (text) => {
    expect(createPaint(createStream(true))(text)).toBe(text);
  });

  it('no colour appears if Node finds that it has none', () => {
    const terminal = Object.assign(createStream(true), { getColorDepth: () => 1 });
    expect(createPaint(terminal)('refused: x')).toBe('refused: x');
    expect([hasColours(terminal), hasColours(createStream(true))]).toEqual([false, true]);
  });
});

it('elsewhere nothing is coloured, unless FORCE_COLOR asks for it', () => {
  const pipe = createStream(false);
  expect([createPaint(pipe)('refused: x'), hasColours(pipe)]).toEqual(['refused: x', false]);
  process.env['FORCE_COLOR'] = '1';
  expect([createPaint(pipe)('refused'), hasColours(pipe)]).toEqual(['\u001b[31mrefused\u001b[39m', true]);
});
