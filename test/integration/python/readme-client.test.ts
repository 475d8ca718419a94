import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { publishSample } from '../../support/release/published-sample.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
const README = path.join(import.meta.dirname, '../../../README.md');

let folder: TemporaryFolder;
let gateway: GatewayProcess;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  gateway = await startGatewayProcess({
    CRD_STORE: `file:${await publishSample()}`,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
  });
}, SLOW_MS);
afterAll(async () => {
  await gateway.stop();
  await folder.dispose();
});

/** Returns the code of the first block of the README in a language that contains some words. */
function blockOf(text: string, language: string, words: string): string {
  const blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  const found = blocks.find(([, name, code = '']) => name === language && code.includes(words));
  if (found?.[2] === undefined) throw new Error(`the README has no block of ${language} with ${words}`);
  return found[2];
}

it(
  'the lines of the README install the client of a running gateway in a fresh environment, and print what it shows',
  async () => {
    const readme = await readFile(README, 'utf8');
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path };
    const run = async (program: string, ...args: readonly string[]): Promise<string> =>
      assertSuccess(await runProgram(program, args, env, folder.path), program).stdout;
    const install = blockOf(readme, 'sh', 'pip install').replace('http://127.0.0.1:8080', gateway.url);
    await run('sh', '-ec', install);
    const shown = await run('.venv/bin/python', '-c', blockOf(readme, 'python', 'import crd'));
    expect(shown).toBe(blockOf(readme, 'text', 'regime  confidence'));
  },
  SLOW_MS,
);
