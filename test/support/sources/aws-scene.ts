import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { Chain } from '../../../schemas/types.generated.js';
import { createDuckDbEngine } from '../../../generator/engines/duckdb-engine.js';
import type { Engine, TableDay } from '../../../generator/engines/engine.js';
import {
  createAws,
  createSonarx,
  type AwsOptions,
  type SonarxOptions,
} from '../../../generator/sources/aws/aws.js';
import { AWS_CHAINS, sonarxChain, type RawChain } from '../../../generator/sources/aws/raw-tables.js';
import type { Source } from '../../../generator/sources/source.js';
import type { BitcoinDay } from '../collection/bitcoin-days.js';
import { writeBitcoinDay, writeEvmDay, type FileForm } from '../collection/day-tables.js';
import type { EvmDay } from '../collection/evm-days.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { createTestBucket, type TestBucket } from '../s3/s3-bucket.js';
import { once } from 'node:events';
import { request as sendRequest, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { startLoopbackServer } from '../process/loopback-server.js';

/** A request that was forwarded to S3, with the bytes of its answer. */
type CountedRequest = {
  readonly url: string;
  readonly isSigned: boolean;
  readonly isList: boolean;
  readonly bytes: number;
};

/** A proxy before S3 that notes what is read. */
type CountingS3 = {
  readonly endpoint: string;
  /** Sets what happens before a request is forwarded. `number` counts the reads of objects from 1. */
  readonly beforeRead: (happen: (number: number) => Promise<unknown>) => void;
  /** Sets what happens before a list is forwarded. `number` counts the lists from 1. */
  readonly beforeList: (happen: (number: number) => Promise<unknown>) => void;
  /** Returns the requests since the last call, and counts from 1 again. */
  readonly take: () => CountedRequest[];
  readonly dispose: () => Promise<void>;
};

const nothing = (): Promise<void> => Promise.resolve();

/** Starts a proxy on loopback. */
async function startCountingS3(target: string): Promise<CountingS3> {
  const seen: CountedRequest[] = [];
  const numbers = { read: 0, list: 0 };
  let beforeRead: Parameters<CountingS3['beforeRead']>[0] = nothing;
  let beforeList: Parameters<CountingS3['beforeList']>[0] = nothing;
  const { hostname, port } = new URL(target);
  const server = await startLoopbackServer((req, res) => {
    const { method = '', url = '', headers } = req;
    const isList = url.includes('list-type=2');
    const happen = isList ? beforeList((numbers.list += 1)) : beforeRead((numbers.read += 1));
    const forward = async (): Promise<void> => {
      await happen;
      const request = sendRequest({ hostname, port, method, path: url, headers }).end();
      const [answer] = (await once(request, 'response')) as [IncomingMessage]; // the event's arguments
      const bytes = Number(answer.headers['content-length'] ?? 0);
      seen.push({ url, isList, bytes, isSigned: headers.authorization !== undefined });
      res.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      await pipeline(answer, res);
    };
    forward().catch(() => req.socket.destroy()); // the client has disconnected
  });
  return {
    ...server,
    beforeRead: (happen) => void (beforeRead = happen),
    beforeList: (happen) => void (beforeList = happen),
    take() {
      numbers.read = numbers.list = 0;
      return seen.splice(0);
    },
  };
}

/** A bucket with the layout of the AWS Public Blockchain Data behind a proxy that counts. */
export type AwsScene = {
  readonly bucket: TestBucket;
  readonly proxy: CountingS3;
  readonly engine: Engine;
  readonly connection: DuckDBConnection;
  readonly cacheFolder: string;
  /** Writes the tables of a day as files on this machine, for `upload`. */
  readonly write: (
    chain: Chain,
    date: string,
    day: BitcoinDay | EvmDay,
    form?: Partial<FileForm>,
  ) => Promise<WrittenDay>;
  /** Puts files into the folders of a date, in place of all that is there. */
  readonly upload: (chain: Chain, date: string, day: WrittenDay) => Promise<void>;
  /** Puts an object. */
  readonly put: (key: string, bytes: Uint8Array | string) => Promise<void>;
  /** Returns the ETag and size of an object that was put, by its URI. */
  readonly served: (uri: string) => { readonly etag: string; readonly bytes: number } | undefined;
  readonly createAws: (options?: Partial<AwsOptions>) => Source;
  readonly createSonarx: (options?: Partial<SonarxOptions>) => Source;
  readonly dispose: () => Promise<void>;
};

/** The files of the blocks and the transactions. */
export type WrittenDay = { readonly blocks: TableDay; readonly transactions: TableDay };

/** The usual form of the data sets. */
export const PLAIN: FileForm = { numbers: 'BIGINT', isUpperCase: false, date: null, files: 1 };
const DECIMALS: FileForm = { numbers: 'DECIMAL(38,0)', isUpperCase: false, date: null, files: 1 };

/** Starts the scene on the server of `CRD_TEST_S3_ENDPOINT`, with an empty bucket. */
export async function startAwsScene(): Promise<AwsScene> {
  const folder = await createTemporaryFolder();
  const cacheFolder = path.join(folder.path, 'cache');
  const engine = await createDuckDbEngine({ folder: folder.path });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const bucket = await createTestBucket();
  const proxy = await startCountingS3(bucket.endpoint);
  const served = new Map<string, { etag: string; bytes: number }>();
  const openEngine = (): Promise<Engine> => Promise.resolve(engine);
  const options = { openEngine, cacheFolder, bucket: bucket.name, endpoint: proxy.endpoint };

  async function put(key: string, bytes: Uint8Array | string): Promise<void> {
    await bucket.put(key, bytes);
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    served.set(`s3://${bucket.name}/${key}`, { etag, bytes: Buffer.byteLength(bytes) });
  }
  let written = 0;
  return {
    bucket,
    proxy,
    engine,
    connection,
    cacheFolder,
    put,
    async write(chain, date, day, form) {
      const place = path.join(folder.path, `written-${(written += 1)}`);
      await mkdir(place);
      const usual = chain === 'bitcoin' || chain === 'ethereum' ? PLAIN : DECIMALS;
      const writer = { connection, folder: place, date, form: { ...usual, ...form } };
      if (chain === 'bitcoin') return writeBitcoinDay(day as BitcoinDay, writer); // of this chain
      return writeEvmDay(chain, day as EvmDay, writer); // the same
    },
    async upload(chain, date, day) {
      for (const table of ['blocks', 'transactions'] as const) {
        const prefix = folderOf(chain, table, date);
        for (const key of await bucket.keys(prefix)) await bucket.remove(key);
        for (const [i, file] of day[table].paths.entries())
          await put(`${prefix}${partName(i)}`, await readFile(file));
      }
    },
    served: (uri) => served.get(uri),
    createAws: (own) => createAws({ ...options, ...own }),
    createSonarx: (own) => createSonarx({ ...options, ...own }),
    async dispose() {
      connection.closeSync();
      instance.closeSync();
      await proxy.dispose();
      bucket.dispose();
      await folder.dispose();
    },
  };
}

/** Returns the name of a complete file. */
export function partName(i: number): string {
  return `part-0000${i}-6d2f.snappy.parquet`;
}

/** Returns the folder of a table on a date. */
export function folderOf(chain: Chain, table: 'blocks' | 'transactions', date: string): string {
  const raw = rawChainOf(chain);
  return `${raw.tables[table === 'blocks' ? 0 : 1]?.prefix ?? ''}date=${date}/`;
}

/** Returns the tables of a chain, with its transactions. */
export function rawChainOf(chain: Chain): RawChain {
  return chain === 'bitcoin' || chain === 'ethereum' ? AWS_CHAINS[chain] : sonarxChain(chain, false);
}
