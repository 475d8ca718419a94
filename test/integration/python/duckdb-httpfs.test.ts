import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../../infra/store/open-store.js';
import { installLocked } from '../../../scripts/python/install-locked.js';
import { startGateway, type GatewayServer } from '../../support/gateway/gateway-server.js';
import { assertSuccess, runProgram, type ProgramRun } from '../../support/process/run-program.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { readVolume } from '../../support/release/read-volume.js';
import { type SmallS3, startSmallS3 } from '../../support/s3/small-s3.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { Cells } from '../../support/release/flat-record.js';

const SLOW_MS = 300_000;
const PROGRAMS = path.join(import.meta.dirname, '../../python/httpfs');
const GUIDE = path.join(import.meta.dirname, '../../../templates/guides/tools/read-with-duckdb.py');
/** Loads the extension from the file of its wheel, where the guide downloads it. */
const LOAD = [
  'from importlib import resources',
  'wheel = resources.files("duckdb_extension_httpfs") / "extensions" / f"v{duckdb.__version__}"',
  'db.load_extension(str(wheel / "httpfs.duckdb_extension"))',
].join('\n');
const before = { ...process.env };

/** Secrets with a key. With the second, DuckDB keeps the key from the store: the S3 server refuses a link with a credential. */
const SECRETS = {
  EXTRA_HTTP_HEADERS: (key: string) =>
    `CREATE SECRET (TYPE http, EXTRA_HTTP_HEADERS MAP {'X-API-Key': '${key}'})`,
  BEARER_TOKEN: (key: string) => `CREATE SECRET (TYPE http, BEARER_TOKEN '${key}')`,
};

let python: string;
let s3: SmallS3;
beforeAll(async () => {
  python = installLocked({
    what: 'DuckDB with httpfs',
    requirements: path.join(PROGRAMS, 'requirements.txt'),
    folder: path.join(import.meta.dirname, '../../../.python/httpfs'),
  });
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  s3 = await startSmallS3();
}, SLOW_MS);
afterAll(async () => {
  await s3.dispose();
  process.env = before;
});

describe.each(['a directory', 'an S3 server'])('DuckDB reads from %s by address', (kind) => {
  let gateway: GatewayServer;
  let rows: Cells[];
  let read: (...statements: readonly string[]) => Promise<ProgramRun>;

  beforeAll(async () => {
    const isS3 = kind === 'an S3 server';
    const store = isS3 ? await openStore(s3.address) : createMemoryStore();
    const inputs = [randomSeries({ chain: 'base', seed: 7, firstDate: '2021-12-01', days: 70 })];
    await publishSeries(store, { inputs, asOf: '2022-02-09' });
    const configuration = {
      store: { kind: 's3', address: s3.address },
      linkSecrets: [],
      publicBaseUrl: 'https://data.example.com',
    } as const;
    gateway = await startGateway({ store, ...(isS3 ? { configuration } : {}) });
    const volume = (await readManifests(store, await readCurrent(store))).get('meta base')?.volumes?.[0];
    if (volume === undefined) throw new Error('the release has no volume');
    rows = await readVolume(store, volume);
    const urls = [volume.parquet, volume.csv].map((file) => gateway.url + file.path);
    read = (...statements) => {
      const args = [path.join(PROGRAMS, 'read_volume.py'), ...urls, ...statements];
      return runProgram(python, args, { PATH: process.env['PATH'] ?? '' });
    };
  }, SLOW_MS);
  afterAll(() => gateway.stop());

  it.each(Object.entries(SECRETS))(
    'every value of a Parquet volume and of its CSV, with %s',
    async (_, secret) => {
      const { stdout } = assertSuccess(await read(secret(await gateway.createKey({ plan: 'research' }))));
      expect(rows.length).toBeGreaterThan(30);
      expect(JSON.parse(stdout)).toEqual({ parquet: rows, csv: rows });
    },
  );

  it('all volumes with the program of the guide, which the extension of the wheel runs', async () => {
    const text = (await readFile(GUIDE, 'utf8'))
      .replace('http://127.0.0.1:8080', gateway.url)
      .replace('db.execute("INSTALL httpfs; LOAD httpfs")', LOAD);
    const key = await gateway.createKey({ plan: 'research' });
    const run = await runProgram(python, ['-c', text], { PATH: process.env['PATH'] ?? '', CRD_API_KEY: key });
    const { stdout } = assertSuccess(run);
    expect(stdout.match(/datetime\.date\(/g)).toHaveLength(62); // December and January
    expect(stdout).toContain('(datetime.date(2022, 1, 31), ');
  });

  // By ranges, DuckDB 1.5 calls every refusal "HTTP 0": findings/duckdb-httpfs-status.sh
  it.each([
    ['by ranges', [], 'HTTP Error'],
    ['as whole files', ['SET force_download = true'], 'HTTP 401 Unauthorized'],
  ])('nothing %s with a wrong key, and says so', async (_, settings, words) => {
    const { code, stdout, stderr } = await read(SECRETS.EXTRA_HTTP_HEADERS('crd_test_wrong'), ...settings);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(words);
  });
});
