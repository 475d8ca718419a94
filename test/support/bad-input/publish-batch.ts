import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { createStoreEditor, readRelease } from '../release/edit-store.js';
import { runAsProcess, type GeneratorRun } from '../process/generator-run.js';
import { writeInput } from '../release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../process/temporary-folder.js';

/** The as-of of all runs. */
export const AS_OF = '2025-03-10';

/** Number of concurrent processes. */
const CONCURRENCY = 3;

/** The files of an input directory by name. */
export type InputFiles = { readonly [name: string]: string | Uint8Array };

/** The result of a run: its lines about faults, the line before the command to run again, and the chains in the store after it. */
export type PublishOutcome = GeneratorRun & {
  readonly root: string;
  readonly faults: readonly string[];
  readonly end: string;
  readonly published: readonly string[];
};

/** A publication to the store of the previous steps. */
export type PublishStep = { readonly files: InputFiles; readonly options?: readonly string[] };

/** Registers steps that share a new store. The returned function returns their outcomes inside tests. */
export type Publish = (name: string, steps: readonly PublishStep[]) => () => readonly PublishOutcome[];

type Run = (args: readonly string[]) => Promise<GeneratorRun>;

/** Runs all registered steps before the first test of a file, by default in processes of the built program. */
export function usePublishBatch(run: Run = runAsProcess): Publish {
  let folder: TemporaryFolder;
  const registered: { readonly name: string; readonly steps: readonly PublishStep[] }[] = [];
  const outcomes = new Map<string, PublishOutcome[]>();

  beforeAll(async () => {
    folder = await createTemporaryFolder();
    const runSteps = async ({ name, steps }: (typeof registered)[number]): Promise<void> => {
      const done: PublishOutcome[] = [];
      for (const step of steps) done.push(await publishFiles(path.join(folder.path, name), step, run));
      outcomes.set(name, done);
    };
    await pMap(registered, runSteps, { concurrency: CONCURRENCY });
  }, 120_000);
  afterAll(() => folder.dispose());

  return (name, steps) => {
    registered.push({ name, steps });
    return () => outcomes.get(name) ?? [];
  };
}

async function publishFiles(
  folder: string,
  { files, options = [] }: PublishStep,
  run: Run,
): Promise<PublishOutcome> {
  const root = path.join(folder, 'store');
  await rm(path.join(folder, 'input'), { recursive: true, force: true });
  const input = await writeInput(path.join(folder, 'input'), files);
  const ended = await run([
    'publish',
    '--input',
    input,
    '--store',
    `file:${root}`,
    '--as-of',
    AS_OF,
    '--quiet',
    ...options,
  ]);
  const [report = ''] = ended.stderr.split(/\nFix the input and run again:\n {2}\S.*\n$/);
  const lines = report.trimEnd().split('\n');
  return {
    ...ended,
    root,
    faults: lines.slice(0, -1),
    end: lines.at(-1) ?? '',
    published: await publishedChains(root),
  };
}

async function publishedChains(root: string): Promise<string[]> {
  if (!existsSync(path.join(root, POINTER_KEY))) return [];
  return Object.keys((await readRelease(createStoreEditor(root))).record.chains);
}

/** Asserts that the input of the chain was invalid and none of it was published. */
export function expectRefused(outcome: PublishOutcome | undefined, chain: string): void {
  expect(outcome).toMatchObject({ code: 3, stdout: '', end: expect.stringMatching(/^input invalid: /) });
  expect(outcome?.published).not.toContain(chain);
}

/** Asserts that nothing was published, and that the run reported it. */
export function expectNothingPublished(outcome: PublishOutcome | undefined): void {
  expect(outcome).toMatchObject({
    code: 3,
    published: [],
    end: expect.stringMatching(/; nothing was published$/),
  });
}
