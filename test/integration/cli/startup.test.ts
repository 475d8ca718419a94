import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const RECORDER = path.resolve('test/support/process/record-imports.mjs');

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.dispose());

/** Runs a program, and returns the names of the files that it loads, without the digests of bundled ones. */
async function importsOf(...args: readonly string[]): Promise<Set<string>> {
  const file = path.join(folder.path, 'imports');
  const env = { ...process.env, RECORDED_IMPORTS: file };
  await promisify(execFile)(process.execPath, ['--import', RECORDER, ...args], { env }).catch(ignoreExit);
  const urls = (await readFile(file, 'utf8')).split('\n').filter((url) => url.startsWith('file:'));
  return new Set(urls.map((url) => path.basename(url).replace(/(-[0-9A-Z]{8})?\.js$/, '')));
}

/** What takes long to load, and only some commands need. */
const LAZY = ['s3-store', 'athena-engine', 'create-sources', 'kms-signer'];

/** A store that does not exist is as good as another: the command was loaded, and read it. */
function ignoreExit(error: { readonly code?: unknown }): void {
  if (error.code !== 2) throw new Error('the program did not run', { cause: error });
}

it.each([
  ['--version', ['--version']],
  ['help of collect', ['collect', '--help']],
  ['status of a directory', ['status', '--json', '--store']],
])('the generator loads few files, and no clients of sources or of AWS, for: %s', async (_what, args) => {
  const store = args.includes('--store') ? [`file:${folder.path}/store`] : [];
  const loaded = await importsOf('dist/generator/main.js', ...args, ...store);
  expect(loaded).toContain('main');
  expect(LAZY.filter((name) => loaded.has(name))).toEqual([]);
  expect(loaded.size).toBeLessThan(50);
});

it('what is loaded late is in files of its own', async () => {
  const files = await readdir('dist/chunks');
  for (const name of LAZY) expect(files.filter((file) => file.startsWith(`${name}-`))).toHaveLength(1);
});
