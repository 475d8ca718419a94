import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { fillQuery, readQuery } from '../../../schemas/queries.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../../generator/core/collection/day-values.js';
import { toQueryDay } from '../../../generator/core/collection/query-day.js';
import { findGaps } from '../../../generator/core/collection/judge-day.js';
import type { Source } from '../../../generator/sources/source.js';
import { bitcoinDay } from '../../support/collection/bitcoin-days.js';
import type { FileForm } from '../../support/collection/day-tables.js';
import { evmDay } from '../../support/collection/evm-days.js';
import {
  folderOf,
  partName,
  rawChainOf,
  startAwsScene,
  type AwsScene,
  type WrittenDay,
} from '../../support/sources/aws-scene.js';
import { PYARROW_FILES } from '../../support/sources/pyarrow-files.js';
import { wholeDay } from '../../support/sources/whole-days.js';

const DATE = '2026-03-18';
const SPAN = { first: DATE, last: DATE };
const CHAINS: readonly Chain[] = ['bitcoin', 'ethereum', 'arbitrum', 'base'];
const FORMS: readonly FileForm[] = [
  { numbers: 'DECIMAL(38,0)', isUpperCase: true, date: 'DATE', files: 3 },
  { numbers: 'BIGINT', isUpperCase: false, date: 'VARCHAR', files: 1 },
];
const { signal } = new AbortController();

let scene: AwsScene;
beforeAll(async () => {
  scene = await startAwsScene();
}, 300_000);
afterAll(() => scene.dispose());
beforeEach(async () => {
  for (const key of await scene.bucket.keys()) await scene.bucket.remove(key);
  scene.proxy.beforeRead(() => Promise.resolve());
  scene.proxy.beforeList(() => Promise.resolve());
  scene.proxy.take();
});
afterEach(async () => {
  expect(await readdir(scene.cacheFolder).catch(() => [])).toEqual([]);
});

/** Creates the source that has a chain, with its transactions. */
function sourceOf(chain: Chain): Source {
  return chain === 'bitcoin' || chain === 'ethereum'
    ? scene.createAws()
    : scene.createSonarx({ blocksOnly: { arbitrum: false, base: false } });
}

async function uploadWhole(chain: Chain, date = DATE): Promise<WrittenDay> {
  const day = await scene.write(chain, date, wholeDay(chain, 7));
  await scene.upload(chain, date, day);
  scene.proxy.take();
  return day;
}

const read = (chain: Chain, source = sourceOf(chain)): Promise<CollectedDay> =>
  source.day(chain, DATE, signal);

const keyOf = (chain: Chain, table: 'blocks' | 'transactions', name = partName(0)): string =>
  `${folderOf(chain, table, DATE)}${name}`;

describe.each(CHAINS)('a day of %s', (chain) => {
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

describe('a form that differs', () => {
  const expectShape = async (chain: Chain, message: RegExp): Promise<void> => {
    await expect(read(chain)).rejects.toMatchObject({
      code: 'shape',
      message: expect.stringMatching(message),
    });
  };

  it('because one of several files lacks a column names the file, the column and what was found', async () => {
    const { blocks, transactions } = await uploadWhole('ethereum');
    const file = `${blocks.paths[0] ?? ''}.less`;
    await scene.connection.run(
      `COPY (SELECT number, gas_limit, transaction_count FROM '${blocks.paths[0] ?? ''}') TO '${file}' (FORMAT parquet)`,
    );
    const paths = [...blocks.paths, file];
    await scene.upload('ethereum', DATE, { blocks: { date: DATE, paths }, transactions });
    await expectShape(
      'ethereum',
      /^aws: s3:\/\/.*eth\/blocks\/.*part-00001.*: expected the column gas_used, found the columns number, gas_limit, transaction_count\.$/,
    );
  });

  it.each([
    ['text', "'many'", 'VARCHAR'],
    ['text of digits', "'21000'", 'VARCHAR'],
    ['doubles', '21000::DOUBLE', 'DOUBLE'],
    ['single floats', '21000::FLOAT', 'FLOAT'],
    ['fractions', '21000.5::DECIMAL(38,2)', 'DECIMAL(38,2)'],
    ['truth values', 'true', 'BOOLEAN'],
  ])(
    'because one of several files has a column of %s is refused with file and column',
    async (_, sql, type) => {
      const { blocks, transactions } = await uploadWhole('ethereum');
      const file = `${blocks.paths[0] ?? ''}.retyped`;
      await scene.connection.run(
        `COPY (SELECT * REPLACE (${sql} AS gas_used) FROM '${blocks.paths[0] ?? ''}') TO '${file}' (FORMAT parquet)`,
      );
      const paths = [...blocks.paths, file];
      await scene.upload('ethereum', DATE, { blocks: { date: DATE, paths }, transactions });
      const found = type.replace(/[()]/g, '\\$&');
      await expectShape(
        'ethereum',
        new RegExp(
          `^aws: s3://.*eth/blocks/.*part-00001.*: expected the column gas_used as BIGINT, found ${found}\\.$`,
        ),
      );
    },
  );

  it('because a column of doubles has single floats is refused', async () => {
    const { blocks, transactions } = await uploadWhole('bitcoin');
    const file = `${transactions.paths[0] ?? ''}.retyped`;
    await scene.connection.run(
      `COPY (SELECT * REPLACE (CAST(fee AS FLOAT) AS fee) FROM '${transactions.paths[0] ?? ''}') TO '${file}' (FORMAT parquet)`,
    );
    await scene.upload('bitcoin', DATE, { blocks, transactions: { date: DATE, paths: [file] } });
    await expectShape('bitcoin', /btc\/transactions.*expected the column fee as DOUBLE, found FLOAT\.$/);
  });

  it('because a column has more digits than the engine is refused', async () => {
    await uploadWhole('base');
    await scene.put(keyOf('base', 'blocks'), PYARROW_FILES.wideDecimal);
    await expectShape(
      'base',
      /base\/blocks.*expected the column gas_used as DECIMAL\(38,0\), found DECIMAL of more than 38 digits\.$/,
    );
  });

  it('because the engine cannot decode it is no fault that passes', async () => {
    await uploadWhole('base');
    await scene.put(keyOf('base', 'blocks'), PYARROW_FILES.byteStreamSplit);
    await expectShape('base', /^sonarx: 2026-03-18: DuckDB: Invalid Error: BYTE_STREAM_SPLIT/);
  });

  it.each([
    ['text', /expected a Parquet file, got another end/, Buffer.from('not a file of columns')],
    ['empty', /expected a Parquet file, got 0 bytes/, Buffer.from('')],
    ['a footer without an end', /got a footer of 1094795585 bytes/, Buffer.from('PAR1AAAAAAAAPAR1')],
    ['a footer of zeros', /expected footers of Parquet files/, Buffer.from('PAR1\0\0\0\0\x04\0\0\0PAR1')],
  ])('because an object is %s is refused', async (_what, message, bytes) => {
    await uploadWhole('ethereum');
    await scene.put(keyOf('ethereum', 'blocks'), bytes);
    await expectShape('ethereum', message);
  });

  it('because a table has no rows is refused', async () => {
    const { transactions } = await uploadWhole('ethereum');
    const { blocks } = await scene.write('ethereum', DATE, { blocks: [], transactions: [] });
    await scene.upload('ethereum', DATE, { blocks, transactions });
    await expectShape('ethereum', /^aws: ethereum 2026-03-18: a date has 0 rows/);
  });
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

describe('a probe', () => {
  const now = (): number => Date.parse('2026-03-20T08:00:00Z');

  it.each(CHAINS)('finds the expected columns of %s', async (chain) => {
    await uploadWhole(chain);
    const source =
      chain === 'bitcoin' || chain === 'ethereum'
        ? scene.createAws({ now })
        : scene.createSonarx({ now, blocksOnly: { [chain]: false } });
    const probes = await source.probe(chain, signal);
    const columns = rawChainOf(chain).tables.flatMap((table) => Object.keys(table.columns));
    expect(probes).toHaveLength(columns.length + 1);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(probes[0]).toMatchObject({ item: 'newest complete date', found: DATE });
  });

  it('names each column that is missing or has another type', async () => {
    const { blocks, transactions } = await uploadWhole('ethereum');
    const file = `${blocks.paths[0] ?? ''}.other`;
    await scene.connection.run(
      `COPY (SELECT CAST(number AS DOUBLE) AS number, gas_used, gas_limit FROM '${blocks.paths[0] ?? ''}')
       TO '${file}' (FORMAT parquet)`,
    );
    await scene.upload('ethereum', DATE, { blocks: { date: DATE, paths: [file] }, transactions });
    const probes = await scene.createAws({ now }).probe('ethereum', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([
      { item: 'column number of eth/blocks', expected: 'BIGINT', found: 'DOUBLE', agrees: false },
      {
        item: 'column transaction_count of eth/blocks',
        expected: 'BIGINT',
        found: 'no such column',
        agrees: false,
      },
    ]);
  });

  const probeBlocks = async (): Promise<unknown> => {
    const probes = await scene.createSonarx({ now }).probe('base', signal);
    return probes.filter(({ agrees }) => !agrees);
  };

  it('names each column that the engine cannot decode', async () => {
    await uploadWhole('base');
    await scene.put(keyOf('base', 'blocks'), PYARROW_FILES.byteStreamSplit);
    const found = expect.stringMatching(
      /^DECIMAL\(38,0\), not readable: DuckDB: Invalid Error: BYTE_STREAM_SPLIT/,
    );
    const difference = {
      item: 'column gas_used of base/blocks',
      expected: 'DECIMAL(38,0)',
      found,
      agrees: false,
    };
    expect(await probeBlocks()).toEqual([difference]);
  });

  it('names a column that has more digits than the engine', async () => {
    await uploadWhole('base');
    await scene.put(keyOf('base', 'blocks'), PYARROW_FILES.wideDecimal);
    const found = 'DECIMAL of more than 38 digits';
    expect(await probeBlocks()).toMatchObject([{ item: 'column gas_used of base/blocks', found }]);
  });

  it('reads only the first group of rows of one file', async () => {
    const file = path.join(scene.cacheFolder, '..', 'groups.parquet');
    await scene.connection.run(`COPY (
      SELECT CAST(hash(i) % 1000000000 AS DECIMAL(38,0)) AS block_number, CAST(1 AS DECIMAL(38,0)) AS transaction_count,
        CAST(hash(i) % 1000000 AS DECIMAL(38,0)) AS gas_used, CAST(hash(i) % 99 AS DECIMAL(38,0)) AS gas_limit
      FROM range(200000) t(i)) TO '${file}' (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 10000)`);
    const files = { blocks: { date: DATE, paths: [file, file] }, transactions: { date: DATE, paths: [] } };
    await scene.upload('base', DATE, files);
    scene.proxy.take();
    expect(await probeBlocks()).toEqual([]);
    const reads = scene.proxy.take().filter(({ isList }) => !isList);
    const bytes = reads.reduce((sum, each) => sum + each.bytes, 0);
    expect(reads.length).toBeLessThanOrEqual(6);
    expect(bytes).toBeLessThan((await readFile(file)).length / 5);
  });

  it('says what is there if no date is complete', async () => {
    await scene.put(keyOf('bitcoin', 'blocks', '940001.snappy.parquet'), 'x');
    const [probe] = await scene.createAws({ now }).probe('bitcoin', signal);
    expect(probe).toMatchObject({ expected: 'since 2026-02-18', agrees: false });
    expect(probe?.found).toMatch(/^2026-03-18 with .*940001/);
  });
});
