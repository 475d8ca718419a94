import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { toDirectory } from '../../../generator/input/input-folder.js';
import type { StageRecord } from '../../../generator/run/progress.js';
import { readInput } from '../../../generator/input/read-input.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { createRandom } from '../../support/random/seeded.js';
import { createFullDisk } from '../../support/stores/full-disk.js';
import { canMount, mountSmallDisk } from '../../support/stores/small-disk.js';
import { metricsCsv, sourcesJson, writeInput, writeSmallInput } from '../../support/release/small-input.js';
import { runStaged, type StagedRun } from '../../support/process/staged-run.js';
import { differingKeys, snapshotStore, type StoreSnapshot } from '../../support/stores/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

/** Long enough that the days are written while they are planned. */
const DAYS = { bitcoin: 600, arbitrum: 320, base: 90 };
const AS_OF = '2026-09-02T12:00:00Z';
/** A kill of a long first release takes as long as ten of a small one. */
const KILLS = Math.ceil(Number(process.env['CRD_KILLS'] ?? '200') / 20);
const SEED = Number(process.env['CRD_KILL_SEED'] ?? '1');
const SLOW_MS = 600_000;

let folder: TemporaryFolder;
let input: string;
/** The store after a publication that is planned before it is written. */
let expected: StoreSnapshot;
let stores = 0;
/** Duration of the stage `write` in an undisturbed run. */
let writeMs = 0;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  input = await writeSmallInput(path.join(folder.path, 'input'), { days: DAYS });
  const { series } = await readInput({ folder: toDirectory(input), asOfMs: Date.parse(AS_OF) });
  const store = createMemoryStore();
  await publishSeries(store, { inputs: series, asOf: AS_OF });
  expected = await snapshotStore(store);
}, SLOW_MS);
afterAll(() => folder.dispose(), SLOW_MS);

async function createStore(): Promise<{ readonly address: string; readonly store: ObjectStore }> {
  const address = `file:${path.join(folder.path, `store-${(stores += 1)}`)}`;
  return { address, store: await openStore(address) };
}

function publishTo(
  address: string,
  action?: Parameters<typeof runStaged>[1],
  from = input,
  ...more: readonly string[]
): Promise<StagedRun> {
  return runStaged(['publish', '--input', from, '--store', address, '--as-of', AS_OF, ...more], action);
}

function millisecondsOf(run: StagedRun, stage: string): number {
  const seen = run.stages.find((each) => each.stage === stage);
  return (seen?.endedMs ?? 0) - (seen?.beganMs ?? 0);
}

describe('a first release of a long history, which is written while it is planned', () => {
  it(
    'has the same bytes as a release that is planned before it is written',
    async () => {
      const { address, store } = await createStore();
      const report = path.join(folder.path, 'report.json');
      const run = await publishTo(address, undefined, input, '--report', report);
      const { code, messages } = run;
      writeMs = millisecondsOf(run, 'write');
      const { stages } = JSON.parse(await readFile(report, 'utf8')) as { stages: StageRecord[] };
      const notes = stages.map(({ stage, note }) => `${stage}: ${note ?? ''}`);
      expect(notes).toContain('plan: first release, written while it is planned');
      expect({ code, messages }).toEqual({ code: 0, messages: 'publish ended: done, or unchanged' });
      expect(differingKeys(await snapshotStore(store), expected)).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'is invisible after it is killed while it writes, and complete after the next run',
    async () => {
      const random = createRandom(SEED);
      const seen: { killed: string | null; unexpected: string[]; pointer: boolean; differing: string[] }[] =
        [];
      for (let tries = 0; seen.length < KILLS && tries < 2 * KILLS; tries += 1) {
        const { address, store } = await createStore();
        const run = await publishTo(address, {
          stage: 'write',
          delayMs: random() * writeMs * 0.6, // the stage may be shorter in this run
          act: (child) => child.kill('SIGKILL'),
        });
        if (run.signal === null) {
          writeMs = millisecondsOf(run, 'write'); // the stage ended before the kill
          continue;
        }
        const found = await snapshotStore(store);
        const unexpected = [...found.keys()].filter((key) => found.get(key) !== expected.get(key));
        const next = await publishTo(address);
        const differing =
          next.code === 0 ? differingKeys(await snapshotStore(store), expected) : [next.messages];
        seen.push({ killed: run.signal, unexpected, pointer: found.has(POINTER_KEY), differing });
      }
      const good = { killed: 'SIGKILL', unexpected: [], pointer: false, differing: [] };
      expect({ seed: SEED, seen }).toEqual({ seed: SEED, seen: Array.from({ length: KILLS }, () => good) });
    },
    SLOW_MS,
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'reports after %s that it was not committed, and ends immediately',
    async (signal) => {
      const { address, store } = await createStore();
      const run = await publishTo(address, {
        stage: 'write',
        delayMs: 300,
        act: (child) => child.kill(signal),
      });
      expect({ code: run.code, messages: run.messages }).toEqual({
        code: 130,
        messages: 'interrupted: not committed: nothing visible has changed. Run again.',
      });
      expect(run.secondsAfter).toBeLessThan(5);
      expect(await store.head(POINTER_KEY)).toBeUndefined();
    },
    SLOW_MS,
  );

  it(
    'ends immediately on a full disk, and is complete after a run with enough space',
    async () => {
      const disk = await createFullDisk(folder.path);
      const args = ['publish', '--input', input, '--store', `file:${disk.root}`, '--as-of', AS_OF];
      const short = await disk.runShort(args);
      const [line] = short.stderr.split('\n').slice(-3);
      expect([short.code, line]).toEqual([7, expect.stringMatching(disk.error)]);
      await disk.extend();
      expect((await publishTo(`file:${disk.root}`)).code).toBe(0);
      const store = await openStore(`file:${disk.root}`);
      expect(differingKeys(await snapshotStore(store), expected)).toEqual([]);
      await disk.dispose();
    },
    SLOW_MS,
  );

  (canMount() ? it : it.skip)(
    'exits 7 before the first byte if its day files have room, but not its bundles and public copies',
    async () => {
      const disk = await mountSmallDisk();
      await disk.fill(45_000_000);
      const { code, messages } = await publishTo(`file:${path.join(disk.path, 'store')}`);
      expect({ code, messages, names: await readdir(disk.path) }).toEqual({
        code: 7,
        messages: expect.stringMatching(
          /has 45 MB free\. This run writes 60\.8 MB and must leave 3\.36 MB free\. Nothing visible has changed\. Free at least 19\.2 MB there and run again\.$/,
        ),
        names: ['filler'],
      });
      await disk.dispose();
    },
    SLOW_MS,
  );

  (canMount() ? it : it.skip)(
    'ends before the disk is full when another program fills it meanwhile, and is complete after the next run',
    async () => {
      const disk = await mountSmallDisk();
      const address = `file:${path.join(disk.path, 'store')}`;
      const fillUp = (): Promise<void> => disk.fill(disk.reserveBytes + 1_000_000);
      const run = await publishTo(address, { stage: 'write', act: () => void fillUp() });
      expect({ code: run.code, messages: run.messages }).toEqual({
        code: 7,
        messages: expect.stringMatching(
          /^The disk of \S+ has 3\.\d+ MB free\. This run must leave 3\.36 MB free\. Nothing visible has changed\. Free at least \S+ [kM]B there and run again\.$/,
        ),
      });
      expect((await disk.free()).bytes).toBeGreaterThan(disk.reserveBytes / 2);
      await disk.clear();
      expect((await publishTo(address)).code).toBe(0);
      expect(differingKeys(await snapshotStore(await openStore(address)), expected)).toEqual([]);
      await disk.dispose();
    },
    SLOW_MS,
  );

  it(
    'publishes the valid chains without an invalid one, and with --all-or-nothing writes nothing',
    async () => {
      const faulty = await writeInput(path.join(folder.path, 'faulty'), {
        'bitcoin.csv': metricsCsv('bitcoin', 600),
        'arbitrum.csv': metricsCsv('arbitrum', 600),
        'base.csv': 'date,tx_count\n2025-01-01,many\n',
        'sources.json': sourcesJson(['bitcoin', 'arbitrum', 'base']),
      });
      const strict = await createStore();
      const refused = await publishTo(strict.address, undefined, faulty, '--all-or-nothing');
      expect(refused.code).toBe(3);
      expect([...(await snapshotStore(strict.store)).keys()]).toEqual([]);
      const { address, store } = await createStore();
      const partial = await publishTo(address, undefined, faulty);
      expect(partial.code).toBe(3);
      const { faults } = await verifyStore(store, { deep: false });
      expect(faults).toEqual([]);
    },
    SLOW_MS,
  );
});
