import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const RECORDER = path.resolve('test/support/process/record-imports.mjs');

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.dispose());

/** Runs a program, and returns the libraries that it loads, and the folders of its own modules. */
async function importsOf(...args: readonly string[]): Promise<Set<string>> {
  const file = path.join(folder.path, 'imports');
  const env = { ...process.env, RECORDED_IMPORTS: file };
  await promisify(execFile)(process.execPath, ['--import', RECORDER, ...args], { env }).catch(ignoreExit);
  const urls = (await readFile(file, 'utf8')).split('\n');
  const library = /\/node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*\/node_modules\/)/;
  return new Set(
    urls.flatMap((url) => library.exec(url)?.[1] ?? /\/dist\/(.+)\/[^/]+$/.exec(url)?.[1] ?? []),
  );
}

/** What takes long to load, and only some commands need. */
const SLOW = ['@aws-sdk/client-s3', '@aws-sdk/client-athena', '@duckdb/node-api'];

/** A store that does not exist is as good as another: the command was loaded, and read it. */
function ignoreExit(error: { readonly code?: unknown }): void {
  if (error.code !== 2) throw new Error('the program did not run', { cause: error });
}

it.each([
  ['--version', ['--version']],
  ['help of collect', ['collect', '--help']],
  ['status of a directory', ['status', '--json', '--store']],
])('the generator loads no clients of sources for: %s', async (_what, args) => {
  const store = args.includes('--store') ? [`file:${folder.path}/store`] : [];
  const loaded = await importsOf('dist/generator/main.js', ...args, ...store);
  expect(loaded).toContain('commander');
  expect(SLOW.filter((name) => loaded.has(name))).toEqual([]);
  expect([...loaded].filter((name) => name.startsWith('generator/sources/'))).toEqual([
    'generator/sources/evm-node',
  ]);
});
