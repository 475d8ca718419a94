import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Cell } from '../../../../generator/core/text/csv.js';
import { type Table, toCsv, toParquet } from '../../../../generator/core/volumes/volume-files.js';

const TABLE: Table = {
  columns: [
    { name: 'date', type: 'date', required: true, cells: ['1969-12-31', '2024-02-29', '2024-03-01'] },
    { name: 'source', type: 'string', cells: ['one, "two"', null, 'é'] },
    { name: 'value', type: 'number', unit: 'ETH', cells: [1.5e-7, null, 9_007_199_254_740_993] },
    { name: 'run_days', type: 'integer', cells: [1, null, 4_294_967_297] },
    { name: 'backfilled', type: 'boolean', required: true, cells: [true, false, true] },
  ],
};

it('CSV has a header, LF, quotes only where needed and empty cells for missing values', () => {
  expect(toCsv(TABLE)).toBe(
    'date,source,value,run_days,backfilled\n' +
      '1969-12-31,"one, ""two""",1.5e-7,1,true\n' +
      '2024-02-29,,,,false\n' +
      '2024-03-01,é,9007199254740992.0,4294967297,true\n',
  );
});

it('Parquet has the same cells, typed', async () => {
  const bytes = toParquet(TABLE, {});
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual([
    {
      date: new Date('1969-12-31'),
      source: 'one, "two"',
      value: 1.5e-7,
      run_days: 1n,
      backfilled: true,
    },
    { date: new Date('2024-02-29'), source: null, value: null, run_days: null, backfilled: false },
    {
      date: new Date('2024-03-01'),
      source: 'é',
      value: 9_007_199_254_740_992,
      run_days: 4_294_967_297n,
      backfilled: true,
    },
  ]);
});

it('Parquet stores booleans as PLAIN, because some readers read their RLE as false', () => {
  const many = (cells: readonly Cell[]): Cell[] =>
    Array.from({ length: 366 }, (_, i) => cells[i % 3] ?? null);
  const year: Table = { columns: TABLE.columns.map((column) => ({ ...column, cells: many(column.cells) })) };
  const bytes = toParquet(year, {});
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const chunks = parquetMetadata(file).row_groups.flatMap(({ columns }) => columns);
  const encodings = chunks.map(({ meta_data: chunk }) => [chunk?.path_in_schema[0], chunk?.encodings]);
  expect(encodings).toEqual([
    ['date', ['PLAIN', 'RLE_DICTIONARY']],
    ['source', ['PLAIN', 'RLE_DICTIONARY']],
    ['value', ['PLAIN', 'RLE_DICTIONARY']],
    ['run_days', ['PLAIN', 'RLE_DICTIONARY']],
    ['backfilled', ['PLAIN']],
  ]);
});

it('Parquet has one row group, and the metadata that it is given', () => {
  const bytes = toParquet(TABLE, { schema: 'gold-volume/2', units: '{"value":"ETH"}' });
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const { key_value_metadata: metadata, row_groups: groups, created_by: creator } = parquetMetadata(file);
  expect(metadata).toEqual([
    { key: 'schema', value: 'gold-volume/2' },
    { key: 'units', value: '{"value":"ETH"}' },
  ]);
  expect(groups).toHaveLength(1);
  expect(creator).toBe('chain-reference-data version 1');
});

it('equal tables give equal bytes', () => {
  const copy = structuredClone(TABLE);
  expect(Buffer.compare(toParquet(TABLE, { a: 'b' }), toParquet(copy, { a: 'b' }))).toBe(0);
});
