import { formatTable } from '../../generator/commands/format-table.js';
import { isKept, median, type Check } from './check.js';
import type { Mount } from './disk.js';
import type { Sample } from './generator-runs.js';
import { formatChecks, machine } from './report.js';

/** What a bench of the generator has found, and where. */
export type GeneratorFindings = {
  readonly startedAtMs: number;
  readonly mount: Mount;
  /** Small files written and flushed per second, one after another. */
  readonly flushesPerSecond: number;
  readonly samples: readonly Sample[];
  readonly checks: readonly Check[];
};

/** The findings as tables: the machine, every sample, and the figures beside their bounds. */
export function formatFindings({ mount, flushesPerSecond, samples, checks }: GeneratorFindings): string {
  const { node, cpu, cpus: count } = machine();
  const runs = [...new Set(samples.map(({ run }) => run))].map((run) => {
    const all = samples.filter((sample) => sample.run === run);
    return [
      run,
      (median(all.map(({ ms }) => ms)) / 1000).toFixed(2),
      all.map(({ ms }) => (ms / 1000).toFixed(2)).join(' '),
      Math.round(median(all.map(({ peakBytes }) => peakBytes / 1e6))),
      [...new Set(all.map(({ objects }) => objects))].join(' '),
      (median(all.map(({ bytes }) => bytes)) / 1e6).toFixed(1),
    ];
  });
  return [
    `${mount.type} on ${mount.device} (${mount.folder}): ${Math.round(flushesPerSecond)} fdatasync/s, one after another; Node ${node}, ${count} x ${cpu}`,
    formatTable(['run', 'median s', 'all s', 'peak MB', 'objects', 'MB written'], runs),
    formatChecks(checks),
  ].join('\n\n');
}

/** The findings as the document of `--json`. */
export function toFindingsJson(findings: GeneratorFindings): string {
  const { startedAtMs, mount, flushesPerSecond, samples, checks } = findings;
  const document = {
    bench: 'generator',
    started_at: new Date(startedAtMs).toISOString(),
    machine: machine(),
    file_system: { ...mount, fdatasync_per_second: flushesPerSecond },
    passed: checks.every(isKept),
    checks: checks.map((check) => ({ ...check, passed: isKept(check) })),
    samples: samples.map(({ peakBytes, ...sample }) => ({ ...sample, peak_bytes: peakBytes })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
