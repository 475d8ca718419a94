import { formatTable } from '../../../infra/process/format-table.js';
import type { Mount } from '../disk.js';
import { formatChecks, formatJson, machine, median, type Check } from '../report.js';
import type { RunName, Sample } from './generator-runs.js';

/** Compares the measurements with their bounds. */
export function checkGenerator(samples: readonly Sample[]): Check[] {
  const of = (run: RunName): readonly Sample[] => samples.filter((sample) => sample.run === run);
  const ms = (run: RunName): number => median(of(run).map((sample) => sample.ms));
  const peakMb = (run: RunName): number => median(of(run).map(({ peakBytes }) => peakBytes / 1e6));
  const most = (run: RunName, key: 'objects' | 'touched'): number =>
    Math.max(...of(run).map((sample) => sample[key]));
  const times = (name: string, measured: number, bound: number): Check => ({
    name,
    measured,
    relation: 'at most',
    bound,
    unit: 'times',
  });
  const exactly = (name: string, measured: number, bound: number, unit: Check['unit']): Check => ({
    name,
    measured,
    relation: 'exactly',
    bound,
    unit,
  });
  return [
    times('cold publish, relative to the floor', ms('cold') / ms('floor'), 2),
    times('unchanged run, relative to the floor', ms('unchanged') / ms('floor'), 0.4),
    exactly('unchanged run, objects written', most('unchanged', 'objects'), 0, 'objects'),
    exactly('unchanged run, files and folders touched', most('unchanged', 'touched'), 0, 'files'),
    times('one new day, relative to the floor', ms('new-day') / ms('floor'), 0.5),
    exactly(
      'one new day after 10 years, compared with 1 year',
      most('new-day-of-10-years', 'objects'),
      most('new-day-of-1-year', 'objects'),
      'objects',
    ),
    { name: 'peak memory, cold', measured: peakMb('cold'), relation: 'under', bound: 600, unit: 'MB' },
    times('peak memory, relative to bitcoin only', peakMb('cold') / peakMb('bitcoin'), 1.5),
    times('16 years, relative to 8 years', ms('bitcoin-16-years') / ms('bitcoin-8-years'), 2.2),
  ];
}

/** Results of the bench and the conditions of the run. */
export type GeneratorFindings = {
  readonly startedAtMs: number;
  readonly mount: Mount;
  /** Number of small files that can be written and flushed per second, one after the other. */
  readonly flushesPerSecond: number;
  readonly samples: readonly Sample[];
  readonly checks: readonly Check[];
};

/** Formats the findings as tables: the machine, every sample, and the checked values with their bounds. */
export function formatFindings({ mount, flushesPerSecond, samples, checks }: GeneratorFindings): string {
  const { node, cpu, cpus: count } = machine();
  const runs = [...new Set(samples.map(({ run }) => run))].map((run) => {
    const samplesOfRun = samples.filter((sample) => sample.run === run);
    return [
      run,
      (median(samplesOfRun.map(({ ms }) => ms)) / 1000).toFixed(2),
      samplesOfRun.map(({ ms }) => (ms / 1000).toFixed(2)).join(' '),
      Math.round(median(samplesOfRun.map(({ peakBytes }) => peakBytes / 1e6))),
      [...new Set(samplesOfRun.map(({ objects }) => objects))].join(' '),
      (median(samplesOfRun.map(({ bytes }) => bytes)) / 1e6).toFixed(1),
    ];
  });
  return [
    `${mount.type} on ${mount.device} (${mount.folder}): ${Math.round(flushesPerSecond)} fdatasync/s, one after the other; Node ${node}, ${count} x ${cpu}`,
    formatTable(['run', 'median s', 'all s', 'peak MB', 'objects', 'MB written'], runs),
    formatChecks(checks),
  ].join('\n\n');
}

/** Returns the document of `--json`. */
export function toFindingsJson(findings: GeneratorFindings): string {
  const { mount, flushesPerSecond, samples } = findings;
  return formatJson('generator', findings, {
    file_system: { ...mount, fdatasync_per_second: flushesPerSecond },
    samples: samples.map(({ peakBytes, ...sample }) => ({ ...sample, peak_bytes: peakBytes })),
  });
}
