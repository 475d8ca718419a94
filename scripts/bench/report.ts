import { availableParallelism, cpus, release } from 'node:os';
import { formatTable } from '../../infra/process/format-table.js';

/** A measured value and its bound. */
export type Check = {
  readonly name: string;
  readonly measured: number;
  readonly relation: 'at most' | 'under' | 'exactly' | 'at least' | 'over';
  readonly bound: number;
  readonly unit: 'times' | 'MB' | 'bytes' | 'objects' | 'files' | 'requests' | 'ms' | 'releases';
};

/** Returns true if the measured value is within its bound; always false for NaN. */
export function isPassed({ measured, relation, bound }: Check): boolean {
  switch (relation) {
    case 'at most':
      return measured <= bound;
    case 'under':
      return measured < bound;
    case 'exactly':
      return measured === bound;
    case 'at least':
      return measured >= bound;
    case 'over':
      return measured > bound;
  }
}

/** Returns the median, which is the mean of the two middle values if their number is even; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Formats measured values and their bounds as a table. */
export function formatChecks(checks: readonly Check[]): string {
  const rows = checks.map((check) => [
    check.name,
    `${formatValue(check.measured, check.unit)} ${check.unit}`,
    `${check.relation} ${formatValue(check.bound, check.unit)}`,
    isPassed(check) ? 'pass' : 'FAIL',
  ]);
  return formatTable(['check', 'measured', 'bound', ''], rows);
}

/** Returns the machine that the bench runs on. */
export function machine(): { node: string; kernel: string; cpu: string; cpus: number } {
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  return { node: process.versions.node, kernel: release(), cpu, cpus: availableParallelism() };
}

/** Formats the document of `--json`: the members that all benches have, followed by the bench's own `results`. */
export function formatJson(
  bench: string,
  { startedAtMs, checks }: { readonly startedAtMs: number; readonly checks: readonly Check[] },
  results: object,
): string {
  const document = {
    bench,
    started_at: new Date(startedAtMs).toISOString(),
    machine: machine(),
    passed: checks.every(isPassed),
    checks: checks.map((check) => ({ ...check, passed: isPassed(check) })),
    ...results,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function formatValue(value: number, unit: Check['unit']): string {
  return unit === 'times' || unit === 'ms' ? value.toFixed(2) : String(Math.round(value));
}
