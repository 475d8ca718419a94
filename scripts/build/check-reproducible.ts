/**
 * Builds the last commit twice, in folders of other names and depths, time zones and locales, and compares every byte of
 * `dist`, of the gateway's bundle for AWS Lambda and of the Python wheel: `npm run build:check`. Exits with 1, and keeps the
 * folders, if something differs.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSourceCommit } from '../../infra/process/source-commit.js';
import { copyCommit } from './copy-commit.js';
import { digestFiles, findDifferences } from './digest-files.js';

const ROOT = path.join(import.meta.dirname, '../..');
const OUTPUTS = 'dist-outputs';
const BUILDS = [
  { folder: 'one', env: { TZ: 'UTC', LC_ALL: 'C' } },
  { folder: 'a/deeper/folder of two', env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8' } },
] as const;

const execute = promisify(execFile);

type Build = (typeof BUILDS)[number];

/** Returns the digests of what a build of the commit in a folder of its own makes. */
async function digestBuild(folder: string, commit: string, env: Build['env'], signal: AbortSignal) {
  await mkdir(folder, { recursive: true });
  await copyCommit(ROOT, commit, folder, signal);
  for (const modules of ['node_modules', 'infra/aws/node_modules'])
    if (existsSync(path.join(ROOT, modules))) await copyModules(modules, folder, signal);
  const options = { cwd: folder, env: { ...process.env, ...env, SOURCE_COMMIT: commit }, signal };
  await execute('npm', ['run', '--silent', 'build'], options);
  const tsx = path.join(folder, 'node_modules/.bin/tsx');
  await execute(tsx, ['scripts/build/write-outputs.ts', OUTPUTS], options);
  const digests = ['dist', OUTPUTS].map(async (each) =>
    [...(await digestFiles(path.join(folder, each)))].map(
      ([name, digest]) => [`${each}/${name}`, digest] as const,
    ),
  );
  return new Map((await Promise.all(digests)).flat());
}

/** Copies installed packages into place, as `npm ci` would install them. Hard links suffice: a build does not change them. */
async function copyModules(modules: string, folder: string, signal: AbortSignal): Promise<void> {
  const [from, to] = [path.join(ROOT, modules, '.'), path.join(folder, modules)];
  await mkdir(to, { recursive: true });
  const copy = (flags: string) => execute('cp', [flags, `${from}/.`, to], { signal });
  await copy('-al').catch(() => copy('-a')); // another file system, or a cp without links
}

const commit = readSourceCommit(ROOT)?.replace('-modified', '');
if (commit === undefined)
  throw new Error('There is no commit to build. Run this in a clone of the repository.');
const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
const base = await mkdtemp(path.join(tmpdir(), 'crd-build-'));
let differences: string[] = [];
try {
  const [one, other] = await Promise.all(
    BUILDS.map(({ folder, env }) => digestBuild(path.join(base, folder), commit, env, controller.signal)),
  );
  if (one === undefined || other === undefined) throw new TypeError('there are two builds');
  differences = findDifferences(one, other);
  const found = differences.length === 0 ? 'the same bytes' : `${differences.length} differences, in ${base}`;
  process.stdout.write(`${commit}: ${one.size} files, built twice: ${found}\n`);
} finally {
  if (differences.length === 0) await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
for (const line of differences.slice(0, 20)) process.stderr.write(`build:check: ${line}\n`);
if (differences.length > 0) process.exitCode = 1;
