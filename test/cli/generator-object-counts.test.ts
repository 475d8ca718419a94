import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { runInProcess } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { writeSmallInput } from '../support/release/small-input.js';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

/** Returns the number of files below a folder. */
async function countFiles(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

it('publish, verify and status say what they count: objects written, listed files, and objects that files share', async () => {
  const input = await writeSmallInput(path.join(folder.path, 'input'), { days: { bitcoin: 5 } });
  const root = path.join(folder.path, 'store');
  const store = ['--store', `file:${root}`];
  const publish = await runInProcess([
    'publish',
    '--input',
    input,
    ...store,
    '--as-of',
    '2025-01-06T06:00:00Z',
  ]);
  const [, written = ''] = /^([\d,]+) objects written, including public copies, /m.exec(publish.stdout) ?? [];
  const aliases = 1; // the list of public copies, which is not counted
  expect(Number(written.replace(',', ''))).toBe((await countFiles(root)) - aliases);
  const status = await runInProcess(['status', ...store]);
  const [, objects = ''] =
    /^objects +([\d,]+) \(files with the same bytes share one\), /m.exec(status.stdout) ?? [];
  expect(Number(objects.replace(',', ''))).toBe(await countFiles(path.join(root, 'objects')));
  const verify = await runInProcess(['verify', ...store]);
  const [, listed = ''] = /([\d,]+) artifacts/.exec(verify.stdout) ?? [];
  const shared = Number(listed.replace(',', '')) - Number(objects.replace(',', ''));
  expect([verify.code, shared >= 0]).toEqual([0, true]);
});
