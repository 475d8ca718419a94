import { PassThrough } from 'node:stream';
import { createProgressDisplay } from '../../../generator/terminal/progress-display.js';

/** Returns a terminal that keeps what is written to it. */
function createTerminal(): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  let text = '';
  const stream = new PassThrough().on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ignore = (): boolean => true;
  const terminal = Object.assign(stream, { isTTY: true, columns: 100, cursorTo: ignore, clearLine: ignore });
  return { stream: terminal as unknown as NodeJS.WriteStream, text: () => text };
}

describe('the progress bar', () => {
  let nowMs = 0;
  const step = (seconds: number): void => void (nowMs += seconds * 1_000);

  it('names the time left once it can be estimated', async () => {
    const { stream, text } = createTerminal();
    const progress = createProgressDisplay({ quiet: false, stream, now: () => nowMs });
    progress.begin('write', 100);
    step(5);
    progress.advance(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(text()).toContain('1/100');
    expect(text()).not.toContain('left');
    step(1);
    progress.advance(49);
    await new Promise((resolve) => setTimeout(resolve, 200));
    progress.abandon();
    expect(text()).toContain('50/100, about 5 s left');
  });

  it('ends with a line with the duration of the stage', () => {
    const { stream, text } = createTerminal();
    const progress = createProgressDisplay({ quiet: false, stream, now: () => nowMs });
    progress.begin('verify');
    step(1.5);
    progress.end('1 fault');
    expect(text()).toBe('verifying: 1 fault (1.5 s)\n');
  });
});
