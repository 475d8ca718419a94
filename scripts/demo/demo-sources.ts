import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toInstant } from '../../schemas/dates.js';
import type { Chain, MetricName, SourcesPolicy } from '../../schemas/types.generated.js';
import { createFolderBucket } from '../s3/folder-bucket.js';
import { BUCKET_METRICS, writeDemoBucket } from './demo-bucket.js';

/** The exports of growthepie that the sample has values for, by id: the key of their rows, and the metric. */
const EXPORTS: Readonly<Record<string, readonly [key: string, metric: MetricName]>> = {
  txcount: ['txcount', 'tx_count'],
  daa: ['daa', 'active_addresses'],
  fees: ['fees_paid_eth', 'fees_total'],
  txcosts: ['txcosts_median_eth', 'fee_median'],
};
const SERVED: readonly Chain[] = ['ethereum', 'arbitrum', 'base'];
const BUCKET = 'made-up-days';

/** A source of the demo that is a service. */
export type DemoService = 'growthepie' | 'aws';

/** Sources of the demo: a policy, and a service on loopback that it names. */
type DemoSources = {
  readonly policy: string;
  readonly url: string;
  /** False without DuckDB, which writes and reads the bucket. */
  readonly hasBucket: boolean;
  /** Returns the service of each request since the last call. */
  readonly takeRequests: () => DemoService[];
  readonly stop: () => Promise<void>;
};

/** First date that the demo collects: the last 16 months of the sample are enough for regimes with a full baseline. */
export const DEMO_SINCE = '2022-06-01';

/**
 * Serves the sample in the form of growthepie's API, and made-up days of ethereum as a bucket of Parquet files. Writes a
 * policy that takes arbitrum from the one, and fills in ethereum from the other.
 */
export async function startDemoSources(sample: string): Promise<DemoSources> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chain-reference-data-demo-'));
  const answerBucket = createFolderBucket(path.join(folder, 'bucket'));
  const hasBucket = await writeDemoBucket(path.join(folder, 'bucket'));
  const exports = new Map([...(await toExports(sample)), ['/v1/master.json', toMaster()]]);
  const requests: DemoService[] = [];
  const server = createServer((req, res) => {
    const { url = '' } = req;
    const isOfBucket = url.startsWith(`/${BUCKET}`);
    requests.push(isOfBucket ? 'aws' : 'growthepie');
    if (isOfBucket) return void answerBucket(req, res);
    const body = exports.get(url);
    res.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on a port
  const policy = path.join(folder, 'sources.policy.json');
  await writeFile(policy, JSON.stringify(toPolicy(sample, url, hasBucket), null, 2));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  };
  return { policy, url, hasBucket, takeRequests: () => requests.splice(0), stop };
}

function toPolicy(sample: string, endpoint: string, hasBucket: boolean): SourcesPolicy {
  return {
    schema: 'sources-policy/1',
    sources: {
      growthepie: { kind: 'growthepie', endpoint },
      ...(hasBucket ? { aws: { kind: 'aws', endpoint, bucket: BUCKET } } : {}),
      simulated: {
        kind: 'files',
        folder: sample,
        resale: 'yes',
        licence: 'CC0 1.0',
        name: 'simulated by a seeded script (scripts/sample/make-sample.ts); not measured data',
      },
      'growthepie-files': {
        kind: 'files',
        folder: sample,
        resale: 'yes',
        licence: 'CC BY 4.0',
        name: 'growthepie',
        url: 'https://www.growthepie.com',
        attribution: 'growthepie, https://www.growthepie.com',
      },
    },
    chains: {
      bitcoin: { source: 'simulated', since: DEMO_SINCE },
      ethereum: {
        source: 'growthepie-files',
        since: DEMO_SINCE,
        ...(hasBucket ? { fill: [{ source: 'aws', metrics: [...BUCKET_METRICS] }] } : {}),
        check: [{ source: 'growthepie', same: ['tx_count'] }],
        rules: { required: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'] }, // the sample has no more
      },
      arbitrum: { source: 'growthepie', since: DEMO_SINCE, rules: { first_try_hours: 6 } },
      base: { source: 'simulated', since: DEMO_SINCE, rules: { first_try_hours: 6 } },
    },
  };
}

/** Returns the JSON of each export by its path. */
async function toExports(sample: string): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string[]>(Object.keys(EXPORTS).map((id) => [id, []]));
  for (const chain of SERVED) {
    const [head = '', ...lines] = (await readFile(path.join(sample, `${chain}.csv`), 'utf8'))
      .trim()
      .split('\n');
    const columns = head.split(',');
    for (const line of lines) {
      const [date = '', ...rest] = line.split(',');
      for (const [id, [key, metric]] of Object.entries(EXPORTS)) {
        const value = rest[columns.indexOf(metric) - 1] || 'null';
        rows
          .get(id)
          ?.push(`{"metric_key":"${key}","origin_key":"${chain}","date":"${date}","value":${value}}`);
      }
    }
  }
  return new Map([...rows].map(([id, texts]) => [`/v1/export/${id}.json`, `[${texts.join(',')}]`]));
}

/** growthepie says when it was updated last: just now. */
function toMaster(): string {
  const updated = toInstant(Date.now()).slice(0, 19).replace('T', ' ');
  return JSON.stringify({ current_version: 'v1', last_updated_utc: updated, chains: {}, metrics: {} });
}
