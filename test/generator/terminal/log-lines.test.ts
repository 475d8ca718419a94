import { createLogLines } from '../../../generator/terminal/log-lines.js';

function createLog(): {
  lines: () => unknown[];
  log: ReturnType<typeof createLogLines>;
  step: (ms: number) => void;
} {
  let text = '';
  let clockMs = 0;
  const destination = { write: (line: string) => void (text += line) };
  const log = createLogLines({ destination, quiet: false, now: () => 0, clock: () => clockMs });
  return {
    log,
    lines: () =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown), // one document per line
    step: (ms) => void (clockMs += ms),
  };
}

it('a stage ends with a line that has its count, its duration and its note, if it has one', () => {
  const { log, lines, step } = createLog();
  log.progress.begin('write', 3);
  log.progress.advance(3);
  step(1_500);
  log.progress.end('3 objects');
  log.progress.begin('commit');
  log.progress.end();
  const ends = lines().filter((line) => (line as { event?: string }).event === 'end'); // read for one member
  expect(ends).toEqual([
    expect.objectContaining({ stage: 'write', note: '3 objects', count: 3, seconds: 1.5 }),
    expect.not.objectContaining({ note: expect.anything() }),
  ]);
});
