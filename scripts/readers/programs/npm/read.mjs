// Prints every cell of Parquet files as one package of npm reads them, in the form of read.py: node read.mjs PACKAGE FILE...
import { readFileSync } from 'node:fs';

const [, , name, ...files] = process.argv;

const READERS = {
  async hyparquet(file) {
    const { parquetReadObjects } = await import('hyparquet');
    return parquetReadObjects({ file: Uint8Array.from(readFileSync(file)).buffer });
  },
  async '@dsnp/parquetjs'(file) {
    const { default: parquet } = await import('@dsnp/parquetjs');
    const reader = await parquet.ParquetReader.openFile(file);
    const cursor = reader.getCursor();
    const names = Object.keys(reader.getSchema().fields);
    const rows = [];
    for (let row = await cursor.next(); row; row = await cursor.next())
      rows.push(Object.fromEntries(names.map((each) => [each, row[each]])));
    await reader.close();
    return rows;
  },
  async 'parquet-wasm'(file) {
    const { default: wasm } = await import('parquet-wasm');
    const { tableFromIPC, DataType } = await import('apache-arrow');
    const table = tableFromIPC(wasm.readParquet(readFileSync(file)).intoIPCStream());
    const { fields } = table.schema;
    const valueOf = (value, type) => (DataType.isDate(type) && value !== null ? new Date(value) : value);
    return table
      .toArray()
      .map((row) =>
        Object.fromEntries(fields.map((each) => [each.name, valueOf(row[each.name], each.type)])),
      );
  },
};

/** Returns the cell of a value. JavaScript has one type of number: the runner accepts an integer of that type. */
function toCell(value) {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return `"${value}`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'number') return String(value);
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return `0x${bits.toString('hex')}`;
}

for (const file of files) {
  const rows = await READERS[name](file);
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((each) => toCell(row[each])))];
  process.stdout.write(`${lines.map((line) => line.join('\t')).join('\n')}\n\n`);
}
