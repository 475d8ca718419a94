import { readdir, readFile, realpath, stat, cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { PUBLIC_PATHS } from '../../schemas/paths.js';
import { startGatewayProcess } from '../support/gateway/gateway-process.js';
import { runProgram, type ProgramRun } from '../support/process/run-program.js';
import { writeSmallInput } from '../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

/** The result of `replayImage`. The steps ran on this machine as the current user, without a container engine. */
type ReplayedImage = {
  /** Root folder of the last stage. */
  readonly root: string;
  /** The base of each stage, the platform that it asks for (by default that of the image), and whether it runs programs. */
  readonly stages: readonly Readonly<Described>[];
  readonly user: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Command of the health check. */
  readonly healthCheck: readonly string[];
};

type Described = { readonly base: string; readonly platform: string | undefined; runs: boolean };
type Stage = { readonly root: string; workingFolder: string; user?: string };

/**
 * Replays a Dockerfile in `folder`. Each stage has a folder of its own below `folder`, which stands for its root directory. Files that
 * `.dockerignore` excludes cannot be copied. `buildArgs` has the value of each ARG. @throws Error for an ARG without a value, an unsupported
 * instruction or a failed step.
 */
async function replayImage(
  context: string,
  dockerfile: string,
  folder: string,
  buildArgs: Readonly<Record<string, string>> = {},
): Promise<ReplayedImage> {
  const isIncluded = await readContext(context);
  const stages = new Map<string, Stage>();
  const env: Record<string, string> = {};
  const described: Described[] = [];
  let stage: Stage = { root: folder, workingFolder: folder };
  let [command, healthCheck]: [string[], string[]] = [[], []];
  for (const [name, text] of await readInstructions(path.join(context, dockerfile))) {
    const words = text.split(/\s+/);
    const at = (place: string, of: Stage = stage): string =>
      place.startsWith('/') ? path.join(of.root, place) : path.join(of.workingFolder, place);
    if (name === 'FROM') {
      const platform = /^--platform=(\S+)$/.exec(words[0] ?? '')?.[1];
      const [base = '', , as = `stage-${stages.size}`] = platform === undefined ? words : words.slice(1);
      const image = base.replace(/^\$(\w+)$/, (_all, arg: string) => buildArgs[arg] ?? '');
      described.push({ base: image, platform, runs: false });
      stages.set(as, (stage = { root: path.join(folder, as), workingFolder: path.join(folder, as) }));
      await mkdir(stage.root, { recursive: true });
    } else if (name === 'WORKDIR') {
      stage.workingFolder = at(text);
      await mkdir(stage.workingFolder, { recursive: true });
    } else if (name === 'COPY') {
      const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
      const [sources, target] = [words.slice(from === undefined ? 0 : 1, -1), words.at(-1) ?? ''];
      const source = from === undefined ? undefined : stages.get(from);
      for (const each of sources) {
        if (source === undefined && !isIncluded(each)) throw new Error(`.dockerignore excludes ${each}`);
        const found = source === undefined ? path.join(context, each) : at(each, source);
        // Of a folder, COPY takes what is in it.
        const isInside = target.endsWith('/') && !each.endsWith('/');
        const into = isInside ? path.join(at(target), path.basename(each)) : at(target);
        await cp(found, into, {
          recursive: true,
          verbatimSymlinks: true,
          filter: (file) => source !== undefined || isIncluded(path.relative(context, file)),
        });
      }
    } else if (name === 'RUN') {
      for (const last of described.slice(-1)) last.runs = true;
      const shell = { ...readEnvironment(), ...buildArgs };
      const { code, stderr } = await runProgram('/bin/sh', ['-ec', text], shell, stage.workingFolder);
      if (code !== 0) throw new Error(`${text}: ${stderr}`);
    } else if (name === 'ENV') {
      for (const word of words) {
        const [variable = '', value = ''] = word.split('=');
        env[variable] = value;
      }
    } else if (name === 'USER') stage.user = text;
    else if (name === 'CMD') command = JSON.parse(text) as string[];
    else if (name === 'HEALTHCHECK') healthCheck = JSON.parse(text.replace(/^.*?CMD /s, '')) as string[];
    else if (name === 'ARG' ? !buildArgs[text] : !['EXPOSE', 'VOLUME'].includes(name))
      throw new Error(name === 'ARG' ? `${text} has no value` : `unsupported instruction: ${name}`);
  }
  return { root: stage.root, stages: described, user: stage.user, env, command, healthCheck };
}

/** Returns what a step needs of this machine's environment, including the certificate of a proxy. */
function readEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns which files of the context are sent to the builder: only those that `.dockerignore` includes by name. */
async function readContext(context: string): Promise<(file: string) => boolean> {
  const lines = (await readFile(path.join(context, '.dockerignore'), 'utf8')).split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (rules[0] !== '*' || !rules.slice(1).every((rule) => /^![\w./-]+$/.test(rule)))
    throw new Error('unsupported .dockerignore: it must exclude everything and include by name');
  const names = rules.slice(1).map((rule) => rule.slice(1));
  return (file) =>
    file === '' ||
    names.some((name) => file === name || file.startsWith(`${name}/`) || name.startsWith(`${file}/`));
}

/** Reads the instructions of a Dockerfile, each with its arguments on one line. */
async function readInstructions(file: string): Promise<readonly (readonly [name: string, text: string])[]> {
  const text = (await readFile(file, 'utf8')).replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return [name, rest] as const;
  });
}

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
