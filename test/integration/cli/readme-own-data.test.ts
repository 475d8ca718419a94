import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const ROOT = path.join(import.meta.dirname, '../../..');
/** What the lines need of a checkout after their first line, which installs and builds. */
const CHECKOUT = ['dist', 'node_modules', 'package.json', 'scripts'];

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  await Promise.all(CHECKOUT.map((name) => symlink(path.join(ROOT, name), path.join(folder.path, name))));
});
afterAll(() => folder.dispose());

/** Returns the lines of the shell in the README's section about own data, up to the one that serves. */
async function linesOfSection(): Promise<string[]> {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const [section = ''] = readme.split('\n## Use your own data\n')[1]?.split('\n## ') ?? [];
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const lines = blocks.join('').trim().split('\n');
  expect(lines[0]).toBe('npm ci && npm run build');
  expect(lines.at(-1)).toBe('npx gateway serve');
  return lines.slice(1, -1);
}

it('the lines of the README about own data run as they stand, in order', async () => {
  const script = ['set -e', ...(await linesOfSection()), 'echo "$KEY"'].join('\n');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path };
  const { stdout } = assertSuccess(await runProgram('bash', ['-c', script], env, folder.path), script);
  expect(stdout).toMatch(/^published: /);
  expect(stdout).toContain(': every record and file recomputed from the gold days');
  expect(stdout).toMatch(/\nnext {7}/);
  expect(stdout).not.toContain('have a label:'); // every chain of the sample has enough metrics
  expect(stdout).toMatch(/\ncrd_\w+\n$/);
}, 600_000);
