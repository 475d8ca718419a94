import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../../generator/core/collection/day-values.js';
import { toQueryDay } from '../../../generator/core/collection/query-day.js';
import { findGaps } from '../../../generator/core/collection/judge-day.js';
import type { Source } from '../../../generator/sources/source.js';
import { bitcoinDay } from '../../support/collection/bitcoin-days.js';
import type { FileForm } from '../../support/collection/day-tables.js';
import { evmDay } from '../../support/collection/evm-days.js';
import { createAwsDay, DATE } from '../../support/sources/aws-day.js';
import { rawChainOf, startAwsScene, type AwsScene } from '../../support/sources/aws-scene.js';
import { wholeDay } from '../../support/sources/whole-days.js';

const SPAN = { first: DATE, last: DATE };
const FORMS: readonly FileForm[] = [
  { numbers: 'DECIMAL(38,0)', isUpperCase: true, date: 'DATE', files: 3 },
  { numbers: 'BIGINT', isUpperCase: false, date: 'VARCHAR', files: 1 },
];
const { signal } = new AbortController();

let scene: AwsScene;
const { reset, uploadWhole, keyOf } = createAwsDay(() => scene);
beforeAll(async () => {
  scene = await startAwsScene();
}, 300_000);
afterAll(() => scene.dispose());
beforeEach(reset);
afterEach(async () => {
  expect(await readdir(scene.cacheFolder).catch(() => [])).toEqual([]);
});

/** Creates the source that has a chain, with its transactions. */
function sourceOf(chain: Chain): Source {
  return chain === 'bitcoin' || chain === 'ethereum'
    ? scene.createAws()
    : scene.createSonarx({ blocksOnly: { arbitrum: false, base: false } });
}

const read = (chain: Chain, source = sourceOf(chain)): Promise<CollectedDay> =>
  source.day(chain, DATE, signal);

describe.each(CHAIN_IDS)('a day of %s', (chain) => {
  it('is what the query gives on the whole files, however they are written', async () => {
    for (const [i, form] of FORMS.entries()) {
      const day = drawDay(chain, i);
      const files = await scene.write(chain, DATE, day, form);
      await scene.upload(chain, DATE, files);
      const [blocks, transactions] = rawChainOf(chain).tables.map(({ name }) => name);
      const { text, sha256 } = await readQuery(chain);
      const tables = { [blocks ?? '']: [files.blocks], [transactions ?? '']: [files.transactions] };
      const rows = await scene.engine.run({ sql: fillQuery(text, SPAN), tables }, signal);
      const found = await read(chain);
      expect({ values: found.values, counts: found.counts }).toEqual(toQueryDay(chain, rows));
      expect(found).toMatchObject({
        evidence: { kind: 'objects', sql_sha256: sha256, engine: scene.engine.name },
      });
      expect(found.evidence).toHaveProperty('objects.length', 2 * form.files);
    }
  });
});

function drawDay(chain: Chain, seed: number): Parameters<AwsScene['write']>[2] {
  const settings = { numRuns: 1, seed: seed + 1 };
  const hasRows = ({
    blocks,
    transactions,
  }: {
    blocks: readonly unknown[];
    transactions: readonly unknown[];
  }) => blocks.length > 0 && transactions.length > 0;
  const [day] =
    chain === 'bitcoin'
      ? fc.sample(bitcoinDay.filter(hasRows), settings)
      : fc.sample(evmDay(chain).filter(hasRows), settings);
  if (day === undefined) throw new Error('nothing was drawn');
  return day;
}

describe.each(['arbitrum', 'base'] as const)('the blocks of %s alone', (chain) => {
  it('give their metrics as the whole query does, and no others', async () => {
    await uploadWhole(chain);
    const whole = await read(chain);
    const blocks = await read(chain, scene.createSonarx());
    const names =
      chain === 'base' ? ['block_count', 'gas_limit_mean', 'gas_used'] : ['block_count', 'gas_used'];
    expect(Object.keys(blocks.values).sort()).toEqual(names);
    expect(whole.values).toMatchObject(blocks.values);
    expect(whole.counts).toMatchObject(blocks.counts);
    expect(Object.keys(blocks.counts)).toEqual(expect.arrayContaining(['block_numbers', 'block_tx_count']));
    expect(Object.keys(blocks.counts)).not.toContain('all_rows');
    expect(blocks.evidence).toHaveProperty('sql_sha256', (await readQuery(`${chain}-blocks`)).sha256);
    expect(blocks.evidence).toHaveProperty('objects.length', 1);
  });

  it('need no transactions', async () => {
    await uploadWhole(chain);
    await scene.bucket.remove(keyOf(chain, 'transactions'));
    const source = scene.createSonarx();
    expect([...(await source.days(chain, SPAN, signal)).keys()]).toEqual([DATE]);
    expect(await read(chain, source)).toHaveProperty('values.block_count', '3');
    expect(scene.proxy.take().filter(({ url }) => url.includes('transactions'))).toEqual([]);
  });
});

describe('requests', () => {
  it('are not signed, although credentials are there', async () => {
    expect(process.env['AWS_ACCESS_KEY_ID']).toBeDefined();
    await uploadWhole('ethereum');
    await read('ethereum');
    const seen = scene.proxy.take();
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.filter(({ isSigned }) => isSigned)).toEqual([]);
  });

  it('are one list for each table to find that nothing is new', async () => {
    await uploadWhole('ethereum');
    const source = scene.createAws();
    expect((await source.days('ethereum', { first: '2026-03-19', last: '2026-03-25' }, signal)).size).toBe(0);
    expect(scene.proxy.take().map(({ isList }) => isList)).toEqual([true, true]);
  });

  it('read at most 1.1 times the columns that the query needs', async () => {
    const file = path.join(scene.cacheFolder, '..', 'large.parquet');
    await scene.connection.run(`COPY (
      SELECT i AS block_number, hash(i) AS other_1, hash(i + 1) AS other_2, i % 977 AS transaction_count,
        hash(i) % 1000000 AS gas_used, md5(CAST(i AS VARCHAR)) AS other_3, hash(i) % 99 AS gas_limit, hash(i + 2) AS other_4
      FROM range(200000) t(i)) TO '${file}' (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 100000)`);
    await scene.upload('base', DATE, {
      blocks: { date: DATE, paths: [file] },
      transactions: { date: DATE, paths: [] },
    });
    const [sizes] = await scene.engine.run(
      {
        sql: `SELECT CAST(sum(total_compressed_size) AS VARCHAR) AS everything,
          CAST(sum(CASE WHEN path_in_schema NOT LIKE 'other%' THEN total_compressed_size END) AS VARCHAR) AS needed
          FROM parquet_metadata('${file}')`,
        tables: {},
      },
      signal,
    );
    scene.proxy.take();
    await read('base', scene.createSonarx());
    const taken = scene.proxy.take().filter(({ isList }) => !isList);
    const bytes = taken.reduce((sum, request) => sum + request.bytes, 0);
    expect(Number(sizes?.['everything'])).toBeGreaterThan(2 * Number(sizes?.['needed']));
    expect(bytes).toBeGreaterThanOrEqual(Number(sizes?.['needed']));
    expect(bytes).toBeLessThanOrEqual(1.1 * Number(sizes?.['needed']));
  });

  it('read the whole footer, however long it is', async () => {
    const file = path.join(scene.cacheFolder, '..', 'footer.parquet');
    const others = Array.from({ length: 60 }, (_, i) => `i + ${i} AS a_column_with_a_long_name_${i}`).join(
      ', ',
    );
    await scene.connection.run(`COPY (
      SELECT i AS block_number, i AS transaction_count, i AS gas_used, i AS gas_limit, ${others}
      FROM range(30720) t(i)) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
    await scene.upload('base', DATE, {
      blocks: { date: DATE, paths: [file] },
      transactions: { date: DATE, paths: [] },
    });
    scene.proxy.take();
    const { counts } = await read('base', scene.createSonarx());
    expect(counts).toMatchObject({ block_count: '30720', first_block: '0', gas_used: '471843840' });
    const [tail, rest] = scene.proxy.take().filter(({ isList }) => !isList);
    expect(tail?.bytes).toBe(64 * 1024);
    const bytes = await readFile(file);
    expect(rest?.bytes).toBe(bytes.readUInt32LE(bytes.length - 8) + 8 - 64 * 1024);
  });
});

describe('a date is not offered, and not read,', () => {
  const expectAbsent = async (chain: Chain, message: RegExp): Promise<void> => {
    expect(await sourceOf(chain).days(chain, SPAN, signal)).toEqual(new Map());
    await expect(read(chain)).rejects.toMatchObject({
      code: 'not-yet',
      message: expect.stringMatching(message),
    });
  };

  it('while it has no objects', () => expectAbsent('bitcoin', /aws: .*2026-03-18.*no objects/));

  it.each(['blocks', 'transactions'] as const)('while its %s are missing', async (table) => {
    await uploadWhole('ethereum');
    await scene.bucket.remove(keyOf('ethereum', table));
    await expectAbsent('ethereum', new RegExp(`no objects in v1.0/eth/${table}/`));
  });

  it('while it has files within the day, or they are being replaced', async () => {
    await uploadWhole('bitcoin');
    await scene.put(keyOf('bitcoin', 'blocks', '940001.snappy.parquet'), 'x');
    await expectAbsent('bitcoin', /940001\.snappy\.parquet among 2 objects/);
    await scene.bucket.remove(keyOf('bitcoin', 'blocks'));
    await expectAbsent('bitcoin', /940001\.snappy\.parquet among 1 objects/);
  });
});

it('a sign of completion and a folder are no data', async () => {
  await uploadWhole('base');
  const source = sourceOf('base');
  const marks = await source.days('base', SPAN, signal);
  await scene.put(keyOf('base', 'blocks', '_SUCCESS'), Buffer.alloc(0));
  await scene.put(keyOf('base', 'blocks', ''), Buffer.alloc(0));
  expect(await source.days('base', SPAN, signal)).toEqual(marks);
  expect((await read('base')).evidence).toHaveProperty('objects.length', 2);
});

describe('objects that change while they are read', () => {
  /** Reads a date whose blocks are replaced before the read with the number. */
  async function readReplaced(number: number, on: 'beforeRead' | 'beforeList'): Promise<unknown> {
    await uploadWhole('ethereum');
    const other = await scene.write('ethereum', DATE, wholeDay('ethereum', 8));
    scene.proxy[on]((each) => (each === number ? scene.upload('ethereum', DATE, other) : Promise.resolve()));
    return read('ethereum').catch((error: unknown) => error);
  }

  it.each([1, 2])('before read %i are noticed at once', async (number) => {
    const error = await readReplaced(number, 'beforeRead');
    const message = expect.stringMatching(/^aws: s3:\/\/.*was replaced while it was read/);
    expect(error).toMatchObject({ code: 'not-yet', message });
  });

  it('before the ranges of columns are read are noticed at once', async () => {
    const file = path.join(scene.cacheFolder, '..', 'replaced.parquet');
    await scene.connection
      .run(`COPY (SELECT i AS block_number, i AS transaction_count, i AS gas_used, i AS gas_limit
      FROM range(40000) t(i)) TO '${file}' (FORMAT parquet, COMPRESSION uncompressed)`);
    const files = { blocks: { date: DATE, paths: [file] }, transactions: { date: DATE, paths: [] } };
    await scene.upload('base', DATE, files);
    scene.proxy.take();
    scene.proxy.beforeRead((each) =>
      each === 2 ? scene.put(keyOf('base', 'blocks'), 'another') : Promise.resolve(),
    );
    const error = await read('base', scene.createSonarx()).catch((each: unknown) => each);
    expect(error).toMatchObject({
      code: 'not-yet',
      message: expect.stringMatching(/^sonarx: .*was replaced/),
    });
    expect(scene.proxy.take().filter(({ isList }) => !isList)).toHaveLength(2);
  });

  it('after the last read are noticed by the second list', async () => {
    expect(await readReplaced(3, 'beforeList')).toMatchObject({
      code: 'not-yet',
      message: 'aws: the objects of ethereum on 2026-03-18 changed while they were read.',
    });
  });
});

it('rows that are there twice are counted twice, and the exact rules see it', async () => {
  const { blocks, transactions } = await uploadWhole('ethereum');
  const { counts: once } = await read('ethereum');
  const twice = { date: DATE, paths: [...blocks.paths, ...blocks.paths] };
  await scene.upload('ethereum', DATE, { blocks: twice, transactions });
  const day = await read('ethereum');
  expect(once).toMatchObject({ block_count: '3', block_numbers: '3' });
  expect(day.counts).toMatchObject({ block_count: '6', block_numbers: '3' });
  const messages = findGaps(day, { blocks: [1, 10] }).map(({ message }) => message);
  expect(messages).toContain('block_numbers is 3, but block_count is 6.');
});

describe('an abort', () => {
  it.each(['beforeList', 'beforeRead'] as const)('ends a request that is not answered (%s)', async (on) => {
    await uploadWhole('ethereum');
    const abort = new AbortController();
    const reason = new Error('stopped');
    scene.proxy[on](() => {
      setTimeout(() => abort.abort(reason), 50);
      return new Promise(() => undefined);
    });
    await expect(scene.createAws().day('ethereum', DATE, abort.signal)).rejects.toBe(reason);
  });
});

describe('the cache folder', () => {
  it('keeps what others put there, and loses what a killed run left a day ago', async () => {
    await uploadWhole('ethereum');
    const cacheFolder = path.join(scene.cacheFolder, '..', 'shared');
    const old = path.join(cacheFolder, 'columns-abc');
    await mkdir(old, { recursive: true });
    await utimes(old, new Date(), new Date(Date.now() - 25 * 3_600_000));
    await mkdir(path.join(cacheFolder, 'columns-def'));
    await writeFile(path.join(cacheFolder, 'notes.txt'), 'mine');
    await read('ethereum', scene.createAws({ cacheFolder }));
    expect((await readdir(cacheFolder)).sort()).toEqual(['columns-def', 'notes.txt']);
  });

  it('that is a file is named, with a remedy', async () => {
    await uploadWhole('ethereum');
    const cacheFolder = path.join(scene.cacheFolder, '..', 'file');
    await writeFile(cacheFolder, '');
    await expect(read('ethereum', scene.createAws({ cacheFolder }))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(cacheFolder),
    });
  });
});
