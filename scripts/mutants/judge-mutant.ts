/** Runs the related fast tests on a copy of the repository in which one file is mutated. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { copyCommit } from '../build/copy-commit.js';
import { applyMutation, type Mutation } from './mutations.js';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const JEST =
  'node_modules/jest/bin/jest.js --config .config/jest.config.js --runInBand --bail --silent --passWithNoTests';
/** Time limit of a test run. A mutant whose tests do not end in time counts as killed. */
const LIMIT_MS = 10 * 60_000;

const FAST = ['--selectProjects', 'fast'];
/** Selects `test/laws`, which is part of the integration project; its other tests may need servers. */
const LAWS = ['--selectProjects', 'integration', '--testPathIgnorePatterns', '/test/(golden|integration)/'];

const execute = promisify(execFile);

/** A copy of a commit, outside the repository. */
export type Copy = {
  readonly folder: string;
  /** True for each suite, by its path, that passes without a mutant. */
  readonly passes: Map<string, boolean>;
  readonly signal: AbortSignal;
};

/** Options for `judgeMutant`. */
export type JudgeOptions = {
  /** True to run the tests under `test/laws` too, if no fast test fails. */
  readonly laws: boolean;
};

/** The result of a mutant. It is unclear if the suite also fails without the mutant, or Jest ends without a failed test. */
export type Verdict = { readonly outcome: 'killed' | 'alive' | 'unclear'; readonly by: string };

/** Runs `work` on a built copy of a commit, which is deleted afterwards, also after an interrupt. */
export async function withCopy<T>(
  commit: string,
  signal: AbortSignal,
  work: (copy: Copy) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mutants-'));
  try {
    await copyCommit(ROOT, commit, folder, signal);
    for (const modules of ['node_modules', 'infra/aws/node_modules']) {
      if (existsSync(path.join(ROOT, modules)))
        await symlink(path.join(ROOT, modules), path.join(folder, modules));
    }
    await execute('npm', ['run', '--silent', 'build'], { cwd: folder, signal }); // some tests run the built program
    return await work({ folder, passes: new Map(), signal });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the tests of the mirrored path, then all fast tests that import the file, until one fails. */
export async function judgeMutant(copy: Copy, mutation: Mutation, { laws }: JudgeOptions): Promise<Verdict> {
  const file = path.join(copy.folder, mutation.file);
  const text = await readFile(file, 'utf8');
  const failure = await withText(file, text, applyMutation(text, mutation), async () => {
    const mirrored = `/test/${mutation.file.replace(/\.ts$/, '')}(\\.[^/]+)?\\.test\\.ts$`;
    return (
      (await findFailure(copy, [...FAST, '--testPathPatterns', mirrored])) ??
      (await findFailure(copy, [...FAST, '--findRelatedTests', mutation.file])) ??
      (laws ? await findFailure(copy, [...LAWS, '--findRelatedTests', mutation.file]) : undefined)
    );
  });
  if (failure === undefined) return { outcome: 'alive', by: '' };
  const { suite, by } = failure;
  if (suite === undefined) return { outcome: failure.isEndless ? 'killed' : 'unclear', by };
  if (await passesUnchanged(copy, suite)) return { outcome: 'killed', by };
  return { outcome: 'unclear', by: `${suite} also fails without the mutant` };
}

async function withText<T>(file: string, before: string, text: string, work: () => Promise<T>): Promise<T> {
  await writeFile(file, text);
  try {
    return await work();
  } finally {
    await writeFile(file, before);
  }
}

async function passesUnchanged(copy: Copy, suite: string): Promise<boolean> {
  const known = copy.passes.get(suite);
  if (known !== undefined) return known;
  const passes =
    (await findFailure(copy, ['--selectProjects', 'fast', 'integration', '--runTestsByPath', suite])) ===
    undefined;
  copy.passes.set(suite, passes);
  return passes;
}

/** A failed run, and the suite that failed if Jest named it. */
type Failure = { readonly by: string } & (
  { readonly suite: string } | { readonly suite?: undefined; readonly isEndless: boolean }
);

/** Runs tests, and returns the first that failed; `undefined` if all passed. */
async function findFailure(
  { folder, signal }: Copy,
  selection: readonly string[],
): Promise<Failure | undefined> {
  const run = execute(process.execPath, [...JEST.split(' '), ...selection], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1', FORCE_COLOR: '0' },
    maxBuffer: Infinity,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL', // a mutant can loop without end
    signal,
  });
  const error = await run.then(
    () => undefined,
    (failure: unknown) => failure as { readonly killed?: boolean; readonly stderr: string }, // what execFile rejects with
  );
  signal.throwIfAborted();
  if (error === undefined) return undefined;
  if (error.killed === true) return { by: `no end within ${LIMIT_MS / 60_000} minutes`, isEndless: true };
  return parseFailure(error.stderr) ?? { by: 'Jest ended without a failed test', isEndless: false };
}

/** Reads the first failed test from Jest's output. With `--bail`, Jest writes no report in JSON. */
function parseFailure(output: string): Failure | undefined {
  const suite = /^FAIL \S+ (test\S+)/m.exec(output)?.[1];
  const title = /^ {2}● (.+)$/m.exec(output)?.[1] ?? '';
  return suite === undefined ? undefined : { suite, by: `${suite}: ${title}` };
}
