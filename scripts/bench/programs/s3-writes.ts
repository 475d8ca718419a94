/**
 * Writes artifacts to S3 alternately like the product and in a plain loop of the SDK, each time to a new prefix of a new
 * bucket. `node dist/scripts/bench/programs/s3-writes.js <S3WritesOptions as JSON>` prints `S3Writes` as JSON.
 */
import pMap from 'p-map';
import {
  CreateBucketCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { bodyOf } from '../../../generator/core/artifacts/artifact.js';
import { planRelease } from '../../../generator/core/release/plan-release.js';
import type { PlannedRelease } from '../../../generator/core/release/plan-types.js';
import { toDirectory } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import { applyRelease } from '../../../generator/publish/publish-release.js';
import { SILENT, recordStages } from '../../../generator/run/progress.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import { cacheControlOf } from '../../../schemas/object-headers.js';
import { objectKey } from '../../../schemas/paths.js';

/** Options of the program. The first round is a warm-up and not reported. */
export type S3WritesOptions = {
  readonly bucket: string;
  readonly endpoint: string;
  readonly input: string;
  readonly asOf: string;
  readonly artifacts: number;
  readonly rounds: number;
};

/** Duration of each round, and the product's largest number of concurrent writes. */
export type S3Writes = {
  readonly artifacts: number;
  readonly bytes: number;
  readonly concurrency: number;
  readonly productMs: readonly number[];
  readonly bareMs: readonly number[];
};

const SMALL_BYTES = 65_536;

/** Plans a release completely before it is written, and keeps this number of its small artifacts. */
async function planArtifacts({ input, asOf, artifacts }: S3WritesOptions): Promise<PlannedRelease> {
  const asOfMs = Date.parse(asOf);
  const { series } = await readInput({ folder: toDirectory(input), asOfMs });
  const request = { inputs: series, previous: undefined, asOfMs, texts: await readProductTexts() };
  const { release } = planRelease(request);
  const small = release?.artifacts.filter(({ bytes }) => bytes <= SMALL_BYTES).slice(0, artifacts) ?? [];
  if (release === undefined || small.length < artifacts) {
    throw new RangeError(`the input yields ${small.length} small artifacts, not ${artifacts}`);
  }
  return { ...release, artifacts: small };
}

/** Returns how many milliseconds the product takes to write artifacts. `count` gets 1 before each write, -1 after it. */
async function timeProduct(
  address: string,
  release: PlannedRelease,
  count: (step: 1 | -1) => void,
): Promise<number> {
  const opened = await openStore(address);
  const store: ObjectStore = {
    ...opened,
    async putIfAbsent(key, body, meta) {
      count(1);
      try {
        return await opened.putIfAbsent(key, body, meta);
      } finally {
        count(-1);
      }
    },
  };
  const { progress, stages } = recordStages(SILENT, () => performance.now());
  await applyRelease({ store, release, etag: null, now: () => Date.now(), progress });
  const { seconds = Number.NaN } = stages.find(({ stage }) => stage === 'write') ?? {};
  return seconds * 1000;
}

/** Returns how many milliseconds a plain loop takes to write prepared bodies with the SDK's own client and the same conditional header. */
async function timeLoop(
  puts: readonly PutObjectCommandInput[],
  endpoint: string,
  concurrency: number,
): Promise<number> {
  const client = createClient(endpoint, concurrency);
  const startedMs = performance.now();
  await pMap(puts, (put) => client.send(new PutObjectCommand(put)), { concurrency });
  return performance.now() - startedMs;
}

/** Creates the SDK's client with its defaults, except for the number of connections. */
function createClient(endpoint: string, maxSockets: number): S3Client {
  const requestHandler = { httpAgent: { keepAlive: true, maxSockets } };
  return new S3Client({ endpoint, forcePathStyle: true, requestHandler });
}

function toPuts(release: PlannedRelease, bucket: string, prefix: string): PutObjectCommandInput[] {
  return release.artifacts.map(({ content, sha256, type }) => ({
    Bucket: bucket,
    Key: `${prefix}/${objectKey(sha256)}`,
    Body: Buffer.from(bodyOf(content())),
    IfNoneMatch: '*',
    ContentType: type,
    CacheControl: cacheControlOf(objectKey(sha256)),
    ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
  }));
}

async function measureWrites(options: S3WritesOptions): Promise<S3Writes> {
  const { bucket, endpoint, rounds } = options;
  const release = await planArtifacts(options);
  await createClient(endpoint, 1).send(new CreateBucketCommand({ Bucket: bucket }));
  const productMs: number[] = [];
  const bareMs: number[] = [];
  let [active, concurrency] = [0, 0];
  const count = (step: 1 | -1): void => {
    active += step;
    concurrency = Math.max(concurrency, active);
  };
  const query = `endpoint=${encodeURIComponent(endpoint)}&path-style=true`;
  for (let round = 0; round <= rounds; round += 1) {
    const prefix = `${process.pid}/${round}`;
    const product = async (): Promise<void> => {
      productMs.push(await timeProduct(`s3://${bucket}/${prefix}/product?${query}`, release, count));
    };
    const bare = async (): Promise<void> => {
      bareMs.push(await timeLoop(toPuts(release, bucket, `${prefix}/bare`), endpoint, concurrency));
    };
    for (const write of round % 2 === 0 ? [product, bare] : [bare, product]) await write();
  }
  const bytes = release.artifacts.reduce((sum, artifact) => sum + artifact.bytes, 0);
  const { length } = release.artifacts;
  return {
    artifacts: length,
    bytes,
    concurrency,
    productMs: productMs.slice(1),
    bareMs: bareMs.slice(1),
  };
}

const [options] = process.argv.slice(2);
if (options === undefined) throw new TypeError('usage: s3-writes.js <options>');
process.stdout.write(`${JSON.stringify(await measureWrites(JSON.parse(options) as S3WritesOptions))}\n`); // what the bench passes
