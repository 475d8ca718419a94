import { availableParallelism, cpus, release } from 'node:os';
import { formatTable } from '../../generator/commands/format-table.js';
import { isKept, type Check } from './check.js';

/** The figures beside their bounds, as a table. */
export function formatChecks(checks: readonly Check[]): string {
  const rows = checks.map((check) => [
    check.name,
    `${formatFigure(check.measured, check.unit)} ${check.unit}`,
    `${check.relation} ${formatFigure(check.bound, check.unit)}`,
    isKept(check) ? 'pass' : 'FAIL',
  ]);
  return formatTable(['check', 'measured', 'bound', ''], rows);
}

/** What the figures were measured on. */
export function machine(): { node: string; kernel: string; cpu: string; cpus: number } {
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  return { node: process.versions.node, kernel: release(), cpu, cpus: availableParallelism() };
}

function formatFigure(value: number, unit: Check['unit']): string {
  return unit === 'times' || unit === 'ms' ? value.toFixed(2) : String(Math.round(value));
}
