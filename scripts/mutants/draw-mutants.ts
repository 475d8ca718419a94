/**
 * Draws mutants of the last commit and shows which of them the fast tests notice. The commit's hash is the seed. The
 * tests run on a copy in the system's folder for temporary files; the repository itself does not change.
 *
 *   npm run mutants -- --count 20 gateway/core      of a folder or files
 *   npm run mutants -- --since origin/main          of the lines that changed since a commit
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { formatTable } from '../../infra/process/format-table.js';
import { judgeMutant, ROOT, withCopy, type Copy, type JudgeOptions, type Verdict } from './judge-mutant.js';
import {
  describeMutation,
  drawMutations,
  findMutations,
  parseChangedLines,
  type Mutation,
} from './mutations.js';

/** Folders that are mutated unless others are named. */
const SOURCES = ['gateway', 'generator', 'infra/process', 'infra/store', 'schemas'];

type Options = JudgeOptions & { readonly count: number; readonly since?: string };
type Row = readonly (string | number)[];

async function drawMutants(folders: readonly string[], { count, since, laws }: Options): Promise<void> {
  const commit = git('rev-parse', 'HEAD').trim();
  const interruption = interruptOnSignal();
  const rows: Row[] = [];
  const outcomes: Verdict['outcome'][] = [];
  await withCopy(commit, interruption, async (copy) => {
    const paths = folders.length > 0 ? folders : SOURCES;
    const changed = since === undefined ? undefined : readChangedLines(since, commit);
    const all = await readMutations(copy, listSources(commit, paths), changed);
    const drawn = drawMutations(all, commit, count);
    process.stderr.write(`${drawn.length} of ${all.length} mutants, drawn by ${commit}\n`);
    for (const mutation of drawn) {
      const text = await readFile(path.join(copy.folder, mutation.file), 'utf8');
      const { outcome, by } = await judgeMutant(copy, mutation, { laws });
      const row = [mutation.file, mutation.line, describeMutation(text, mutation), `${outcome} ${by}`.trim()];
      process.stderr.write(`${rows.length + 1}: ${row.join('  ')}\n`);
      rows.push(row);
      outcomes.push(outcome);
    }
  }).catch((error: unknown) => {
    if (!interruption.aborted) throw error;
    process.exitCode = 130;
  });
  const killed = outcomes.filter((outcome) => outcome === 'killed').length;
  if (rows.length > 0) process.stdout.write(`${formatTable(['file', 'line', 'mutation', 'result'], rows)}\n`);
  process.stdout.write(`${killed} of ${rows.length} mutants were killed\n`);
}

function listSources(commit: string, paths: readonly string[]): string[] {
  return git('ls-tree', '-r', '--name-only', commit, '--', ...paths)
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !/\.(generated|d)\.ts$/.test(file));
}

function readChangedLines(since: string, commit: string): ReadonlyMap<string, ReadonlySet<number>> {
  return parseChangedLines(git('diff', '--unified=0', '--no-color', '--no-ext-diff', since, commit));
}

/** Reads every mutation of these files; with `changed`, only those in its lines. */
async function readMutations(
  copy: Copy,
  files: readonly string[],
  changed: ReadonlyMap<string, ReadonlySet<number>> | undefined,
): Promise<Mutation[]> {
  const mutations = files.map(async (file) =>
    findMutations(file, await readFile(path.join(copy.folder, file), 'utf8')),
  );
  return (await Promise.all(mutations))
    .flat()
    .filter(({ file, line }) => changed === undefined || changed.get(file)?.has(line) === true);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
}

function interruptOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('Use a whole number from 1.');
  return count;
}

await new Command('draw-mutants')
  .description('Draw mutants of the last commit and show which of them the fast tests notice.')
  .option('--count <n>', 'number of mutants', parseCount, 100)
  .option('--since <commit>', 'mutate only lines that changed since this commit')
  .option('--laws', 'also run the tests under test/laws, which takes longer', false)
  .argument('[paths...]', 'folders or files to mutate')
  .action(drawMutants)
  .parseAsync();
