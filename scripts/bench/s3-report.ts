import { formatTable } from '../../generator/commands/format-table.js';
import { isKept, median, type Check } from './check.js';
import { formatChecks, machine } from './report.js';
import type { UnchangedRun } from './s3-requests.js';
import type { S3Writes } from './s3-writes.js';

/** What was measured: writes to either server, and unchanged runs from the shortest history to the longest. */
export type S3Measured = {
  readonly localstack: S3Writes;
  readonly nullServer: S3Writes;
  readonly unchanged: readonly UnchangedRun[];
};

/** What a bench of the S3 store has found. */
export type S3Findings = S3Measured & { readonly startedAtMs: number; readonly checks: readonly Check[] };

/**
 * The bounds of the S3 store, each beside the figure that was measured. Of rates in turns the median of each round's
 * ratio counts; of the rate that the machine allows the best round, for what else it does only slows it.
 */
export function checkS3({ localstack, nullServer, unchanged }: S3Measured): Check[] {
  const requests = unchanged.map((run) => run.requests);
  const days = unchanged.map((run) => run.days);
  return [
    {
      name: 'writing to LocalStack, of the rate of a bare loop',
      measured: median(ratios(localstack)),
      relation: 'at least',
      bound: 0.85,
      unit: 'times',
    },
    {
      name: 'writing to a server that keeps nothing',
      measured: (nullServer.artifacts / Math.min(...nullServer.productMs)) * 1000,
      relation: 'over',
      bound: 2_000,
      unit: 'puts/s',
    },
    {
      name: 'unchanged run',
      measured: Math.max(...requests),
      relation: 'at most',
      bound: 40,
      unit: 'requests',
    },
    {
      name: `unchanged run of ${Math.max(...days)} days, as of ${Math.min(...days)}`,
      measured: requests.at(-1) ?? Number.NaN,
      relation: 'exactly',
      bound: requests[0] ?? Number.NaN,
      unit: 'requests',
    },
  ];
}

/** The product's rate as a part of the bare loop's, round by round. */
function ratios({ productMs, bareMs }: S3Writes): number[] {
  return productMs.map((ms, i) => (bareMs[i] ?? Number.NaN) / ms);
}

/** The findings as tables: the machine, every rate, and the figures beside their bounds. */
export function formatS3Findings({ localstack, nullServer, unchanged, checks }: S3Findings): string {
  const { node, cpu, cpus: count } = machine();
  const toRow = (server: string, writer: string, writes: S3Writes, ms: readonly number[]): string[] => {
    const rates = ms.map((each) => Math.round((writes.artifacts / each) * 1000));
    return [server, writer, String(Math.round(median(rates))), rates.join(' ')];
  };
  const rows = [
    toRow('LocalStack', 'product', localstack, localstack.productMs),
    toRow('LocalStack', 'bare loop', localstack, localstack.bareMs),
    toRow('keeps nothing', 'product', nullServer, nullServer.productMs),
    toRow('keeps nothing', 'bare loop', nullServer, nullServer.bareMs),
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

/** The findings as the document of `--json`. */
export function toS3FindingsJson({ startedAtMs, checks, ...measured }: S3Findings): string {
  const toWrites = ({ productMs, bareMs, ...writes }: S3Writes): object => ({
    ...writes,
    product_ms: productMs,
    bare_ms: bareMs,
  });
  const document = {
    bench: 's3',
    started_at: new Date(startedAtMs).toISOString(),
    machine: machine(),
    passed: checks.every(isKept),
    checks: checks.map((check) => ({ ...check, passed: isKept(check) })),
    localstack: toWrites(measured.localstack),
    null_server: toWrites(measured.nullServer),
    unchanged: measured.unchanged,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
