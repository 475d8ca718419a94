import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import { archivePath, dayPath, manifestPath } from '../../../schemas/paths.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { startLoopbackServer } from '../../support/process/loopback-server.js';
import { hasSecret, startObjectHost, type ObjectHost } from '../../support/s3/object-host.js';
import {
  countRegimes,
  createExampleRuns,
  curl,
  type ExampleRuns,
} from '../../support/clients/example-runs.js';
import {
  environmentOf,
  EXAMPLES_FOLDER,
  type ExampleOptions,
} from '../../support/clients/copied-examples.js';
import { installClients } from '../../support/clients/python-clients.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import {
  BUNDLE,
  CALENDAR,
  digestOf,
  LAST_DATE,
  prepareServedRelease,
  publishedRows,
  type ServedRelease,
} from '../../support/gateway/served-release.js';
import { s3Environment } from '../../support/process/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;

/** Examples that download a path to a file. */
const DOWNLOADS = ['download.sh', 'download.mjs'];
/** Examples that join bundles with the calendar of a chain. */
const JOINS = ['with_pandas.py', 'with_duckdb.py'];
const PANDAS = 'with_pandas.py';
/** The example that reads only the calendar of a chain. */
const COUNTS = 'with_polars.py';
/** The example that mirrors an archive; sync-example.test.ts tests it in detail. */
const MIRROR = 'sync.ts';
/** Ways to read a bundle with a library that follows the redirect. */
const FOLLOWERS = ['requests-redirect', 'pandas-redirect'];
/** Ways to read a bundle with a library from the signed link. */
const LINK_READERS = ['pandas-link', 'polars-link'];

const FILES = [BUNDLE, dayPath('meta', 'base', LAST_DATE), manifestPath('gold', 'base'), CALENDAR];

let python: string;
let examples: ExampleRuns;
let folder: TemporaryFolder;
let bucket: TestBucket;
let inDirectory: ServedRelease;
let inS3: ServedRelease;
beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  const inFolder = (name: string): string => path.join(folder.path, name);
  examples = await createExampleRuns(inFolder('copied'), python);
  inDirectory = await prepareServedRelease({
    store: `file:${inFolder('store')}`,
    accounts: `file:${inFolder('accounts')}`,
    folder: inFolder('input'),
  });
  inS3 = await prepareServedRelease({
    store: bucket.address('releases'),
    accounts: bucket.address('accounts'),
    folder: inFolder('input'),
    env: s3Environment(),
  });
}, INSTALL_MS);
afterAll(async () => {
  bucket.dispose();
  await folder.dispose();
}, SLOW_MS);

describe.each([
  ['a directory', () => inDirectory, false],
  ['S3', () => inS3, true],
])('from %s', (_place, getRelease, isS3) => {
  let release: ServedRelease;
  let publicHost: ObjectHost;
  let gateway: GatewayProcess;
  let options: ExampleOptions;
  beforeAll(async () => {
    release = getRelease();
    publicHost = await startObjectHost(release.store);
    const base = isS3 ? { CRD_PUBLIC_BASE_URL: publicHost.endpoint } : {};
    gateway = await startGatewayProcess({ ...release.env, ...base });
    options = { gateway: gateway.url, key: release.key };
  }, SLOW_MS);
  afterAll(() => Promise.all([gateway.stop(), publicHost.dispose()]));

  it.each(DOWNLOADS)(
    '%s downloads a bundle, a day, a manifest and a public file byte for byte',
    async (script) => {
      for (const file of FILES) {
        expect(await examples.show(script, [file, 'out'], options)).toBe('out\n');
        expect([file, await examples.digest('out')]).toEqual([file, await digestOf(release, file)]);
      }
    },
    SLOW_MS,
  );

  it.each(DOWNLOADS)(
    '%s downloads a public file without a key, under the name in its path',
    async (script) => {
      expect(await examples.show(script, [CALENDAR], { gateway: gateway.url })).toBe('regime-calendar\n');
      expect(await examples.digest('regime-calendar')).toBe(await digestOf(release, CALENDAR));
    },
  );

  it.each(JOINS)(
    '%s prints the published rows of the bundle and the calendar, and keeps both files',
    async (script) => {
      await Promise.all(['base-calendar.csv', 'base-gold-7d.json'].map(remove));
      const text = await examples.show(script, ['base'], options);
      const { joined } = await publishedRows(release);
      expect([joined.length, joined.at(-1)?.date]).toEqual([7, LAST_DATE]);
      expect(new Set(joined.map(({ regime }) => regime)).size).toBe(2);
      const [header = '', ...lines] = text.trim().split('\n');
      const columns = header.split(',');
      const rows = lines.map((line) => {
        const row = Object.fromEntries(line.split(',').map((cell, i) => [columns[i] ?? '', cell]));
        return { date: row['date'], tx_count: Number(row['tx_count']), regime: row['regime'] };
      });
      expect(rows).toEqual(joined);
      expect(await examples.digest('base-calendar.csv')).toBe(await digestOf(release, CALENDAR));
      expect(await examples.digest('base-gold-7d.json')).toBe(await digestOf(release, BUNDLE));
      expect(publicHost.takeRequests().filter((request) => hasSecret(request, release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    `${COUNTS} counts the available days of the public calendar, without a key`,
    async () => {
      await remove('base-calendar.csv');
      const text = await examples.show(COUNTS, ['base'], { gateway: gateway.url });
      expect(await examples.digest('base-calendar.csv')).toBe(await digestOf(release, CALENDAR));
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
    'a library without the examples reads the published rows: %s',
    async (how) => {
      const rows = await examples.readByLibrary('read_days.py', [how, BUNDLE], options);
      expect(rows).toEqual((await publishedRows(release)).days);
    },
    SLOW_MS,
  );

  it(
    'Polars can scan the public calendar, with HEAD and range requests',
    async () => {
      publicHost.takeRequests();
      const rows = await examples.readByLibrary('scan_calendar.py', [CALENDAR], options);
      expect(rows).toEqual((await publishedRows(release)).calendar);
      expect(publicHost.takeRequests().some(({ method }) => method === 'HEAD')).toBe(isS3);
    },
    SLOW_MS,
  );

  it('curl -L and fetch follow the redirect to the right bytes', async () => {
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

it.each(['crd sync --days', MIRROR])(
  '%s mirrors an archive on S3 byte for byte',
  async (script) => {
    // A gateway on S3 needs a public URL, but a mirror reads nothing there: nothing answers.
    const gateway = await startGatewayProcess({ ...inS3.env, CRD_PUBLIC_BASE_URL: 'http://127.0.0.1:9' });
    const to = `mirror-${script.slice(0, 3)}`;
    const args = ['--chain', 'base', '--genre', 'meta', '--to', to];
    const summary = await examples
      .show(script, args, { gateway: gateway.url, key: inS3.key })
      .finally(() => gateway.stop());
    const mirror = path.join(to, 'meta', 'base');
    const entries = await readdir(path.join(examples.folder, mirror), { recursive: true });
    const names = entries.filter((name) => path.extname(name) !== '');
    for (const name of names) {
      const digest = await examples.digest(path.join(mirror, name));
      expect([name, digest]).toEqual([name, await digestOf(inS3, `${archivePath('meta', 'base')}/${name}`)]);
    }
    expect(summary).toContain(`, ${names.length - 1} fetched`);
    expect(names).toContain('manifest.json');
  },
  SLOW_MS,
);

describe('the examples', () => {
  let host: ObjectHost;
  let gateway: GatewayProcess;
  let options: ExampleOptions;
  const sentKeys = (): boolean[] =>
    host.takeRequests().map((request) => hasSecret(request, options.key ?? ''));
  const keyed: (readonly [string, readonly string[]])[] = [
    ...DOWNLOADS.map((script) => [script, [BUNDLE, `from-${script}`]] as const),
    ['with_duckdb.py', ['base']], // with_pandas.py downloads by the same function
    [MIRROR, ['--chain', 'base', '--genre', 'gold', '--to', 'mirror']],
  ];
  beforeAll(async () => {
    host = await startObjectHost(inDirectory.store);
    gateway = await startGatewayProcess({ ...inDirectory.env, CRD_PUBLIC_BASE_URL: host.endpoint });
    options = { gateway: gateway.url, key: inDirectory.key };
  }, SLOW_MS);
  afterEach(() => {
    host.takeRequests();
    host.damage((bytes) => bytes);
  });
  afterAll(() => Promise.all([gateway.stop(), host.dispose()]));

  it('are all tested, and begin with what they do and how to run them', async () => {
    const scripts = await readdir(EXAMPLES_FOLDER);
    const known = [...DOWNLOADS, ...JOINS, COUNTS, MIRROR];
    expect(scripts.filter((script) => !known.includes(script))).toEqual([]);
    for (const script of known) {
      const [first = ''] = (await readFile(path.join(EXAMPLES_FOLDER, script), 'utf8')).split('\n');
      expect(first).toMatch(/^(#|\/\/) [A-Z][^:]+: (sh|node|python3|npx tsx) /);
      expect(first).toContain(` ${script} `);
    }
  });

  it('in Python have no syntax newer than Python 3.9', async () => {
    const names = (await readdir(EXAMPLES_FOLDER)).filter((name) => name.endsWith('.py'));
    const scripts = names.map((name) => path.join(EXAMPLES_FOLDER, name));
    expect(names).toContain(COUNTS);
    const program =
      'import ast, sys; [ast.parse(open(f).read(), feature_version=(3, 9)) for f in sys.argv[1:]]';
    assertSuccess(await runProgram(python, ['-c', program, ...scripts], {}), 'python3');
  });

  it(`${COUNTS} reads a calendar without decimals in its first hundreds of rows`, async () => {
    const rows = Array.from(
      { length: 400 },
      (_, i) => `${i},base,${i < 300 ? 'slack,0' : 'calm,0.5'},available`,
    );
    const calendar = ['date,chain,regime,confidence,status', ...rows, ''].join('\n');
    const files = [{ path: CALENDAR, sha256: sha256Hex(calendar) }];
    const long = await startLoopbackServer((req, res) =>
      res.end(req.url === CALENDAR ? calendar : JSON.stringify({ files })),
    );
    const text = await examples
      .show(COUNTS, ['base'], { gateway: long.endpoint })
      .finally(() => long.dispose());
    expect(text).toBe('regime,days,confidence\nslack,300,0.0\ncalm,100,0.5\n');
  });

  it(`${PANDAS} joins genres without suffixes, and columns without any value are numbers`, async () => {
    const program = [
      'import runpy',
      'joined = runpy.run_path("with_pandas.py")["joined"]',
      'empty = joined.columns[joined.isna().all()]',
      'print(*joined.index.names, *set(map(str, joined.dtypes.drop("regime"))), "gas_used" in empty, "gas_used_ma7" in empty)',
      'print(*joined.columns)',
    ].join('\n');
    const run = await runProgram(python, ['-c', program, 'base'], environmentOf(options), examples.folder);
    const lines = assertSuccess(run, PANDAS).stdout.trim().split('\n');
    const [facts, columns = ''] = lines.slice(-2);
    expect(facts).toBe('date chain float64 True True');
    expect(columns.split(' ').filter((name) => /(_x|_y|[._]\d|left|right)$/.test(name))).toEqual([]);
    const saved = await readFile(path.join(examples.folder, 'base-derived-7d.json'), 'utf8');
    const { days } = JSON.parse(saved) as {
      days: { date: string; metrics: { tx_count: { ma7: number } } }[];
    };
    const averages = lines.slice(1, -2).map((line) => [line.slice(0, 10), Number(line.split(',').at(-1))]);
    expect(averages).toEqual(days.map(({ date, metrics }) => [date, metrics.tx_count.ma7]));
  });

  it('that join use the same function to download', async () => {
    const texts = await Promise.all(
      JOINS.map((script) => readFile(path.join(EXAMPLES_FOLDER, script), 'utf8')),
    );
    const functions = texts.map((text) => /\ndef get\([^]*?    return file\n/.exec(text)?.[0]);
    expect(functions[0]).toContain('X-API-Key');
    expect(new Set(functions).size).toBe(1);
  });

  it.each(keyed)(
    '%s does not send the key to the file host',
    async (script, args) => {
      await rm(path.join(examples.folder, 'mirror'), { recursive: true, force: true });
      await examples.show(script, args, options);
      expect(new Set(sentKeys())).toEqual(new Set([false]));
    },
    SLOW_MS,
  );

  it.each(keyed)(
    '%s does not forward the key if the gateway redirects although redirect=false is set',
    async (script, args) => {
      const elsewhere = await startLoopbackServer((req, res) => {
        const path = req.url?.startsWith('/api/v1/files/') === true ? req.url : undefined;
        const to = path === undefined ? gateway.url + (req.url ?? '') : host.endpoint + path;
        res.writeHead(307, { Location: to }).end();
      });
      const run = await examples.run(script, args, { ...options, gateway: elsewhere.endpoint });
      await elsewhere.dispose();
      expect(run.code).not.toBe(0);
      expect(sentKeys().filter(Boolean)).toEqual([]);
    },
    SLOW_MS,
  );

  it.each(keyed)(
    '%s fails with the problem code with a bad key and without one',
    async (script, args) => {
      const bad = examples.run(script, args, { ...options, key: `${options.key ?? ''}x` });
      expect(await bad).toMatchObject({ stdout: '', stderr: expect.stringContaining('api-key-invalid') });
      const none = await examples.run(script, args, { gateway: options.gateway });
      expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('api-key-missing') });
      expect(none.code).not.toBe(0);
      expect(sentKeys()).toEqual([]);
    },
    SLOW_MS,
  );

  it.each(keyed)(
    '%s does not keep a file that was altered or truncated',
    async (script, args) => {
      for (const change of [flipFirst, (bytes: Uint8Array) => bytes.subarray(1)]) {
        host.damage(change);
        const names = [args[1] ?? '', 'base-gold-7d.json'];
        await Promise.all(names.map(remove));
        const run = await examples.run(script, args, options);
        expect(run.code).not.toBe(0);
        expect(run.stderr).toContain('was damaged in transit');
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
    '%s does not keep a public file that differs from the release',
    async (script, args) => {
      const names = ['calendar', 'base-calendar.csv'];
      await Promise.all(names.map(remove));
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
      expect(run.stderr).toContain('was damaged in transit');
      expect(names.map((name) => existsSync(path.join(examples.folder, name)))).toEqual([false, false]);
    },
    SLOW_MS,
  );

  it('must avoid curl -L and fetch with redirects, which send the key to the file host', async () => {
    await curl('-L', '-H', `X-API-Key: ${inDirectory.key}`, `${options.gateway}${BUNDLE}`);
    await (await fetch(`${options.gateway}${BUNDLE}`, { headers: { 'X-API-Key': inDirectory.key } })).text();
    expect(sentKeys()).toEqual([true, true]);
  });

  it.each(LINK_READERS)(
    'may read from the signed link with a library, which sends no key: %s',
    async (how) => {
      await examples.readByLibrary('read_days.py', [how, BUNDLE], options);
      expect(new Set(sentKeys())).toEqual(new Set([false]));
    },
    SLOW_MS,
  );

  it.each(FOLLOWERS)(
    'must avoid libraries that follow the redirect, which send the key to the file host: %s',
    async (how) => {
      await examples.readByLibrary('read_days.py', [how, BUNDLE], options);
      expect(sentKeys()).toEqual([true]);
    },
    SLOW_MS,
  );
});

function flipFirst(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
}

/** Removes the file of an earlier run from the folder of the examples. */
async function remove(name: string): Promise<void> {
  if (name !== '') await rm(path.join(examples.folder, name), { force: true });
}
