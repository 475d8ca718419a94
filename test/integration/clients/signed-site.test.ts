import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { CLIENT_SOURCES, installClients } from '../../support/clients/python-clients.js';
import {
  runGatewayProcess,
  startGatewayProcess,
  type GatewayProcess,
} from '../../support/gateway/gateway-process.js';
import { assertSuccess, runProgram, type ProgramRun } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { signSample } from '../../support/release/signed-sample.js';
import { SITE } from '../../support/trust/key-runs.js';

const SLOW_MS = 300_000;

let folder: TemporaryFolder;
let gateway: GatewayProcess;
let python: string;
let key: string;
let trust: string;
const file = (name: string): string => path.join(folder.path, name);

function crd(...args: string[]): Promise<ProgramRun> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path, PYTHONPATH: CLIENT_SOURCES };
  return runProgram(python, ['-m', 'crd', ...args], {
    ...env,
    CRD_BASE_URL: gateway.url,
    CRD_API_KEY: key,
    CRD_CACHE_DIR: file(`cache-${randomBytes(4).toString('hex')}`),
  });
}

beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
  const signed = await signSample(folder.path);
  ({ trust } = signed);
  const env = {
    CRD_STORE: signed.store,
    CRD_ACCOUNTS_STORE: `file:${file('accounts')}`,
    CRD_KEY_MODE: 'test',
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_RATE_ADDRESS_PER_MINUTE: '60000',
    CRD_RATE_KEY_PER_MINUTE: '60000',
  };
  const grant = ['--account', 'reader', '--plan', 'research', '--until', '2999-12-31', '--reason', 'a test'];
  assertSuccess(await runGatewayProcess(['grant', ...grant], env));
  key = assertSuccess(await runGatewayProcess(['keys', 'create', '--account', 'reader'], env)).stdout.trim();
  gateway = await startGatewayProcess(env);
}, SLOW_MS);
afterAll(async () => {
  await gateway.stop();
  await folder.dispose();
});

it(
  'the Python client verifies a running site with one command, its subscriber files too',
  async () => {
    const { code, stdout, stderr } = await crd('verify', gateway.url, '--trust', trust);
    expect([code, stderr.replace(/^.*\d+ of \d+ .*$\n/gm, '')]).toEqual([0, '']); // without the progress
    expect(stdout).toMatch(/public files/);
    expect(stdout).toMatch(/manifest/);
  },
  SLOW_MS,
);

it(
  'a mirror verifies without a network',
  async () => {
    const to = file('mirror');
    assertSuccess(await crd('sync', '--to', to, '--chain', 'base', '--genre', 'meta'));
    const { code, stdout } = await crd('verify', to, '--trust', trust);
    expect([code, stdout]).toEqual([0, expect.stringContaining(SITE)]);
  },
  SLOW_MS,
);

it('another trust anchor is refused', async () => {
  const { code, stderr } = await crd('verify', gateway.url, '--trust', `${SITE}#${'A'.repeat(43)}`);
  expect([code, stderr]).toEqual([8, expect.stringMatching(/root key/)]);
});
