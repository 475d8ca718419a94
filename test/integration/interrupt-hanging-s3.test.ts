import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenRequest } from '../fixtures/flaky-s3.js';
import { MAIN } from '../fixtures/generator-run.js';
import { createHangingStore, type Behaviour, type HangingStore } from '../fixtures/hanging-store.js';
import { bucketGrounds, createScene, pointedAt, type Grounds, type Scene } from '../fixtures/kill-scenes.js';
import { createTestBucket, type TestBucket } from '../fixtures/s3-bucket.js';
import { runStaged, s3Environment } from '../fixtures/staged-run.js';
import { snapshotStore } from '../fixtures/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 120_000;

let folder: TemporaryFolder;
let bucket: TestBucket;
let grounds: Grounds;
let scene: Scene;
const stores: HangingStore[] = [];
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  grounds = bucketGrounds(bucket);
  scene = await createScene('a second release', folder.path, grounds);
}, SLOW_MS);
afterAll(async () => {
  await Promise.all(stores.map((store) => store.dispose()));
  await Promise.all([folder.dispose(), bucket.dispose()]);
}, SLOW_MS);

async function createStore(name: string, behave: Behaviour): Promise<HangingStore> {
  const store = await createHangingStore(bucket, grounds, scene, name, behave);
  stores.push(store);
  return store;
}

async function pointerOf({ ground }: HangingStore): Promise<string> {
  return pointedAt(await snapshotStore(ground.store), scene);
}

const isPut = ({ method, url }: SeenRequest, part: string): boolean => method === 'PUT' && url.includes(part);
const isObject = (request: SeenRequest): boolean => isPut(request, '/objects/');
const isPointer = (request: SeenRequest): boolean => isPut(request, '/current.json');
const isCopy = (request: SeenRequest): boolean => isPut(request, '/public/');

type Case = readonly [
  name: string,
  behave: Behaviour,
  said: RegExp,
  pointer: 'old' | 'new',
  mostSeconds: number,
];

const CASES: readonly Case[] = [
  ['anything is read', () => 'silence', /interrupted: not committed/, 'old', 5],
  [
    'objects are put',
    (request) => (isObject(request) ? 'silence' : undefined),
    /interrupted: not committed/,
    'old',
    5,
  ],
  [
    'the pointer is put, which S3 does not do',
    (request) => (isPointer(request) ? 'silence' : undefined),
    /interrupted: unknown: run status/,
    'old',
    5,
  ],
  [
    'the pointer is put, which S3 does, and goes on answering all else',
    (request) => (isPointer(request) ? 'unanswered' : undefined),
    /interrupted: committed/,
    'new',
    2,
  ],
  [
    'the pointer is put, which S3 does, and answers nothing any more',
    (request, isHanging) => (isPointer(request) ? 'unanswered' : isHanging ? 'silence' : undefined),
    /interrupted: unknown: run status/,
    'new',
    5,
  ],
  [
    'the pointer is put, which S3 does two seconds later',
    (request) => (isPointer(request) ? sleep(2_000).then(() => undefined) : undefined),
    /interrupted: committed/,
    'new',
    4,
  ],
  [
    'public copies are put',
    (request) => (isCopy(request) ? 'silence' : undefined),
    /interrupted: committed/,
    'new',
    5,
  ],
];

describe('an interrupted publication to an S3 that hangs', () => {
  it.each(CASES)(
    'tells the truth within 5 s when %s',
    async (name, behave, said, pointer, mostSeconds) => {
      const store = await createStore(name.replaceAll(/[ ,]+/g, '-'), behave);
      let interruptedMs = 0;
      const run = await runStaged(store.args, {
        stage: 'input',
        act: (child) =>
          void store.hanging.then(() => {
            interruptedMs = performance.now();
            child.kill('SIGINT');
          }),
      });
      expect((performance.now() - interruptedMs) / 1000).toBeLessThan(mostSeconds);
      expect(run).toMatchObject({ code: 130, signal: null, said: expect.stringMatching(said) });
      expect(await pointerOf(store)).toBe(pointer);
    },
    SLOW_MS,
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'is killed at once by a second signal, %s',
    async (second) => {
      const store = await createStore(`second-${second}`, CASES[1]?.[1] ?? (() => undefined));
      let killedMs = 0;
      const run = await runStaged(store.args, {
        stage: 'input',
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
      expect(await pointerOf(store)).toBe('old');
    },
    SLOW_MS,
  );
});

describe('a publication whose output nobody reads', () => {
  async function runUnheard(
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
    const [code] = (await once(child, 'exit')) as unknown[]; // what the event gives
    return { code, seconds: (performance.now() - sinceMs) / 1000 };
  }

  it.each([['--log-json'], ['--json'], ['--quiet']])(
    'completes all the same, with %s',
    async (option) => {
      const store = await createStore(`unheard${option}`, () => undefined);
      expect(await runUnheard(store, [option], false)).toMatchObject({ code: 0 });
      expect(await snapshotStore(store.ground.store)).toEqual(scene.after);
    },
    SLOW_MS,
  );

  it.each([['--log-json'], ['--json']])(
    'stops within 5 s when it is interrupted while S3 hangs, with %s',
    async (option) => {
      const hang: Behaviour = (request) => (isObject(request) ? 'silence' : undefined);
      const store = await createStore(`unheard-hanging${option}`, hang);
      const { code, seconds } = await runUnheard(store, [option], true);
      expect(code).toBe(130);
      expect(seconds).toBeLessThan(5);
      expect(await pointerOf(store)).toBe('old');
    },
    SLOW_MS,
  );
});
