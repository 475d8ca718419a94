import path from 'node:path';
import { CopyObjectCommand } from '@aws-sdk/client-s3';
import pMap from 'p-map';
import type { Stage } from '../../../generator/run/progress.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { copyFolder } from '../process/copy-folder.js';
import { runInProcess, type GeneratorRun } from '../process/generator-run.js';
import { runStaged, type StagedRun } from '../process/staged-run.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { writeSmallInput, type SmallInput } from '../release/small-input.js';
import { createTestBucket, type TestBucket } from '../s3/s3-bucket.js';
import { snapshotStore, type StoreSnapshot } from '../stores/store-snapshot.js';

/** An input folder and the as-of instant of its publication. */
export type Publication = { readonly input: string; readonly asOf: string };

/** A store with its address on the command line. */
export type TestStore = {
  readonly address: string;
  readonly store: ObjectStore;
  /** Reads the contents of all objects; on S3 as their ETags, from a listing. */
  readonly snapshot: () => Promise<StoreSnapshot>;
};

/** Creates stores in one place. */
export type TestStores = {
  readonly create: (name: string) => Promise<TestStore>;
  /** Creates a store with the objects of another one. */
  readonly copy: (from: TestStore, name: string) => Promise<TestStore>;
};

/** A store before a publication, the publication, and the store after it. Tests disturb the publication. */
export type PublishScenario = {
  readonly name: ScenarioName;
  /** The store before the publication. */
  readonly base: TestStore;
  readonly publication: Publication;
  /** A publication with another input and a later as-of. */
  readonly later: Publication;
  readonly before: StoreSnapshot;
  /** The store after an undisturbed publication. */
  readonly after: StoreSnapshot;
  /** The bytes of the pointer before and after. */
  readonly pointers: readonly [before: string | undefined, after: string | undefined];
  /** Duration of each stage of the undisturbed publication. */
  readonly stageMs: { readonly [stage in Stage]?: number };
};

/** The second release of a store, or the first release of an empty one. */
export type ScenarioName = 'a second release' | 'a first release';

/** Publishes by a process of the built program, as an operator does. */
export function publishTo(store: TestStore, publication: Publication): Promise<StagedRun> {
  return runStaged(publishArguments(store, publication));
}

/**
 * Publishes in this process, which is faster than a new process. For publications before and after the one that a test
 * examines.
 */
export function publishInProcess(store: TestStore, publication: Publication): Promise<GeneratorRun> {
  return runInProcess(publishArguments(store, publication));
}

function publishArguments({ address }: TestStore, { input, asOf }: Publication): string[] {
  const accept = ['--accept-restatements', 'upstream corrected a count'];
  return ['publish', '--input', input, '--store', address, '--as-of', asOf, '--json', ...accept];
}

/** Writes the inputs below `folder`, publishes what comes before, and runs the publication itself undisturbed. */
export async function createScenario(
  name: ScenarioName,
  folder: string,
  stores: TestStores,
): Promise<PublishScenario> {
  const [first, second, third] = await writePublications(path.join(folder, 'input'));
  const isFirst = name === 'a first release';
  const publication = isFirst ? first : second;
  const base = await stores.create(`base of ${name}`.replaceAll(' ', '-'));
  if (!isFirst) assertDone(await publishInProcess(base, first));
  const before = await base.snapshot();
  const undisturbed = await stores.copy(base, `undisturbed ${name}`.replaceAll(' ', '-'));
  const run = assertDone(await publishTo(undisturbed, publication));
  return {
    name,
    base,
    publication,
    later: third,
    before,
    after: await undisturbed.snapshot(),
    pointers: [await readPointerText(base), await readPointerText(undisturbed)],
    stageMs: Object.fromEntries(
      run.stages.map(({ stage, beganMs, endedMs = beganMs }) => [stage, endedMs - beganMs]),
    ),
  };
}

/** Writes the inputs of three publications in a row. The last one restates a date. */
async function writePublications(folder: string): Promise<[Publication, Publication, Publication]> {
  const write = async (asOf: string, input: SmallInput): Promise<Publication> => ({
    input: await writeSmallInput(path.join(folder, asOf), input),
    asOf: `${asOf}T12:00:00Z`,
  });
  return [
    await write('2025-02-01', { days: { bitcoin: 14, arbitrum: 4 } }),
    await write('2025-02-02', { days: { bitcoin: 15, arbitrum: 5 } }),
    await write('2025-02-03', { days: { bitcoin: 16, arbitrum: 6 }, revised: '2025-01-08' }),
  ];
}

function assertDone<Run extends StagedRun | GeneratorRun>(run: Run): Run {
  if (run.code !== 0) throw new Error(`publish failed: ${JSON.stringify(run)}`);
  return run;
}

/** Creates stores in directories below `folder`. */
export function directoryStores(folder: string): TestStores {
  const create = async (name: string): Promise<TestStore> => {
    const address = `file:${path.join(folder, name)}`;
    const store = await openStore(address);
    return { address, store, snapshot: () => snapshotStore(store) };
  };
  return {
    create,
    async copy({ address, store }, name) {
      const { done: isEmpty } = await store.list('')[Symbol.asyncIterator]().next();
      if (isEmpty !== true) await copyFolder(address.slice('file:'.length), path.join(folder, name));
      return create(name);
    },
  };
}

const S3_CONCURRENCY = 16;

/** Creates stores below prefixes of a bucket. */
export function bucketStores(bucket: TestBucket): TestStores {
  const create = async (name: string): Promise<TestStore> => ({
    address: bucket.address(name),
    store: await bucket.store(name),
    async snapshot() {
      const prefix = `${name}/`;
      const etags = await bucket.etags(prefix);
      return new Map([...etags].map(([key, etag]) => [key.slice(prefix.length), etag]));
    },
  });
  return {
    create,
    async copy({ address }, name) {
      const from = `${new URL(address).pathname.slice(1)}/`;
      const copyObject = (key: string): Promise<unknown> => {
        const source = { Bucket: bucket.name, CopySource: `${bucket.name}/${key}` };
        return bucket.client.send(
          new CopyObjectCommand({ ...source, Key: `${name}/${key.slice(from.length)}` }),
        );
      };
      await pMap(await bucket.keys(from), copyObject, { concurrency: S3_CONCURRENCY });
      return create(name);
    },
  };
}

/** A folder for inputs, and stores in one place. */
export type Workspace = {
  readonly folder: string;
  readonly stores: TestStores;
  readonly dispose: () => Promise<void>;
};

/** Creates a workspace with stores in directories. */
export async function createDirectoryWorkspace(): Promise<Workspace> {
  const folder = await createTemporaryFolder();
  return { folder: folder.path, stores: directoryStores(folder.path), dispose: folder.dispose };
}

/** Creates a workspace with stores in a bucket. */
export async function createS3Workspace(): Promise<Workspace> {
  const [folder, bucket] = [await createTemporaryFolder(), await createTestBucket()];
  const dispose = (): Promise<void> => {
    bucket.dispose();
    return folder.dispose();
  };
  return { folder: folder.path, stores: bucketStores(bucket), dispose };
}

/** Returns which release the pointer of a store names. */
export async function currentRelease(
  store: TestStore,
  { pointers: [before, after] }: PublishScenario,
): Promise<'old' | 'new' | 'neither'> {
  const found = await readPointerText(store);
  if (found === before) return 'old';
  return found === after ? 'new' : 'neither';
}

async function readPointerText({ store }: TestStore): Promise<string | undefined> {
  const found = await store.get(POINTER_KEY);
  return found && Buffer.from(found.bytes).toString('utf8');
}
