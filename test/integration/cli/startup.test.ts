import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const RECORDER = path.resolve('test/support/process/record-imports.mjs');

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.dispose());

/** Runs a program, and returns the files that it loads. */
async function importsOf(...args: readonly string[]): Promise<string[]> {
  const file = path.join(folder.path, 'imports');
  const env = { ...process.env, RECORDED_IMPORTS: file };
  await promisify(execFile)(process.execPath, ['--import', RECORDER, ...args], { env }).catch(ignoreExit);
  const urls = (await readFile(file, 'utf8')).split('\n').filter((url) => url.startsWith('file:'));
  return [...new Set(urls)].map((url) => fileURLToPath(url));
}

/** Returns which clients of AWS and which sources are in bundled files. esbuild writes the path of each module before it. */
async function contentsOf(files: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const modules = texts.flatMap((text) => text.match(/^\/\/ \S+$/gm) ?? []);
  const places = modules.flatMap(
    (each) => /(@aws-sdk\/client-\w+|generator\/sources\/[\w-]+)\//.exec(each)?.[1] ?? [],
  );
  return [...new Set(places)].sort();
}

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
  expect(loaded.length).toBeLessThan(50);
  expect(await contentsOf(loaded)).toEqual(['generator/sources/evm-node']);
});

it('what is loaded late is in files of its own', async () => {
  const files = await readdir('dist/chunks');
  const contents = await contentsOf(files.map((file) => path.join('dist/chunks', file)));
  expect(contents).toEqual(
    expect.arrayContaining(['@aws-sdk/client-athena', '@aws-sdk/client-kms', '@aws-sdk/client-s3']),
  );
});
