import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SeenRequest, startFlakyS3, type FlakyS3 } from '../../support/s3/flaky-s3.js';
import { MAIN } from '../../support/process/generator-run.js';
import {
  bucketStores,
  createScenario,
  currentRelease,
  type PublishScenario,
  type TestStores,
  type TestStore,
} from '../../support/kills/publish-scenario.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { runStaged, s3Environment } from '../../support/process/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

/**
 * Decides what the server does with a request: `silence` ignores it, `unanswered` carries it out without an answer,
 * `undefined` answers it. A promise delays it. `isHanging` is true after the first request that was not answered.
 */
type Behaviour = (
  request: SeenRequest,
  isHanging: boolean,
) => 'silence' | 'unanswered' | undefined | Promise<undefined>;

/** A store behind an S3 server that stops answering. */
type HangingStore = {
  /** The same store without that server in between. */
  readonly direct: TestStore;
  /** Arguments that publish to the store through that server. */
  readonly args: readonly string[];
  /** Resolves when a request is not answered immediately; if it is carried out without an answer, after that. */
  readonly hanging: Promise<void>;
  readonly dispose: FlakyS3['dispose'];
};

/** Options for `createHangingStore`. */
type HangingStoreOptions = {
  readonly bucket: TestBucket;
  readonly stores: TestStores;
  readonly scenario: PublishScenario;
  readonly name: string;
  readonly behave: Behaviour;
};

/** Copies the store of a scenario, and starts a server in front of it. */
async function createHangingStore(options: HangingStoreOptions): Promise<HangingStore> {
  const { bucket, stores, scenario, name, behave } = options;
  const direct = await stores.copy(scenario.base, name);
  const state = { isHanging: false, report: (): void => undefined };
  const hanging = new Promise<void>((resolve) => (state.report = resolve));
  const choose = (request: SeenRequest): ReturnType<Behaviour> => {
    const fate = behave(request, state.isHanging);
    if (fate === undefined) return undefined;
    state.isHanging = true;
    if (fate !== 'unanswered') state.report();
    return fate;
  };
  const { endpoint, dispose } = await startFlakyS3(bucket.endpoint, choose, state.report);
  const { input, asOf } = scenario.publication;
  const store = bucket.address(name, endpoint);
  return { direct, args: ['publish', '--input', input, '--store', store, '--as-of', asOf], hanging, dispose };
}

const SLOW_MS = 300_000;

let folder: TemporaryFolder;
let bucket: TestBucket;
let stores: TestStores;
let scenario: PublishScenario;
const hangingStores: HangingStore[] = [];
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  stores = bucketStores(bucket);
  scenario = await createScenario('a second release', folder.path, stores);
}, SLOW_MS);
afterAll(async () => {
  await Promise.all(hangingStores.map((store) => store.dispose()));
  bucket.dispose();
  await folder.dispose();
}, SLOW_MS);

async function createStore(name: string, behave: Behaviour): Promise<HangingStore> {
  const store = await createHangingStore({ bucket, stores, scenario, name, behave });
  hangingStores.push(store);
  return store;
}

async function currentOf({ direct }: HangingStore): Promise<string> {
  return currentRelease(direct, scenario);
}

const isPut = ({ method, url }: SeenRequest, part: string): boolean => method === 'PUT' && url.includes(part);
const isObject = (request: SeenRequest): boolean => isPut(request, '/objects/');
const hangOnObjects: Behaviour = (request) => (isObject(request) ? 'silence' : undefined);
const isPointer = (request: SeenRequest): boolean => isPut(request, '/current.json');
const isCopy = (request: SeenRequest): boolean => isPut(request, '/public/');

type Case = readonly [
  name: string,
  behave: Behaviour,
  message: RegExp,
  current: 'old' | 'new',
  maxSeconds: number,
];

const CASES: readonly Case[] = [
  ['it does not answer reads', () => 'silence', /interrupted: not committed/, 'old', 5],
  ['it does not answer writes of objects', hangOnObjects, /interrupted: not committed/, 'old', 5],
  [
    'it ignores the write of the pointer',
    (request) => (isPointer(request) ? 'silence' : undefined),
    /interrupted: unknown: run status/,
    'old',
    5,
  ],
  [
    'it does not answer the write of the pointer, but answers everything else',
    (request) => (isPointer(request) ? 'unanswered' : undefined),
    /interrupted: committed/,
    'new',
    2,
  ],
  [
    'it does not answer the write of the pointer or anything after it',
    (request, isHanging) => (isPointer(request) ? 'unanswered' : isHanging ? 'silence' : undefined),
    /interrupted: unknown: run status/,
    'new',
    5,
  ],
  [
    'it writes the pointer two seconds later',
    (request) => (isPointer(request) ? sleep(2_000).then(() => undefined) : undefined),
    /interrupted: committed/,
    'new',
    4,
  ],
  [
    'it does not answer writes of public copies',
    (request) => (isCopy(request) ? 'silence' : undefined),
    /interrupted: committed/,
    'new',
    5,
  ],
];

describe('an interrupted publication to an S3 server that hangs', () => {
  it.each(CASES)(
    'reports within 5 s whether it was committed, or that this is unknown, when %s',
    async (name, behave, message, current, maxSeconds) => {
      const store = await createStore(name.replaceAll(/[ ,]+/g, '-'), behave);
      let interruptedMs = 0;
      const run = await runStaged(store.args, {
        act: (child) =>
          void store.hanging.then(() => {
            interruptedMs = performance.now();
            child.kill('SIGINT');
          }),
      });
      expect((performance.now() - interruptedMs) / 1000).toBeLessThan(maxSeconds);
      expect(run).toMatchObject({ code: 130, signal: null, messages: expect.stringMatching(message) });
      expect(await currentOf(store)).toBe(current);
    },
    SLOW_MS,
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'is killed immediately by a second signal: %s',
    async (second) => {
      const store = await createStore(`second-${second}`, hangOnObjects);
      let killedMs = 0;
      const run = await runStaged(store.args, {
        act: (child) =>
          void store.hanging.then(async () => {
            child.kill('SIGINT');
            await sleep(300);
            killedMs = performance.now();
            child.kill(second);
          }),
      });
      expect(performance.now() - killedMs).toBeLessThan(3000);
      expect(run).toMatchObject({ code: null, signal: second });
      expect(await currentOf(store)).toBe('old');
    },
    SLOW_MS,
  );
});

describe('a publication with closed stdout and stderr', () => {
  async function runClosed(
    { args, hanging }: HangingStore,
    options: readonly string[],
    isInterrupted: boolean,
  ): Promise<{ readonly code: unknown; readonly seconds: number }> {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, [MAIN, ...args, ...options], {
      env: s3Environment(),
      stdio: [...stdio],
    });
    child.stdout.destroy();
    child.stderr.destroy();
    let sinceMs = performance.now();
    if (isInterrupted) {
      void hanging.then(() => {
        sinceMs = performance.now();
        child.kill('SIGTERM');
      });
    }
    const [code] = (await once(child, 'exit')) as unknown[]; // arguments of the event
    return { code, seconds: (performance.now() - sinceMs) / 1000 };
  }

  it.each([['--log-json'], ['--json'], ['--quiet']])(
    'completes with %s',
    async (option) => {
      const store = await createStore(`closed${option}`, () => undefined);
      expect(await runClosed(store, [option], false)).toMatchObject({ code: 0 });
      expect(await store.direct.snapshot()).toEqual(scenario.after);
    },
    SLOW_MS,
  );

  it.each([['--log-json'], ['--json']])(
    'stops within 5 s of an interrupt while S3 hangs, with %s',
    async (option) => {
      const store = await createStore(`closed-hanging${option}`, hangOnObjects);
      const { code, seconds } = await runClosed(store, [option], true);
      expect(code).toBe(130);
      expect(seconds).toBeLessThan(5);
      expect(await currentOf(store)).toBe('old');
    },
    SLOW_MS,
  );
});
