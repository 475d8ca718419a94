import { formatTable } from '../../../infra/process/format-table.js';
import { formatChecks, formatJson, machine, median, type Check } from '../report.js';
import type { UnchangedRun } from './s3-requests.js';
import type { S3Writes } from './s3-writes.js';

/** Writes to both servers, and unchanged runs with histories of ascending length. */
export type S3Measured = {
  readonly localstack: S3Writes;
  readonly discarding: S3Writes;
  readonly unchanged: readonly UnchangedRun[];
};

/** Results of the bench. */
export type S3Findings = S3Measured & { readonly startedAtMs: number; readonly checks: readonly Check[] };

/**
 * Compares the measurements with their bounds. The writers alternate, and the median of the ratios of all rounds counts.
 * The rate of writes to the discarding server has no bound: it depends on the machine.
 */
export function checkS3({ localstack, unchanged }: S3Measured): Check[] {
  const requests = unchanged.map((run) => run.requests);
  const days = unchanged.map((run) => run.days);
  return [
    {
      name: 'rate of writes to LocalStack, relative to a plain loop',
      measured: median(ratios(localstack)),
      relation: 'at least',
      bound: 0.8,
      unit: 'times',
    },
    {
      name: 'unchanged run',
      measured: Math.max(...requests),
      relation: 'at most',
      bound: 40,
      unit: 'requests',
    },
    {
      name: `unchanged run with ${Math.max(...days)} days, compared with ${Math.min(...days)}`,
      measured: requests.at(-1) ?? Number.NaN,
      relation: 'exactly',
      bound: requests[0] ?? Number.NaN,
      unit: 'requests',
    },
  ];
}

/** Returns the product's rate relative to the plain loop, for each round. */
function ratios({ productMs, bareMs }: S3Writes): number[] {
  return productMs.map((ms, i) => (bareMs[i] ?? Number.NaN) / ms);
}

/** Formats the findings as tables: the machine, every rate, and the checked values with their bounds. */
export function formatS3Findings({ localstack, discarding, unchanged, checks }: S3Findings): string {
  const { node, cpu, cpus: count } = machine();
  const toRow = (server: string, writer: string, writes: S3Writes, ms: readonly number[]): string[] => {
    const rates = ms.map((each) => Math.round((writes.artifacts / each) * 1000));
    return [server, writer, String(Math.round(median(rates))), rates.join(' ')];
  };
  const rows = [
    toRow('LocalStack', 'product', localstack, localstack.productMs),
    toRow('LocalStack', 'plain loop', localstack, localstack.bareMs),
    toRow('discards', 'product', discarding, discarding.productMs),
    toRow('discards', 'plain loop', discarding, discarding.bareMs),
  ];
  const { artifacts, bytes, concurrency } = localstack;
  return [
    `${artifacts} artifacts of ${Math.round(bytes / artifacts)} bytes, ${concurrency} at a time; Node ${node}, ${count} x ${cpu}`,
    formatTable(['server', 'writer', 'median puts/s', 'all puts/s'], rows),
    formatTable(
      ['days of the store', 'requests of an unchanged run'],
      unchanged.map(({ days, requests }) => [days, requests]),
    ),
    formatChecks(checks),
  ].join('\n\n');
}

/** Returns the document of `--json`. */
export function toS3FindingsJson(findings: S3Findings): string {
  const toWrites = ({ productMs, bareMs, ...writes }: S3Writes): object => ({
    ...writes,
    product_ms: productMs,
    bare_ms: bareMs,
  });
  return formatJson('s3', findings, {
    localstack: toWrites(findings.localstack),
    discarding_server: toWrites(findings.discarding),
    unchanged: findings.unchanged,
  });
}
