import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Stage } from '../../../generator/run/progress.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { runStaged, type StageAction } from '../../support/process/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const HANG_LISTING = pathToFileURL(
  path.join(import.meta.dirname, '../../support/kills/hang-listing.mjs'),
).href;
const SLOW_MS = 300_000;

let folder: TemporaryFolder;
let short: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  short = await writeSmallInput(path.join(folder.path, 'short'), { days: { bitcoin: 14 } });
}, SLOW_MS);
afterAll(() => folder.dispose(), SLOW_MS);

function interruptBy(signal: NodeJS.Signals, stage: Stage): StageAction {
  return { stage, act: (child) => child.kill(signal) };
}

describe('an interrupt', () => {
  it(
    'ends a run in the middle of a long plan',
    async () => {
      const input = await writeSmallInput(path.join(folder.path, 'long'), {
        days: { bitcoin: 600, ethereum: 600, arbitrum: 600, base: 600 },
      });
      const store = `file:${folder.path}/long-plan`;
      const args = ['plan', '--input', input, '--store', store];
      const run = await runStaged(args, interruptBy('SIGINT', 'plan'));
      expect(run).toMatchObject({ code: 130, within: 'plan' });
      expect(run.messages).toContain('interrupted: nothing was written');
    },
    SLOW_MS,
  );

  /** Returns the arguments of a publication whose input hangs, and those of Node.js that make it hang. */
  function hangingRun(name: string): [args: string[], nodeArgs: string[]] {
    const pipe = path.join(folder.path, `${name}.pipe`);
    execFileSync('mkfifo', [pipe]);
    const store = `file:${path.join(folder.path, `${name}-store`)}`;
    return [
      ['publish', '--input', short, '--store', store],
      ['--import', `${HANG_LISTING}?pipe=${encodeURIComponent(pipe)}`],
    ];
  }

  it(
    'ends a run within 5 s while a system call hangs, with the signal that shells report as 130',
    async () => {
      const [args, nodeArgs] = hangingRun('once');
      const run = await runStaged(args, { ...interruptBy('SIGTERM', 'input'), delayMs: 200 }, nodeArgs);
      expect(run).toMatchObject({ code: null, signal: 'SIGINT' });
      expect(run.messages).toContain('interrupted: unknown: run status');
      expect(run.secondsAfter).toBeLessThan(5);
    },
    SLOW_MS,
  );

  it.each(SIGNALS)('kills a run immediately if it is the second one: %s', async (second) => {
    const [args, nodeArgs] = hangingRun(second);
    let killedMs = 0;
    const killTwice: StageAction = {
      stage: 'input',
      delayMs: 200,
      act(child) {
        child.kill('SIGINT');
        setTimeout(() => {
          killedMs = performance.now();
          child.kill(second);
        }, 500);
      },
    };
    const run = await runStaged(args, killTwice, nodeArgs);
    expect(run).toMatchObject({ code: null, signal: second });
    expect(performance.now() - killedMs).toBeLessThan(3000);
  });
});
