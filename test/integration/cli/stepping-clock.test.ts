import { runProgram, type ProgramRun } from '../../support/process/run-program.js';
import { MAIN } from '../../support/process/generator-run.js';
import { useDamagedStore } from '../../support/release/published-store.js';

const { published } = useDamagedStore();

/** A wall clock that is set back by a second at each reading. */
const STEPPING = 'let n = 0; const now = Date.now; Date.now = () => now() - 1000 * (n += 1);';

/** Runs verify with the built program on a machine with that clock. */
function verify(...options: string[]): Promise<ProgramRun> {
  const preload = `data:text/javascript,${encodeURIComponent(STEPPING)}`;
  const args = ['verify', '--store', `file:${published().root}`, ...options];
  return runProgram(process.execPath, ['--import', preload, MAIN, ...args], {});
}

it('durations on the terminal do not follow a wall clock that is set back', async () => {
  const { code, stderr } = await verify();
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^verifying: 0 faults \(\d[\d.]* s\)\n$/),
  });
});

it('durations in the log do not follow a wall clock that is set back', async () => {
  const { code, stderr } = await verify('--log-json');
  const lines = stderr.trimEnd().split('\n');
  const seconds = lines.flatMap((line) => (JSON.parse(line) as { seconds?: number }).seconds ?? []);
  expect(code).toBe(0);
  expect(seconds.length).toBeGreaterThan(1);
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(0);
});
