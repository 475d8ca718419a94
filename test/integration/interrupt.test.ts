import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Stage } from '../../generator/io/progress.js';
import {
  bucketGrounds,
  createScene,
  directoryGrounds,
  pointedAt,
  publishTo,
  type Ground,
  type Grounds,
  type Scene,
} from '../fixtures/kill-scenes.js';
import { createTestBucket, type TestBucket } from '../fixtures/s3-bucket.js';
import { writeSmallInput } from '../fixtures/small-input.js';
import { runStaged, type StageAction, type StagedRun } from '../fixtures/staged-run.js';
import { snapshotStore } from '../fixtures/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

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
const SLOW_MS = 120_000;
/** A stage of milliseconds may be over before the signal is there: then the run is begun again, so often. */
const TRIES = 5;

let folder: TemporaryFolder;
let bucket: TestBucket;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
}, SLOW_MS);
afterAll(() => Promise.all([folder.dispose(), bucket.dispose()]), SLOW_MS);

function publishArgs({ address }: Ground, { publication: { input, asOf } }: Scene): string[] {
  return ['publish', '--input', input, '--store', address, '--as-of', asOf];
}

function interruptBy(signal: NodeJS.Signals, stage: Stage): StageAction {
  return { stage, act: (child) => child.kill(signal) };
}

/** What the run says of its release, beside what the pointer says. */
async function claimOf(run: StagedRun, ground: Ground, scene: Scene): Promise<readonly [string, string]> {
  const claim = /interrupted: (not committed|committed|unknown: run status)/.exec(run.said)?.[1];
  return [claim ?? run.said, pointedAt(await snapshotStore(ground.store), scene)];
}

const bothSignals = STAGES.flatMap((stage) => SIGNALS.map((signal) => [signal, stage] as const));

describe.each([
  ['a directory', () => directoryGrounds(folder.path), bothSignals],
  ['S3', () => bucketGrounds(bucket), bothSignals.filter((_, i) => [0, 3].includes(i % 4))],
])('an interrupted publication to %s', (place, createGrounds, cases) => {
  let grounds: Grounds;
  let scene: Scene;
  let runs = 0;
  beforeAll(async () => {
    grounds = createGrounds();
    scene = await createScene('a second release', path.join(folder.path, place), grounds);
  }, SLOW_MS);

  it.each(cases)(
    'stops within 5 s by %s in stage %s, and says truly whether the release was committed',
    async (signal, stage) => {
      for (let tries = 1; tries <= TRIES; tries += 1) {
        const ground = await grounds.copy(scene.base, `interrupted-${(runs += 1)}`);
        const run = await runStaged(publishArgs(ground, scene), interruptBy(signal, stage));
        if (run.secondsAfter === undefined || run.code === 0) continue;
        expect(run).toMatchObject({ code: 130, signal: null });
        expect(run.secondsAfter).toBeLessThan(5);
        const claim = await claimOf(run, ground, scene);
        expect([
          ['not committed', 'old'],
          ['committed', 'new'],
        ]).toContainEqual(claim);
        expect(await publishTo(ground, scene.publication)).toMatchObject({ code: 0 });
        expect(await snapshotStore(ground.store)).toEqual(scene.after);
        return;
      }
      throw new Error(`the signal came too late ${TRIES} times`);
    },
    SLOW_MS,
  );
});

describe('an interrupt of a process', () => {
  let scene: Scene;
  let grounds: Grounds;
  beforeAll(async () => {
    grounds = directoryGrounds(path.join(folder.path, 'processes'));
    scene = await createScene('a first release', path.join(folder.path, 'processes'), grounds);
  }, SLOW_MS);

  it(
    'does not wait for the end of a long plan',
    async () => {
      const input = await writeSmallInput(path.join(folder.path, 'long'), {
        days: { bitcoin: 3000, ethereum: 3000 },
      });
      const args = ['publish', '--input', input, '--store', `file:${folder.path}/long-plan`];
      const run = await runStaged(args, interruptBy('SIGINT', 'plan'));
      expect(run).toMatchObject({ code: 130, within: 'plan' });
      expect(run.said).toContain('interrupted: not committed');
    },
    SLOW_MS,
  );

  /** An input whose reading never ends, as that of a network drive may. */
  async function hangingInput(name: string): Promise<string> {
    const input = path.join(folder.path, name);
    await cp(scene.publication.input, input, { recursive: true });
    await rm(path.join(input, 'bitcoin.csv'));
    execFileSync('mkfifo', [path.join(input, 'bitcoin.csv')]);
    return input;
  }

  it(
    'ends it within 5 s though a system call hangs, as a shell shows 130',
    async () => {
      const args = [
        'publish',
        '--input',
        await hangingInput('fifo'),
        '--store',
        `file:${folder.path}/fifo-store`,
      ];
      const run = await runStaged(args, { ...interruptBy('SIGTERM', 'input'), delayMs: 200 });
      expect(run).toMatchObject({ code: null, signal: 'SIGINT' });
      expect(run.said).toContain('interrupted: unknown: run status');
      expect(run.secondsAfter).toBeLessThan(5);
    },
    SLOW_MS,
  );

  it.each(SIGNALS)('kills it at once when it is the second one, by %s', async (second) => {
    const args = [
      'publish',
      '--input',
      await hangingInput(second),
      '--store',
      `file:${folder.path}/${second}-store`,
    ];
    let killedMs = 0;
    const run = await runStaged(args, {
      stage: 'input',
      delayMs: 200,
      act(child) {
        child.kill('SIGINT');
        setTimeout(() => {
          killedMs = performance.now();
          child.kill(second);
        }, 500);
      },
    });
    expect(run).toMatchObject({ code: null, signal: second });
    expect(performance.now() - killedMs).toBeLessThan(3000);
  });
});
