/**
 * Publishes artifacts as the product does, and puts the same bodies in a bare loop of the SDK, in turns and into fresh
 * prefixes of a new bucket. `node dist/scripts/bench/s3-writes.js <JSON of S3WritesTerms>` prints one JSON document of `S3Writes`.
 */
import {
  CreateBucketCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import pMap from 'p-map';
import { cacheControlOf, objectKey } from '../../schemas/paths.js';
import { planRelease } from '../../generator/core/release/plan-release.js';
import type { PlannedRelease } from '../../generator/core/release/plan-types.js';
import { applyRelease } from '../../generator/io/apply-release.js';
import { toDirectory } from '../../generator/io/input-folder.js';
import { readInput } from '../../generator/io/read-input.js';
import { readProductTexts } from '../../generator/io/product-texts.js';
import { recordStages, SILENT } from '../../generator/io/progress.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { openStore } from '../../infra/store/open-store.js';
import { createS3Client } from '../../infra/store/s3-client.js';

/** What to write where. The first round warms up and is not reported. */
export type S3WritesTerms = {
  readonly bucket: string;
  readonly endpoint: string;
  readonly input: string;
  readonly asOf: string;
  readonly artifacts: number;
  readonly rounds: number;
};

/** Milliseconds of each round, and how many writes the product has under way at most. */
export type S3Writes = {
  readonly artifacts: number;
  readonly bytes: number;
  readonly concurrency: number;
  readonly productMs: readonly number[];
  readonly bareMs: readonly number[];
};

const SMALL_BYTES = 65_536;

/** A release of so many small artifacts, planned whole, as one that is not written ahead. */
async function planArtifacts({ input, asOf, artifacts }: S3WritesTerms): Promise<PlannedRelease> {
  const asOfMs = Date.parse(asOf);
  const { series } = await readInput({ folder: toDirectory(input), asOfMs });
  const request = { inputs: series, previous: undefined, asOfMs, texts: await readProductTexts() };
  const { release } = planRelease(request);
  const small = release?.artifacts.filter(({ bytes }) => bytes <= SMALL_BYTES).slice(0, artifacts) ?? [];
  if (release === undefined || small.length < artifacts) {
    throw new RangeError(`the input gives ${small.length} small artifacts, not ${artifacts}`);
  }
  return { ...release, artifacts: small };
}

/** Milliseconds that the product takes to write the artifacts of a release; `count` hears how many are under way. */
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

/** Milliseconds that the SDK takes to put bodies that lie ready, with the client and the conditions of the product. */
async function timeBare(
  puts: readonly PutObjectCommandInput[],
  endpoint: string,
  concurrency: number,
): Promise<number> {
  const client = createClient(endpoint);
  const startedMs = performance.now();
  await pMap(puts, (put) => client.send(new PutObjectCommand(put)), { concurrency });
  return performance.now() - startedMs;
}

function createClient(endpoint: string): S3Client {
  return createS3Client({ bucket: '', prefix: '', endpoint, pathStyle: true });
}

function toPuts(release: PlannedRelease, bucket: string, prefix: string): PutObjectCommandInput[] {
  return release.artifacts.map(({ content, sha256, type }) => ({
    Bucket: bucket,
    Key: `${prefix}/${objectKey(sha256)}`,
    Body: Buffer.from(content().text, 'utf8'),
    IfNoneMatch: '*',
    ContentType: type,
    CacheControl: cacheControlOf(objectKey(sha256)),
    ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
  }));
}

async function measureWrites(terms: S3WritesTerms): Promise<S3Writes> {
  const { bucket, endpoint, rounds } = terms;
  const release = await planArtifacts(terms);
  await createClient(endpoint).send(new CreateBucketCommand({ Bucket: bucket }));
  const productMs: number[] = [];
  const bareMs: number[] = [];
  let [underway, concurrency] = [0, 0];
  const count = (step: 1 | -1): void => {
    underway += step;
    concurrency = Math.max(concurrency, underway);
  };
  const query = `endpoint=${encodeURIComponent(endpoint)}&path-style=true`;
  for (let round = 0; round <= rounds; round += 1) {
    const prefix = `${process.pid}/${round}`;
    const product = async (): Promise<void> => {
      productMs.push(await timeProduct(`s3://${bucket}/${prefix}/product?${query}`, release, count));
    };
    const bare = async (): Promise<void> => {
      bareMs.push(await timeBare(toPuts(release, bucket, `${prefix}/bare`), endpoint, concurrency));
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

const [terms] = process.argv.slice(2);
if (terms === undefined) throw new TypeError('usage: s3-writes.js <terms>');
process.stdout.write(`${JSON.stringify(await measureWrites(JSON.parse(terms) as S3WritesTerms))}\n`); // what the bench passes
