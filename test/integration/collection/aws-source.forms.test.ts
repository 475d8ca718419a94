import { readdir } from 'node:fs/promises';
import type { Chain } from '../../../schemas/types.generated.js';
import { createAwsDay, DATE } from '../../support/sources/aws-day.js';
import { startAwsScene, type AwsScene } from '../../support/sources/aws-scene.js';
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

describe('a form that differs', () => {
  const expectShape = async (chain: Chain, message: RegExp): Promise<void> => {
    const source = chain === 'base' ? scene.createSonarx({ blocksOnly: { base: false } }) : scene.createAws();
    await expect(source.day(chain, DATE, signal)).rejects.toMatchObject({
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
