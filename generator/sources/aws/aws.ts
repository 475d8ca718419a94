import type { Chain } from '../../../schemas/types.generated.js';
import type { S3Address } from '../../../schemas/store-address.js';
import type { Engine } from '../../engines/engine.js';
import { parseEndpoint } from '../http-client.js';
import { SourceError, type Source, type SourceFacts } from '../source.js';
import { AWS_FACTS, SONARX_FACTS } from './aws-facts.js';
import { withBucket, type Bucket } from './bucket.js';
import type { DayReading } from './day-reading.js';
import { listDates } from './list-dates.js';
import { probeChain } from './probe-chain.js';
import { markOf } from './raw-objects.js';
import { AWS_CHAINS, sonarxChain, type RawChain, type RawChains, type SonarxChain } from './raw-tables.js';
import { readDay } from './read-day.js';

const BUCKET = 'aws-public-blockchain';
const REGION = 'us-east-2';
const BODY_LIMIT_MS = 60_000;
/** Beginning of the name of a complete file, in both data sets. */
const NAME_PREFIX = 'part-';

/** Options for `createAws` and `createSonarx`. */
export type AwsOptions = {
  /** Runs the queries. One with tables of its own must have them on the same bucket. */
  readonly engine: Engine;
  /** A folder for the columns of a day while it is read. It may be shared by runs. */
  readonly cacheFolder: string;
  /** `aws-public-blockchain` by default. */
  readonly bucket?: string;
  readonly region?: string;
  /** Address of an S3 server with a mirror; by default Amazon's, whatever the environment says. */
  readonly endpoint?: string;
  /** Beginning of the names of complete files; `part-` by default. */
  readonly namePrefix?: string;
  /** Longest time for 4 MB. */
  readonly bodyLimitMs?: number;
  readonly now?: () => number;
};

/** Options for `createSonarx`. */
export type SonarxOptions = AwsOptions & {
  /** Chains of which only the blocks are read; by default both. */
  readonly blocksOnly?: { readonly [chain in SonarxChain]?: boolean };
};

/** Creates the source for bitcoin and ethereum in the AWS Public Blockchain Data. */
export function createAws(options: AwsOptions): Source {
  return createSource(AWS_FACTS, AWS_CHAINS, options);
}

/** Creates the source for arbitrum and base in the AWS Public Blockchain Data, which SonarX contributes. */
export function createSonarx({
  blocksOnly: { arbitrum = true, base = true } = {},
  ...options
}: SonarxOptions): Source {
  const chains = { arbitrum: sonarxChain('arbitrum', arbitrum), base: sonarxChain('base', base) };
  return createSource(SONARX_FACTS, chains, options);
}

function createSource(facts: SourceFacts, chains: RawChains, options: AwsOptions): Source {
  const { engine, cacheFolder, namePrefix = NAME_PREFIX, now = Date.now } = options;
  const source = facts.id;
  const connection = {
    source,
    address: toAddress(source, options),
    bodyLimitMs: options.bodyLimitMs ?? BODY_LIMIT_MS,
  };
  const toReading = (bucket: Bucket, signal: AbortSignal): DayReading => ({
    ...{ source, bucket, engine, cacheFolder, namePrefix, signal },
  });
  const withReading = <T>(signal: AbortSignal, use: (reading: DayReading) => Promise<T>): Promise<T> =>
    withBucket(connection, signal, (bucket) => use(toReading(bucket, signal)));
  const find = (chain: Chain): RawChain | undefined => chains[chain];

  return {
    facts: withBucketName(facts, options),
    async days(chain, span, signal) {
      signal.throwIfAborted();
      const raw = find(chain);
      if (raw === undefined || span.first > span.last) return new Map();
      const dates = await withReading(signal, (reading) => listDates(raw, span, reading));
      const complete = [...dates].filter(([, { incomplete }]) => incomplete === undefined).sort();
      return new Map(
        complete.map(([date, { tables }]) => [date, markOf(tables.flatMap(([, objects]) => objects))]),
      );
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const raw = find(chain);
      if (raw === undefined) throw new SourceError('not-yet', `${source}: has no data of ${chain}.`);
      return withReading(signal, (reading) => readDay(chain, raw, date, reading));
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      const raw = find(chain);
      return raw === undefined ? [] : withReading(signal, (reading) => probeChain(raw, reading, now()));
    },
  };
}

/** Names another bucket, because what it contains is its owner's word. */
function withBucketName(facts: SourceFacts, { bucket = BUCKET }: AwsOptions): SourceFacts {
  return bucket === BUCKET ? facts : { ...facts, name: `${facts.name}, from the bucket ${bucket}` };
}

function toAddress(source: string, { bucket = BUCKET, region = REGION, endpoint }: AwsOptions): S3Address {
  const amazon = `https://s3.${region}.amazonaws.com`; // else the SDK takes the endpoint of the environment
  const { base } = parseEndpoint(source, endpoint ?? amazon);
  return { bucket, region, prefix: '', endpoint: base, pathStyle: endpoint !== undefined };
}
