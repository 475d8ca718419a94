import { median, type Check } from './check.js';
import type { RunName, Sample } from './generator-runs.js';

/** The bounds of the generator, each beside the figure that the samples give. */
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
    times('cold publish, of the floor', ms('cold') / ms('floor'), 2),
    times('unchanged run, of the floor', ms('unchanged') / ms('floor'), 0.4),
    exactly('unchanged run, objects written', most('unchanged', 'objects'), 0, 'objects'),
    exactly('unchanged run, files and folders touched', most('unchanged', 'touched'), 0, 'files'),
    times('one new day, of the floor', ms('new-day') / ms('floor'), 0.5),
    exactly(
      'one new day after 10 years, as after 1',
      most('new-day-of-10-years', 'objects'),
      most('new-day-of-1-year', 'objects'),
      'objects',
    ),
    { name: 'peak memory, cold', measured: peakMb('cold'), relation: 'under', bound: 600, unit: 'MB' },
    times('peak memory, of bitcoin alone', peakMb('cold') / peakMb('bitcoin'), 1.5),
    times('16 years, of the time of 8', ms('bitcoin-16-years') / ms('bitcoin-8-years'), 2.2),
  ];
}
