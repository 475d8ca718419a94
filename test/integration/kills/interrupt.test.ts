import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Stage } from '../../../generator/run/progress.js';
import {
  bucketStores,
  createScenario,
  currentRelease,
  directoryStores,
  publishInProcess,
  type PublishScenario,
  type TestStore,
  type TestStores,
} from '../../support/kills/publish-scenario.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { runStaged, type StageAction, type StagedRun } from '../../support/process/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const STAGES = [
  'input',
  'state',
  'plan',
  'mark',
  'write',
  'record',
  'commit',
  'aliases',
] as const satisfies Stage[];
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const HANG_LISTING = pathToFileURL(
  path.join(import.meta.dirname, '../../support/kills/hang-listing.mjs'),
).href;
const SLOW_MS = 300_000;
/** Limit of runs for one interrupt: a short stage may end before the signal arrives. */
const TRIES = 5;

let folder: TemporaryFolder;
let bucket: TestBucket;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
}, SLOW_MS);
afterAll(async () => {
  bucket.dispose();
  await folder.dispose();
}, SLOW_MS);

function publishArgs({ address }: TestStore, { publication: { input, asOf } }: PublishScenario): string[] {
  return ['publish', '--input', input, '--store', address, '--as-of', asOf];
}

function interruptBy(signal: NodeJS.Signals, stage: Stage): StageAction {
  return { stage, act: (child) => child.kill(signal) };
}

/** Returns what the run reports about its release, and which release the pointer names. */
async function reportedAndCurrent(
  run: StagedRun,
  store: TestStore,
  scenario: PublishScenario,
): Promise<readonly [string, string]> {
  const reported = /interrupted: (not committed|committed|unknown: run status)/.exec(run.messages)?.[1];
  return [reported ?? run.messages, await currentRelease(store, scenario)];
}

/** Each signal in each stage: half of the pairs on a directory, the others on S3. */
const PAIRS = STAGES.flatMap((stage) => SIGNALS.map((signal) => [signal, stage] as const));

describe.each([
  ['a directory', () => directoryStores(folder.path), PAIRS.filter((_, i) => [1, 2].includes(i % 4))],
  ['S3', () => bucketStores(bucket), PAIRS.filter((_, i) => [0, 3].includes(i % 4))],
])('an interrupted publication to %s', (place, createStores, cases) => {
  let stores: TestStores;
  let scenario: PublishScenario;
  let runs = 0;
  beforeAll(async () => {
    stores = createStores();
    scenario = await createScenario('a second release', path.join(folder.path, place), stores);
  }, SLOW_MS);

  it.each(cases)(
    'stops within 5 s of %s in stage %s, and reports truthfully whether the release was committed',
    async (signal, stage) => {
      for (let tries = 1; tries <= TRIES; tries += 1) {
        const store = await stores.copy(scenario.base, `interrupted-${(runs += 1)}`);
        const run = await runStaged(publishArgs(store, scenario), interruptBy(signal, stage));
        if (run.secondsAfter === undefined || run.code === 0) continue;
        expect(run).toMatchObject({ code: 130, signal: null });
        expect(run.secondsAfter).toBeLessThan(5);
        const found = await reportedAndCurrent(run, store, scenario);
        expect([
          ['not committed', 'old'],
          ['committed', 'new'],
        ]).toContainEqual(found);
        expect(await publishInProcess(store, scenario.publication)).toMatchObject({ code: 0 });
        expect(await store.snapshot()).toEqual(scenario.after);
        return;
      }
      throw new Error(`the stage ended before the signal arrived, ${TRIES} times`);
    },
    SLOW_MS,
  );
});

describe('an interrupt', () => {
  let scenario: PublishScenario;
  beforeAll(async () => {
    const own = path.join(folder.path, 'processes');
    scenario = await createScenario('a first release', own, directoryStores(own));
  }, SLOW_MS);

  it(
    'ends a run in the middle of a long plan',
    async () => {
      const input = await writeSmallInput(path.join(folder.path, 'long'), {
        days: { bitcoin: 3000, ethereum: 3000 },
      });
      const args = ['publish', '--input', input, '--store', `file:${folder.path}/long-plan`];
      const run = await runStaged(args, interruptBy('SIGINT', 'plan'));
      expect(run).toMatchObject({ code: 130, within: 'plan' });
      expect(run.messages).toContain('interrupted: not committed');
    },
    SLOW_MS,
  );

  /** Returns the arguments of a publication whose input hangs, and those of Node.js that make it hang. */
  function hangingRun(name: string): [args: string[], nodeArgs: string[]] {
    const pipe = path.join(folder.path, `${name}.pipe`);
    execFileSync('mkfifo', [pipe]);
    const store = `file:${path.join(folder.path, `${name}-store`)}`;
    return [
      ['publish', '--input', scenario.publication.input, '--store', store],
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
