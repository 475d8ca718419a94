import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GuideTextName } from '../../../generator/core/pages/page.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { GUIDE_NAMES } from '../../../schemas/catalog.js';
import { environmentOf } from '../../support/clients/copied-examples.js';
import { installClients } from '../../support/clients/python-clients.js';
import {
  runGatewayProcess,
  startGatewayProcess,
  type GatewayProcess,
} from '../../support/gateway/gateway-process.js';
import {
  BUNDLE,
  digestOf,
  LAST_DATE,
  publishedRows,
  serveStore,
  type ServedRelease,
} from '../../support/gateway/served-release.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { signStore } from '../../support/trust/signed-generator.js';

const SETUP_MS = 300_000;
const SLOW_MS = 300_000;
const README = path.join(import.meta.dirname, '../../../README.md');
/** The line that the test of the README runs. */
const INSTALLATION = 'quickstart/set-up.py.sh';
/**
 * Programs whose tools are too large to install here, or are tested beside: see `duckdb-httpfs.test.ts` and
 * `dataset.test.ts`. They were run by hand.
 */
const BY_HAND = ['clickhouse', 'croissant', 'duckdb', 'frictionless', 'spark'].map(
  (tool) => `tools/read-with-${tool}.py`,
);
const DAYS = 119;
/** Date that the second release corrects. */
const REVISED = '2025-04-20';
/** Runs programs in one process, because importing pandas takes longer than all of them, and prints what each printed. */
const PYTHON_RUNNER = [
  'import contextlib, io, json, os, runpy, sys',
  'printed = {}',
  'for file in sys.argv[1:]:',
  '    os.chdir(os.path.dirname(file))',
  '    with contextlib.redirect_stdout(io.StringIO()) as out: runpy.run_path(file)',
  '    printed[file] = out.getvalue()',
  'print(json.dumps(printed))',
].join('\n');

/** Words that each program of a section prints. */
type Expected = Readonly<Record<string, readonly string[]>>;

let folder: TemporaryFolder;
let gateway: GatewayProcess;
let release: ServedRelease;
let files: readonly string[];
let trust: string;
/** What each program printed, by guide and file. */
const printed = new Map<string, string>();

beforeAll(async () => {
  const python = installClients();
  folder = await createTemporaryFolder();
  const inFolder = (name: string): string => path.join(folder.path, name);
  const stores = { store: `file:${inFolder('store')}`, accounts: `file:${inFolder('accounts')}` };
  const signed = await signStore(folder.path, stores.store);
  ({ trust } = signed);
  const publish = async (asOf: string, ...more: string[]): Promise<void> => {
    const line = ['publish', '--input', inFolder('input'), '--store', stores.store, '--as-of', asOf, ...more];
    await signed.generate(...line);
  };
  await writeSmallInput(inFolder('input'), { days: { base: DAYS } });
  await publish('2025-04-30T06:00:00Z');
  await writeSmallInput(inFolder('input'), { days: { base: DAYS }, revised: REVISED });
  await publish('2025-05-01T06:00:00Z', '--accept-restatements', 'the source was corrected');
  release = await serveStore(stores);
  // The verification reads every public file.
  gateway = await startGatewayProcess({ ...release.env, CRD_RATE_ADDRESS_PER_MINUTE: '60000' });
  files = await writeGuides(folder.path, gateway.url);
  await runAll(python);
}, SETUP_MS);
afterAll(async () => {
  await gateway.stop();
  await folder.dispose();
});

/** Writes the code of the guides as it is published on a site with this address. Returns the files. */
async function writeGuides(root: string, url: string): Promise<string[]> {
  const { site } = await readProductTexts({ name: 'A site', base_url: url });
  const names: readonly GuideTextName[] = ['quickstart', ...GUIDE_NAMES];
  const written: string[] = [];
  for (const name of names)
    for (const { file, text } of site.guides[name].codes) {
      await mkdir(path.join(root, name), { recursive: true });
      await writeFile(path.join(root, name, file), text);
      if (!BY_HAND.includes(`${name}/${file}`)) written.push(`${name}/${file}`);
    }
  return written;
}

async function runAll(python: string): Promise<void> {
  const at = (file: string): string => path.join(folder.path, file);
  const environment = async (): Promise<Record<string, string>> => ({
    ...environmentOf({ gateway: gateway.url, key: release.key }),
    CRD_CACHE_DIR: at('cache'),
    CRD_TRUST_ANCHOR: trust,
    OLD_KEY: await createKey(),
  });
  const programs = files.filter((file) => file.endsWith('.py')).map(at);
  const runner = runProgram(python, ['-c', PYTHON_RUNNER, ...programs], await environment(), folder.path);
  for (const file of files.filter((each) => !each.endsWith('.py') && each !== INSTALLATION)) {
    const isShell = file.endsWith('.sh');
    const env = file.includes('/replace-a-key') ? await environment() : await shared(environment);
    const run = await runProgram(isShell ? 'sh' : process.execPath, [at(file)], env, path.dirname(at(file)));
    printed.set(file, assertSuccess(run, file).stdout);
  }
  const outputs = JSON.parse(assertSuccess(await runner, 'Python').stdout) as Record<string, string>;
  for (const [file, text] of Object.entries(outputs)) printed.set(path.relative(folder.path, file), text);
}

let common: Promise<Record<string, string>> | undefined;
/** Returns the environment of the programs that revoke no key. */
function shared(make: () => Promise<Record<string, string>>): Promise<Record<string, string>> {
  return (common ??= make());
}

/** Runs the programs that send a key with one that does not exist. Returns how each ended: its exit code and all that it wrote. */
async function runWithWrongKey(python: string): Promise<Map<string, readonly [number | null, string]>> {
  const root = path.join(folder.path, 'refused');
  const wrong = `crd_test_00000000_${'0'.repeat(38)}`;
  const environment = {
    ...environmentOf({ gateway: gateway.url, key: wrong }),
    CRD_CACHE_DIR: path.join(root, 'cache'),
    OLD_KEY: wrong,
  };
  const ends = new Map<string, readonly [number | null, string]>();
  for (const file of await writeGuides(root, gateway.url)) {
    const at = path.join(root, file);
    const text = await readFile(at, 'utf8');
    if (!/_KEY|crd\.(bundle|day|history|latest|regimes_on|sync)\b/.test(text)) continue;
    const [program = python] = [{ '.sh': 'sh', '.mjs': process.execPath }[path.extname(at)]];
    const own = path.join(root, 'own', file);
    await mkdir(own, { recursive: true });
    const { code, stdout, stderr } = await runProgram(program, [at], environment, own);
    ends.set(file, [code, [stdout, stderr].join('\n')]);
  }
  return ends;
}

async function createKey(): Promise<string> {
  const run = await runGatewayProcess(['keys', 'create', '--account', 'a-reader'], release.env);
  return assertSuccess(run).stdout.trim();
}

async function expectations(): Promise<Expected> {
  const { calendar, days } = await publishedRows(release);
  const last = calendar.at(-1)?.regime ?? '';
  const count = String(days.at(-1)?.tx_count);
  const { revision } = release.record;
  const first = revision.replace('2025-05-01', '2025-04-30').replace(/\d$/, '1');
  return {
    'quickstart/set-up': [],
    'quickstart/read-a-calendar': [LAST_DATE, last],
    'quickstart/read-subscriber-files-with-a-key': [LAST_DATE, count],
    'download/read-a-public-file': [LAST_DATE, last],
    'download/read-a-subscriber-file': [LAST_DATE, count],
    'download/read-the-whole-history': [],
    'download/fetch-only-what-changed': [],
    'tools/get-a-link': ['http'],
    'tools/read-with-pandas': ['2025-03-31'],
    'tools/read-with-polars': ['2025-03-31'],
    'tools/read-with-pyarrow': ['2025-03-31'],
    'join/use-the-label-of-the-day-before': [LAST_DATE, calendar.at(-2)?.regime ?? ''],
    'join/use-the-version-that-was-known-then': [LAST_DATE],
    'join/exclude-backfilled-labels': ['of 119 rows'],
    'revisions/see-what-changed': [revision, first, 'base'],
    'revisions/read-a-date-as-it-was': [LAST_DATE, count],
    'revisions/read-a-history-as-it-was-known': [REVISED],
    'verify/check-a-subscriber-file': [],
    'verify/check-a-public-file': ['OK'],
    'verify/check-the-signatures-of-a-site': [`release ${revision}`, 'public files match the list'],
    'verify/compute-the-regimes-again': ['119 dates compared, 0 differ'],
    'keys/send-the-key-in-a-header': ['research'],
    'keys/see-how-much-is-left': ['q=600;w=60', 'r='],
    'keys/wait-when-the-service-asks': [LAST_DATE],
    'keys/replace-a-key': ['revoked_at'],
  };
}

it(
  'the programs of all guides run as they are published, and print what the release contains',
  async () => {
    const expected = await expectations();
    for (const file of files.filter((each) => each !== INSTALLATION)) {
      const words = expected[file.replace(/\..*/, '')];
      expect([file, words === undefined]).toEqual([file, false]);
      for (const word of words ?? [])
        expect([file, printed.get(file)]).toEqual([file, expect.stringContaining(word)]);
      expect([file, printed.get(file)]).not.toEqual([file, '']);
    }
  },
  SLOW_MS,
);

it(
  'every program that needs a key fails with a wrong one, and shows why',
  async () => {
    const ends = await runWithWrongKey(installClients());
    expect(ends.size).toBeGreaterThan(20);
    for (const [file, [code, text]] of ends) {
      expect([file, code === 0]).toEqual([file, false]);
      expect([file, text]).toEqual([
        file,
        expect.stringMatching(/api-key-invalid|HTTP Error 401|401 Client Error/),
      ]);
    }
  },
  SLOW_MS,
);

it('the client is installed by the line of the README', async () => {
  const line = await readFile(path.join(folder.path, INSTALLATION), 'utf8');
  expect(await readFile(README, 'utf8')).toContain(line.replace(gateway.url, 'http://127.0.0.1:8080'));
});

it('a history is downloaded with all its volumes', () => {
  const volumes = printed.get('download/read-the-whole-history.sh') ?? '';
  expect(volumes.trim().split('\n').length).toBeGreaterThan(1);
  expect(printed.get('download/read-the-whole-history.mjs')).toBe(volumes);
  expect(printed.get('download/read-the-whole-history.py')).toBe(`119 days to ${LAST_DATE}\n`);
});

it('a file that did not change is not downloaded again', () => {
  expect(printed.get('download/fetch-only-what-changed.sh')).toBe('304\n');
  expect(printed.get('download/fetch-only-what-changed.mjs')).toBe('304\n');
  const [first, second] = (printed.get('download/fetch-only-what-changed.py') ?? '').trim().split('\n');
  expect(first).toMatch(/[1-9]\d* fetched/);
  expect(second).toMatch(/ 0 fetched/);
});

it('the value of a corrected date is shown as it was before', () => {
  const lines = (printed.get('revisions/read-a-history-as-it-was-known.mjs') ?? '').trim().split('\n');
  const [before, after] = lines.map((line) => Number(line.split(' ').at(-1)));
  expect(lines).toHaveLength(2);
  expect(after).toBe((before ?? 0) + 1);
  const frame = printed.get('revisions/read-a-history-as-it-was-known.py') ?? '';
  for (const value of [before, after]) expect(frame).toContain(String(value));
});

it('a file is verified by its digest', async () => {
  const digest = await digestOf(release, BUNDLE);
  expect(printed.get('verify/check-a-subscriber-file.py')).toBe(`${digest}\n`);
  expect(printed.get('verify/check-a-subscriber-file.sh')).toBe('base-week.json: OK\n');
  expect(printed.get('verify/check-a-subscriber-file.mjs')).toBe('OK\n');
});
