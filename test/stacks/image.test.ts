import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { PUBLIC_PATHS } from '../../schemas/paths.js';
import { startGatewayProcess } from '../support/gateway/gateway-process.js';
import { replayImage, type ReplayedImage } from '../support/aws/image-replay.js';
import { runProgram, type ProgramRun } from '../support/process/run-program.js';
import { writeSmallInput } from '../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const ROOT = path.join(import.meta.dirname, '../..');
const SLOW_MS = 300_000;
const COMMIT = 'a1'.repeat(20);
const BASE_IMAGE = `node:24-slim@sha256:${'0'.repeat(64)}`;

let folder: TemporaryFolder;
let image: ReplayedImage;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  image = await replayImage(ROOT, 'infra/Dockerfile', path.join(folder.path, 'image'), {
    BASE_IMAGE,
    SOURCE_COMMIT: COMMIT,
    TARGETARCH: process.arch.replace('x64', 'amd64'),
  });
}, SLOW_MS);
afterAll(() => folder.dispose(), SLOW_MS);

const programOf = (name: string): Promise<string> => realpath(path.join(image.root, 'usr/local/bin', name));

async function run(name: string, ...args: readonly string[]): Promise<ProgramRun> {
  return runProgram(process.execPath, [await programOf(name), ...args], image.env);
}

function askHealth(port: string): Promise<ProgramRun> {
  const [program, ...args] = image.healthCheck;
  expect(program).toBe('node');
  return runProgram(process.execPath, args, { ...image.env, CRD_PORT: port });
}

it('the image runs the gateway by default, as an unprivileged user', () => {
  expect([image.user, image.command]).toEqual(['node', ['gateway', 'serve']]);
  expect(image.env).toEqual({ NODE_ENV: 'production', CRD_HOST: '0.0.0.0' });
});

it('the image is built without emulation, from the base that the caller names', () => {
  expect(image.stages).toEqual([
    { base: BASE_IMAGE, platform: '$BUILDPLATFORM', runs: true },
    { base: BASE_IMAGE, platform: undefined, runs: false },
  ]);
});

it('the image is not built without a base', async () => {
  await expect(replayImage(ROOT, 'infra/Dockerfile', path.join(folder.path, 'baseless'))).rejects.toThrow(
    'BASE_IMAGE has no value',
  );
});

it('the image runs the SQL of the collection, with DuckDB for its processor and no other', async () => {
  const bindings = await readdir(path.join(image.root, 'app/node_modules/@duckdb'));
  expect(bindings.sort()).toEqual(['node-api', 'node-bindings', `node-bindings-linux-${process.arch}`]);
  const sum = `import('@duckdb/node-api').then(async ({ DuckDBInstance }) => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    console.log(String((await connection.runAndReadAll('SELECT 20 + 22')).getRows()[0]));
  })`;
  const { stdout } = await runProgram(process.execPath, ['-e', sum], image.env, path.join(image.root, 'app'));
  expect(stdout.trim()).toBe('42');
});

it('the image contains the programs and their dependencies, without sources and development tools', async () => {
  expect((await readdir(path.join(image.root, 'app'))).sort()).toEqual([
    '.duckdb',
    'dist',
    'node_modules',
    'package.json',
  ]);
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(path.join(ROOT, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  const isInstalled = (name: string): Promise<boolean> =>
    stat(path.join(image.root, 'app/node_modules', name)).then(
      () => true,
      () => false,
    );
  expect(await Promise.all(Object.keys(dependencies).map(isInstalled))).not.toContain(false);
  for (const tool of ['jest', 'typescript', 'eslint', 'playwright-core']) {
    expect(devDependencies[tool]).toBeDefined();
    expect([tool, await isInstalled(tool)]).toEqual([tool, false]);
  }
  for (const name of ['generator', 'gateway']) {
    expect((await stat(await programOf(name))).mode & 0o111).toBe(0o111);
    expect(await readFile(await programOf(name), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  }
});

it('the image has a folder for raw data, in which its user may write', async () => {
  expect((await stat(path.join(image.root, 'scratch'))).mode & 0o1777).toBe(0o1777);
});

it.each(['generator', 'gateway'])('the %s of the image states the commit that it is given', async (name) => {
  const { stdout } = await run(name, '--version', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ commit: COMMIT });
});

it(
  'the image publishes, and the health check passes only while its gateway runs',
  async () => {
    const input = await writeSmallInput(path.join(folder.path, 'input'), {
      days: { bitcoin: 600, base: 500 },
    });
    const store = `file:${path.join(folder.path, 'store')}`;
    const published = await run(
      'generator',
      'publish',
      '--input',
      input,
      '--store',
      store,
      '--as-of',
      '2026-08-25T12:00:00Z',
    );
    expect([published.code, published.stdout]).toEqual([
      0,
      expect.stringMatching(/^published: 2026-08-25\.000001/),
    ]);
    const accounts = `file:${path.join(folder.path, 'accounts')}`;
    const env = { ...image.env, CRD_HOST: '127.0.0.1', CRD_STORE: store, CRD_ACCOUNTS_STORE: accounts };
    const gateway = await startGatewayProcess(
      {
        ...env,
        CRD_PUBLIC_BASE_URL: 'http://127.0.0.1',
        CRD_LINK_SECRET: 'a secret of at least thirty-two bytes',
      },
      await programOf('gateway'),
    );
    const { port } = new URL(gateway.url);
    expect(await askHealth(port)).toMatchObject({ code: 0 });
    expect((await fetch(gateway.url + PUBLIC_PATHS.status)).status).toBe(200);
    await gateway.stop();
    expect(await askHealth(port)).toMatchObject({ code: 1 });
  },
  SLOW_MS,
);
