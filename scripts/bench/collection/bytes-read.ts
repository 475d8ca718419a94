import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createDuckDbEngine, toLiteral } from '../../../generator/engines/duckdb-engine.js';
import type { Engine } from '../../../generator/engines/engine.js';
import { createSonarx } from '../../../generator/sources/aws/aws.js';
import { createFolderBucket } from '../../s3/folder-bucket.js';
import { MADE_UP_DATE, madeUpTables } from './made-up-day.js';

/** Reads the made-up day from a bucket, and returns the bytes of its objects that were read, relative to those of the columns. */
export async function measureBytesRead(folder: string): Promise<number> {
  const { signal } = new AbortController();
  const engine = await createDuckDbEngine({ folder });
  const answer = createFolderBucket(folder);
  let bytes = 0;
  const server = createServer((req, res) => {
    const isList = req.url?.includes('list-type=2') === true;
    void answer(req, res).then((sent) => (bytes += isList ? 0 : sent));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on a port
    const options = { engine, cacheFolder: path.join(folder, 'cache'), bucket: 'made-up', endpoint };
    await createSonarx({ ...options, blocksOnly: { base: false } }).day('base', MADE_UP_DATE, signal);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return bytes / (await bytesOfColumns(folder, engine, signal));
}

/** Returns the stored bytes of the columns that the query needs. */
async function bytesOfColumns(folder: string, engine: Engine, signal: AbortSignal): Promise<number> {
  const parts = madeUpTables(folder).map(({ file, columns }) => {
    const names = columns.map((column) => `'${column}'`).join(', ');
    return `SELECT total_compressed_size FROM parquet_metadata(${toLiteral(file)})
      WHERE lower(path_in_schema) IN (${names})`;
  });
  const sql = `SELECT CAST(sum(total_compressed_size) AS VARCHAR) AS bytes FROM (${parts.join(' UNION ALL ')})`;
  const [row] = await engine.run({ sql, tables: {} }, signal);
  return Number(row?.['bytes']);
}
