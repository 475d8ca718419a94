import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
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

type Section = { readonly lines: readonly string[]; readonly serve: string; readonly request: string };

/** Returns the lines of the shell in the README's section about own data, without the first, and the last two. */
async function linesOfSection(): Promise<Section> {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const [section = ''] = readme.split('\n## Use your own data\n')[1]?.split('\n## ') ?? [];
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const lines = blocks.join('').trim().split('\n');
  expect(lines[0]).toBe('npm run build    # if you skipped the demo, run npm ci first');
  const [serve = '', request = ''] = lines.slice(-2);
  return { lines: lines.slice(1, -2), serve, request };
}

it('the lines of the README about own data run as they stand, in order', async () => {
  const { lines, serve, request } = await linesOfSection();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port); // listens on a port
  await new Promise((resolve) => server.close(resolve));
  const script = [
    'set -em', // so that what runs in the background is a group of processes
    ...lines,
    `{ ${serve}\n} >&2 &`,
    "trap 'kill -- -$!' EXIT",
    `${request.replace('8080', port)} --retry 60 --retry-delay 1 --retry-connrefused --silent --max-time 60`,
  ].join('\n');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path, CRD_PORT: port, CRD_METRICS_PORT: '0' };
  const { stdout } = assertSuccess(await runProgram('bash', ['-c', script], env, folder.path), script);
  expect(stdout).toMatch(/^published: /);
  expect(stdout).toContain(': every record and file recomputed from the gold days');
  expect(stdout).toMatch(/\nnext {7}/);
  expect(stdout).not.toContain('have a label:'); // every chain of the sample has enough metrics
  expect(stdout).toMatch(/\ncrd_\w+\n/);
  expect(stdout).toContain('"chain":"ethereum"');
}, 600_000);
