import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { POINTER_KEY } from '../../../schemas/paths.js';
import type { ExitName } from '../../../generator/core/generator-error.js';
import { runInProcess } from './generator-run.js';
import { publish } from '../release/published-store.js';
import { sourcesJson, writeInput, writeSmallInput } from '../release/small-input.js';

/** The clock of all runs. */
export const NOW = '2025-01-12T00:00:00Z';

/** Exits of failed runs. */
export type FailingExit = Extract<
  ExitName,
  'usage' | 'input-invalid' | 'refused' | 'conflict' | 'store-unavailable' | 'damaged' | 'held'
>;

/** Command lines for stores in different conditions. */
export type TestRuns = {
  /** Returns a run that publishes to a new store. */
  readonly publishing: () => string[];
  /** A store with one release, and a run that changes nothing in it. */
  readonly root: string;
  readonly unchanged: readonly string[];
  /** A store with the same release. The run for "refused" publishes to it, which records its refusal there. */
  readonly refusing: string;
  /** A run for each exit, which can be repeated. */
  readonly failing: { readonly [exit in FailingExit]: readonly string[] };
};

/** Prepares the stores and inputs of the runs below `folder`. */
export async function prepareRuns(folder: string): Promise<TestRuns> {
  const place = (name: string): string => path.join(folder, name);
  const input = await writeSmallInput(place('input'), { days: { bitcoin: 5 } });
  const later = await writeSmallInput(place('later'), { days: { bitcoin: 6 } });
  const revised = await writeSmallInput(place('revised'), { days: { bitcoin: 5 }, revised: '2025-01-03' });
  const faulty = await writeInput(place('faulty'), {
    'bitcoin.csv': 'date,tx_count\n2025-01-01,x\n',
    'sources.json': sourcesJson(['bitcoin']),
  });
  const root = place('store');
  await publish(input, root, '2025-01-10');
  for (const name of ['locked', 'damaged', 'held', 'refusing'])
    await cp(root, place(name), { recursive: true });
  await writeFile(place('locked/.lock'), JSON.stringify({ host: 'another-host', pid: 4711 }));
  await writeFile(path.join(place('damaged'), POINTER_KEY), 'half a te');
  await runInProcess(['hold', '--reason', 'under review', '--store', `file:${place('held')}`], NOW);
  await mkdir(place('empty'));

  const publishTo = (store: string, from = input): string[] => [
    'publish',
    '--input',
    from,
    '--store',
    `file:${store}`,
    '--as-of',
    '2025-01-11',
  ];
  let fresh = 0;
  return {
    root,
    publishing: () => publishTo(place(`fresh-${(fresh += 1)}`)),
    unchanged: publishTo(root),
    refusing: place('refusing'),
    failing: {
      usage: publishTo(root, place('nowhere')),
      'input-invalid': publishTo(root, faulty),
      refused: publishTo(place('refusing'), revised),
      conflict: publishTo(place('locked'), later),
      'store-unavailable': publishTo(path.join(input, 'bitcoin.csv', 'store')),
      damaged: ['verify', '--store', `file:${place('damaged')}`],
      held: [...publishTo(place('held')).slice(0, -1), '2025-01-12'], // not before the hold, which is of `NOW`
    },
  };
}

export const FAILING_EXITS: readonly FailingExit[] = [
  'usage',
  'input-invalid',
  'refused',
  'conflict',
  'store-unavailable',
  'damaged',
  'held',
];
