import path from 'node:path';
import { createStoreEditor, keyOfPath, type StoreEditor } from './edit-store.js';
import { copyFolder } from '../process/copy-folder.js';
import { runInProcess, type GeneratorRun } from '../process/generator-run.js';
import { keepStore } from './kept-store.js';
import { assertSuccess } from '../process/run-program.js';
import { writeSmallInput } from './small-input.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';

/** The date whose values the second release restates. */
export const RESTATED = '2025-01-20';

/** A store with two releases: bitcoin through 2025-01-31, then 2025-02-01, and a few dates of arbitrum. */
export type PublishedStore = {
  readonly root: string;
  /** The input directory of the second release. */
  readonly input: string;
  /** Copies the store and returns the root of the copy. */
  readonly copy: () => Promise<string>;
  readonly dispose: () => Promise<void>;
};

/** Copies a store of two releases from the folder in which it is kept. */
export async function createPublishedStore(): Promise<PublishedStore> {
  const kept = await keepStore({
    name: 'two-releases',
    sources: ['generator', 'infra/store', 'schemas', 'templates', 'test/support/release'],
    publish: publishTwice,
  });
  const folder = await createTemporaryFolder();
  const own = path.join(folder.path, 'two-releases');
  await copyFolder(kept, own);
  const root = path.join(own, 'store');
  const input = path.join(own, 'second');
  let copies = 0;
  return {
    root,
    input,
    async copy() {
      const target = path.join(folder.path, `copy-${(copies += 1)}`);
      await copyFolder(root, target);
      return target;
    },
    dispose: folder.dispose,
  };
}

async function publishTwice(folder: string): Promise<void> {
  const first = await writeSmallInput(path.join(folder, 'first'), { days: { bitcoin: 31, arbitrum: 8 } });
  const second = await writeSmallInput(path.join(folder, 'second'), {
    days: { bitcoin: 32, arbitrum: 9 },
    revised: RESTATED,
  });
  const root = path.join(folder, 'store');
  const accept = ['--accept-restatements', 'upstream corrected a count'];
  assertSuccess(await publish(first, root, '2025-02-01T12:00:00Z'));
  assertSuccess(await publish(second, root, '2025-02-02T12:00:00Z', ...accept));
}

/** Publishes an input directory to a directory store. */
export function publish(
  input: string,
  root: string,
  asOf: string,
  ...options: string[]
): Promise<GeneratorRun> {
  return runInProcess(['publish', '--input', input, '--store', `file:${root}`, '--as-of', asOf, ...options]);
}

/** The published store of a test file. Damage to it is reverted after each test. */
export type DamagedStore = {
  readonly published: () => PublishedStore;
  readonly store: () => StoreEditor;
  readonly verify: (...options: string[]) => Promise<GeneratorRun>;
  /** Asserts that the run reported damage of the artifact of a URL path. */
  readonly expectFault: (run: GeneratorRun, urlPath: string, message?: RegExp) => Promise<void>;
};

/** Prepares a published store before the tests of a file, and removes it after them. */
export function useDamagedStore(): DamagedStore {
  let published: PublishedStore;
  let store: StoreEditor;
  beforeAll(async () => {
    published = await createPublishedStore();
    store = createStoreEditor(published.root);
  }, 30_000);
  afterEach(() => store.undo());
  afterAll(() => published.dispose());
  return {
    published: () => published,
    store: () => store,
    verify: (...options) => runInProcess(['verify', '--store', `file:${published.root}`, ...options]),
    async expectFault({ code, stderr }, urlPath, message = /./) {
      const key = await keyOfPath(store, urlPath);
      const line = stderr.split('\n').find((each) => each.startsWith(`${key}: `));
      expect({ code, line, stderr }).toEqual({ code: 8, line: expect.stringMatching(message), stderr });
    },
  };
}
