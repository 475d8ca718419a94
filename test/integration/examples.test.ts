import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../schemas/digest.js';
import { dayPath, manifestPath, objectKey } from '../../schemas/paths.js';
import { startGatewayProcess, type GatewayProcess } from '../fixtures/gateway-process.js';
import { startLoopbackServer } from '../fixtures/loopback-server.js';
import { isTold, startObjectHost, type ObjectHost } from '../fixtures/object-host.js';
import {
  environmentOf,
  EXAMPLES_FOLDER,
  pasteExamples,
  type ExampleTerms,
  type PastedExamples,
} from '../fixtures/pasted-examples.js';
import { installClients } from '../fixtures/python-clients.js';
import { runProgram, type ProgramRun } from '../fixtures/run-program.js';
import { createTestBucket, type TestBucket } from '../fixtures/s3-bucket.js';
import {
  BUNDLE,
  CALENDAR,
  digestOf,
  LAST_DATE,
  prepareServedRelease,
  publishedRows,
  type ServedRelease,
} from '../fixtures/served-release.js';
import { s3Environment } from '../fixtures/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 60_000;
const OTHERS = path.join(import.meta.dirname, '../clients/others');

/** These take a path and a file to write, */
const DOWNLOADS = ['download.sh', 'download.mjs'];
/** these join a bundle with the calendar of a chain, */
const JOINS = ['with_pandas.py', 'with_duckdb.py'];
/** this one reads the calendar of a chain alone, */
const COUNTS = 'with_polars.py';
/** these mirror an archive, and have a suite of their own, */
const MIRRORS = ['sync.py', 'sync.ts'];
/** and this one has another. */
const RECOMPUTES = 'recompute.py';
/** What others do with a bundle. */
const FOLLOWERS = ['requests-redirect', 'pandas-redirect'];
const LINK_READERS = ['pandas-link', 'polars-link'];

const FILES = [BUNDLE, dayPath('meta', 'base', LAST_DATE), manifestPath('gold', 'base'), CALENDAR];

let python: string;
let examples: PastedExamples;
let folder: TemporaryFolder;
let bucket: TestBucket;
let inDirectory: ServedRelease;
let inS3: ServedRelease;
beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  const below = (name: string): string => path.join(folder.path, name);
  examples = await pasteExamples(below('pasted'), python);
  inDirectory = await prepareServedRelease({
    store: `file:${below('store')}`,
    accounts: `file:${below('accounts')}`,
    folder: below('input'),
  });
  inS3 = await prepareServedRelease({
    store: bucket.address('releases'),
    accounts: bucket.address('accounts'),
    folder: below('input'),
    env: s3Environment(),
  });
}, INSTALL_MS);
afterAll(() => Promise.all([folder.dispose(), bucket.dispose()]), SLOW_MS);

const linesOf = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => `${row.join()}\n`).join('');

const digestOfPasted = async (file: string): Promise<string> =>
  sha256Hex(await readFile(path.join(examples.folder, file)));

/** Runs an example that must succeed; resolves what it printed. */
async function show(script: string, args: readonly string[], terms: ExampleTerms): Promise<string> {
  return printed(script, await examples.run(script, args, terms));
}

/** Reads the rows of a calendar or a bundle without our advice. */
async function readOtherwise(script: string, args: readonly string[], terms: ExampleTerms): Promise<unknown> {
  const run = await runProgram(python, [path.join(OTHERS, script), ...args], environmentOf(terms));
  return JSON.parse(printed(script, run));
}

async function curl(...args: readonly string[]): Promise<string> {
  return printed(
    'curl',
    await runProgram('curl', ['-sS', '--fail', ...args], { PATH: process.env['PATH'] ?? '' }),
  );
}

function printed(program: string, { code, stdout, stderr }: ProgramRun): string {
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
  return stdout;
}

describe.each([
  ['a directory', () => inDirectory, false],
  ['S3', () => inS3, true],
])('from %s', (_place, released, isS3) => {
  let release: ServedRelease;
  let publicHost: ObjectHost;
  let gateway: GatewayProcess;
  let terms: ExampleTerms;
  beforeAll(async () => {
    release = released();
    publicHost = await startObjectHost(release.store);
    const base = isS3 ? { CRD_PUBLIC_BASE_URL: publicHost.endpoint } : {};
    gateway = await startGatewayProcess({ ...release.env, ...base });
    terms = { gateway: gateway.url, key: release.key };
  }, SLOW_MS);
  afterAll(() => Promise.all([gateway.stop(), publicHost.dispose()]));

  it.each(DOWNLOADS)(
    '%s gets the very bytes of a bundle, a day, a manifest and a public file',
    async (script) => {
      for (const file of FILES) {
        expect(await show(script, [file, 'out'], terms)).toBe('out\n');
        expect([file, await digestOfPasted('out')]).toEqual([file, await digestOf(release, file)]);
      }
    },
    SLOW_MS,
  );

  it.each(DOWNLOADS)('%s needs no key for a public file, and names it as the path does', async (script) => {
    expect(await show(script, [CALENDAR], { gateway: gateway.url })).toBe('regime-calendar\n');
    expect(await digestOfPasted('regime-calendar')).toBe(await digestOf(release, CALENDAR));
  });

  it.each(JOINS)(
    '%s shows the published rows of the bundle and the calendar, and leaves both files',
    async (script) => {
      await Promise.all(['base-calendar.csv', 'base-gold-7d.json'].map(forget));
      const text = await show(script, ['base'], terms);
      const { joined } = await publishedRows(release);
      expect([joined.length, joined.at(-1)?.date]).toEqual([7, LAST_DATE]);
      expect(new Set(joined.map(({ regime }) => regime)).size).toBe(2);
      const rows = joined.map(({ date, regime, tx_count }) => [date, regime, tx_count]);
      expect(text).toBe(linesOf([['date', 'regime', 'tx_count'], ...rows]));
      expect(await digestOfPasted('base-calendar.csv')).toBe(await digestOf(release, CALENDAR));
      expect(await digestOfPasted('base-gold-7d.json')).toBe(await digestOf(release, BUNDLE));
      expect(publicHost.takeVisits().filter((visit) => isTold(visit, release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    `${COUNTS} counts the available days of the public calendar, without a key`,
    async () => {
      await forget('base-calendar.csv');
      const text = await show(COUNTS, ['base'], { gateway: gateway.url });
      expect(await digestOfPasted('base-calendar.csv')).toBe(await digestOf(release, CALENDAR));
      const [header, ...rows] = text
        .trim()
        .split('\n')
        .map((line) => line.split(','));
      expect(header).toEqual(['regime', 'days', 'confidence']);
      expect(rows.map(([regime, days]) => [regime, Number(days)])).toEqual(await countRegimes(release));
      for (const [, , confidence] of rows) expect(confidence).toMatch(/^(0(\.\d\d?)?|1\.0)$/);
    },
    SLOW_MS,
  );

  it.each([...FOLLOWERS, ...LINK_READERS])(
    'the published rows are what a library reads by itself: %s',
    async (how) => {
      const rows = await readOtherwise('read_days.py', [how, BUNDLE], terms);
      expect(rows).toEqual((await publishedRows(release)).days);
    },
    SLOW_MS,
  );

  it(
    'Polars may scan the public calendar, by HEAD and in parts',
    async () => {
      publicHost.takeVisits();
      const rows = await readOtherwise('scan_calendar.py', [CALENDAR], terms);
      expect(rows).toEqual((await publishedRows(release)).calendar);
      expect(publicHost.takeVisits().some(({ method }) => method === 'HEAD')).toBe(isS3);
    },
    SLOW_MS,
  );

  it('curl -L and fetch follow the redirect to the very bytes', async () => {
    for (const file of FILES) {
      const url = `${gateway.url}${file}`;
      const digest = await digestOf(release, file);
      expect(sha256Hex(await curl('-L', '-H', `X-API-Key: ${release.key}`, url))).toBe(digest);
      const response = await fetch(url, { headers: { 'X-API-Key': release.key } });
      expect(sha256Hex(new Uint8Array(await response.arrayBuffer()))).toBe(digest);
    }
  });

  it('curl and fetch get the public calendar without a key', async () => {
    const digest = await digestOf(release, CALENDAR);
    expect(sha256Hex(await curl('-L', `${gateway.url}${CALENDAR}`))).toBe(digest);
    expect(sha256Hex(await (await fetch(`${gateway.url}${CALENDAR}`)).text())).toBe(digest);
  });
});

it.each(MIRRORS)(
  '%s mirrors an archive on S3 byte for byte',
  async (script) => {
    const gateway = await startGatewayProcess({ ...inS3.env, CRD_PUBLIC_BASE_URL: 'http://127.0.0.1:9' });
    const to = `mirror-${script}`;
    const args = ['--chain', 'base', '--genre', 'meta', '--to', to];
    const summary = await show(script, args, { gateway: gateway.url, key: inS3.key }).finally(() =>
      gateway.stop(),
    );
    const mirror = path.join(to, 'meta', 'base');
    const paths = (await readdir(path.join(examples.folder, mirror))).map((name) =>
      name === 'manifest.json'
        ? manifestPath('meta', 'base')
        : dayPath('meta', 'base', name.replace('.json', '')),
    );
    for (const file of paths) {
      const digest = await digestOfPasted(path.join(mirror, path.basename(file)));
      expect([file, digest]).toEqual([file, await digestOf(inS3, file)]);
    }
    expect(summary).toContain(`${paths.length - 1} dates, ${paths.length - 1} fetched`);
    expect(paths).toContain(manifestPath('meta', 'base'));
  },
  SLOW_MS,
);

describe('what we give away', () => {
  let host: ObjectHost;
  let gateway: GatewayProcess;
  let terms: ExampleTerms;
  const told = (): boolean[] => host.takeVisits().map((visit) => isTold(visit, terms.key ?? ''));
  const mirror = ['--chain', 'base', '--genre', 'gold', '--to', 'mirror', '--tries', '1'];
  const watched: (readonly [string, readonly string[]])[] = [
    ...DOWNLOADS.map((script) => [script, [BUNDLE, `from-${script}`]] as const),
    ['with_duckdb.py', ['base']], // with_pandas.py downloads by the same function
  ];
  beforeAll(async () => {
    host = await startObjectHost(inDirectory.store);
    gateway = await startGatewayProcess({ ...inDirectory.env, CRD_PUBLIC_BASE_URL: host.endpoint });
    terms = { gateway: gateway.url, key: inDirectory.key };
  }, SLOW_MS);
  afterEach(() => {
    host.takeVisits();
    host.damage((bytes) => bytes);
  });
  afterAll(() => Promise.all([gateway.stop(), host.dispose()]));

  it('is all run by a suite, and begins with what it does and how to run it', async () => {
    const scripts = await readdir(EXAMPLES_FOLDER);
    const known = [...DOWNLOADS, ...JOINS, COUNTS, ...MIRRORS, RECOMPUTES];
    expect(scripts.filter((script) => !known.includes(script))).toEqual([]);
    for (const script of known.filter((each) => each !== RECOMPUTES)) {
      const [first = ''] = (await readFile(path.join(EXAMPLES_FOLDER, script), 'utf8')).split('\n');
      expect(first).toMatch(/^(#|\/\/) [A-Z][^:]+: (sh|node|python3|npx tsx) /);
      expect(first).toContain(` ${script} `);
    }
  });

  it('needs no newer Python than 3.9', async () => {
    const scripts = [...JOINS, COUNTS, 'sync.py'].map((script) => path.join(EXAMPLES_FOLDER, script));
    const program =
      'import ast, sys; [ast.parse(open(f).read(), feature_version=(3, 9)) for f in sys.argv[1:]]';
    printed('python3', await runProgram(python, ['-c', program, ...scripts], {}));
  });

  it(`${COUNTS} reads a calendar that has no decimals in its first hundreds of rows`, async () => {
    const rows = Array.from(
      { length: 400 },
      (_, i) => `${i},base,${i < 300 ? 'slack,0' : 'calm,0.5'},available`,
    );
    const calendar = ['date,chain,regime,confidence,status', ...rows, ''].join('\n');
    const files = [{ path: CALENDAR, sha256: sha256Hex(calendar) }];
    const long = await startLoopbackServer((req, res) =>
      res.end(req.url === CALENDAR ? calendar : JSON.stringify({ files })),
    );
    const text = await show(COUNTS, ['base'], { gateway: long.endpoint }).finally(() => long.dispose());
    expect(text).toBe('regime,days,confidence\nslack,300,0.0\ncalm,100,0.5\n');
  });

  it('downloads by one function where it joins', async () => {
    const texts = await Promise.all(
      JOINS.map((script) => readFile(path.join(EXAMPLES_FOLDER, script), 'utf8')),
    );
    const functions = texts.map((text) => /\ndef get\([^]*?    return file\n/.exec(text)?.[0]);
    expect(functions[0]).toContain('X-API-Key');
    expect(new Set(functions).size).toBe(1);
  });

  it.each([...watched, ...MIRRORS.map((script) => [script, [...mirror, '--jobs', '8']] as const)])(
    '%s tells no key to where the link leads',
    async (script, args) => {
      await rm(path.join(examples.folder, 'mirror'), { recursive: true, force: true });
      await show(script, args, terms);
      expect(new Set(told())).toEqual(new Set([false]));
    },
    SLOW_MS,
  );

  it.each(watched)(
    '%s sends no key on when the gateway redirects it all the same',
    async (script, args) => {
      const elsewhere = await startLoopbackServer((req, res) => {
        const path = req.url?.startsWith('/api/v1/files/') === true ? req.url : undefined;
        const to = path === undefined ? gateway.url + (req.url ?? '') : host.endpoint + path;
        res.writeHead(307, { Location: to }).end();
      });
      const run = await examples.run(script, args, { ...terms, gateway: elsewhere.endpoint });
      await elsewhere.dispose();
      expect(run.code).not.toBe(0);
      expect(told().filter(Boolean)).toEqual([]);
    },
    SLOW_MS,
  );

  it.each(watched)(
    '%s fails by name of the problem with a bad key and without one',
    async (script, args) => {
      const bad = examples.run(script, args, { ...terms, key: `${terms.key ?? ''}x` });
      expect(await bad).toMatchObject({ stdout: '', stderr: expect.stringContaining('api-key-invalid') });
      const none = await examples.run(script, args, { gateway: terms.gateway });
      expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('api-key-missing') });
      expect(none.code).not.toBe(0);
      expect(told()).toEqual([]);
    },
    SLOW_MS,
  );

  it.each(watched)(
    '%s gives no name to a file that was altered or cut short',
    async (script, args) => {
      for (const change of [flipFirst, (bytes: Uint8Array) => bytes.subarray(1)]) {
        host.damage(change);
        const names = [args[1] ?? '', 'base-gold-7d.json'];
        await Promise.all(names.map(forget));
        const run = await examples.run(script, args, terms);
        expect(run.code).not.toBe(0);
        expect(run.stderr).toContain('was damaged on its way');
        expect(names.map((name) => name !== '' && existsSync(path.join(examples.folder, name)))).toEqual([
          false,
          false,
        ]);
      }
    },
    SLOW_MS,
  );

  it.each([
    ...DOWNLOADS.map((script) => [script, [CALENDAR, 'calendar']] as const),
    [COUNTS, ['base']] as const,
  ])(
    '%s gives no name to a public file that is not the one of the release',
    async (script, args) => {
      const names = ['calendar', 'base-calendar.csv'];
      await Promise.all(names.map(forget));
      const altering = await startLoopbackServer((req, res) => {
        const path = req.url ?? '';
        fetch(gateway.url + path)
          .then((answer) => answer.text())
          .then(
            (text) => res.end(path === CALENDAR ? `${text} ` : text),
            () => res.destroy(),
          );
      });
      const run = await examples.run(script, args, { gateway: altering.endpoint });
      await altering.dispose();
      expect([run.code === 0, run.stdout]).toEqual([false, '']);
      expect(run.stderr).toContain('was damaged on its way');
      expect(names.map((name) => existsSync(path.join(examples.folder, name)))).toEqual([false, false]);
    },
    SLOW_MS,
  );

  it('is not curl -L or a fetch that follows: from these the key does arrive', async () => {
    await curl('-L', '-H', `X-API-Key: ${inDirectory.key}`, `${terms.gateway}${BUNDLE}`);
    await (await fetch(`${terms.gateway}${BUNDLE}`, { headers: { 'X-API-Key': inDirectory.key } })).text();
    expect(told()).toEqual([true, true]);
  });

  it.each(LINK_READERS)(
    'may be read from the link by itself, which tells no key: %s',
    async (how) => {
      await readOtherwise('read_days.py', [how, BUNDLE], terms);
      expect(new Set(told())).toEqual(new Set([false]));
    },
    SLOW_MS,
  );

  it.each(FOLLOWERS)(
    'is not a library that follows: the key does arrive by %s',
    async (how) => {
      await readOtherwise('read_days.py', [how, BUNDLE], terms);
      expect(told()).toEqual([true]);
    },
    SLOW_MS,
  );
});

function flipFirst(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
}

/** Takes away what an earlier run left in the folder of the examples. */
async function forget(name: string): Promise<void> {
  if (name !== '') await rm(path.join(examples.folder, name), { force: true });
}

/** The regimes of the available days of the calendar with their numbers of days, the most frequent first. */
async function countRegimes({ store, ...release }: ServedRelease): Promise<[string, number][]> {
  const object = await store.get(objectKey(await digestOf({ store, ...release }, CALENDAR)));
  const counts = new Map<string, number>();
  for (const line of Buffer.from(object?.bytes ?? [])
    .toString()
    .trim()
    .split('\n')) {
    const [, , regime = '', , status] = line.split(',');
    if (status === 'available') counts.set(regime, (counts.get(regime) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
