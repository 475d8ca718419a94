import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { createAwsDay, DATE } from '../../support/sources/aws-day.js';
import { rawChainOf, startAwsScene, type AwsScene } from '../../support/sources/aws-scene.js';
import { PYARROW_FILES } from '../../support/sources/pyarrow-files.js';

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

describe('a probe', () => {
  const now = (): number => Date.parse('2026-03-20T08:00:00Z');

  it.each(CHAIN_IDS)('finds the expected columns of %s', async (chain) => {
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
