import path from 'node:path';
import { CHAIN_IDS, metricsOf } from '../../schemas/catalog.js';
import type { Chain, Sources } from '../../schemas/types.generated.js';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { columnOf, type InputSeries } from '../../generator/core/input/input-series.js';
import { runAsProcess } from '../support/process/generator-run.js';
import { createTemporaryFolder } from '../support/process/temporary-folder.js';
import { editSeries, randomSeries } from '../support/release/random-series.js';
import { writeInput } from '../support/release/small-input.js';

/** Folder of the committed golden files. */
export const GOLDEN = import.meta.dirname;

/** The date that has no row in any chain. */
export const MISSING_ROW = '2022-09-10';

const FIRST_DATE = '2022-01-01';
const DAYS = 532;
const OUTAGE = { from: '2022-11-05', to: '2022-11-16' };
const RESTATED = '2023-05-20';

/** Publishes the golden inputs to the empty folder `root` with the built program, and returns the store. */
export async function publishGolden(root: string): Promise<ObjectStore> {
  const folder = await createTemporaryFolder();
  const publish = async (series: InputSeries[], asOf: string, ...accept: string[]): Promise<void> => {
    const input = await writeInput(path.join(folder.path, asOf.slice(0, 10)), inputFiles(series));
    const where = ['--input', input, '--store', `file:${root}`, '--as-of', asOf];
    const run = await runAsProcess(['publish', '--quiet', ...where, ...accept]);
    if (run.code !== 0) throw new Error(run.stderr);
  };
  const first = CHAIN_IDS.map((chain) => history(chain, DAYS - 1));
  await publish(first, '2023-06-16T06:00:00Z');
  const second = CHAIN_IDS.filter((chain) => chain !== 'base').map((chain) => history(chain, DAYS));
  const accept = ['--accept-restatements', 'upstream corrected one day of ethereum'];
  await publish(second.map(restate), '2023-06-17T06:00:00Z', ...accept);
  await folder.dispose();
  return createDirectoryStore(root);
}

/** Returns a chain's history of a number of days, with a date without a row and a period without values. */
function history(chain: Chain, days: number): InputSeries {
  const full = randomSeries({ chain, seed: 52, days: DAYS, firstDate: FIRST_DATE, missingCells: 0.01 });
  const dates = full.dates.slice(0, days);
  const isMissing = (date: string): boolean =>
    date === MISSING_ROW || (date >= OUTAGE.from && date <= OUTAGE.to);
  const columns = metricsOf(chain).map((metric) => [
    metric,
    dates.map((date, t) => (isMissing(date) ? null : columnOf(full, metric)[t])),
  ]);
  const present = dates.map((date) => date !== MISSING_ROW);
  return { ...full, dates, present, metrics: Object.fromEntries(columns) };
}

function restate(series: InputSeries): InputSeries {
  return series.chain === 'ethereum' ? editSeries(series, 'tx_count', RESTATED, 7_654_321) : series;
}

/** Returns the files of an input directory by name. */
function inputFiles(inputs: readonly InputSeries[]): { [name: string]: string } {
  const segments = (chain: Chain): Sources[Chain] => [
    { name: 'made-up', licence: 'CC0 1.0', notes: 'simulated for tests' },
    ...(chain === 'bitcoin' ? [{ from: '2023-01-01', name: 'made-up-2', licence: 'CC0 1.0' }] : []),
  ];
  const sources = Object.fromEntries(CHAIN_IDS.map((chain) => [chain, segments(chain)]));
  return {
    ...Object.fromEntries(inputs.map((series) => [`${series.chain}.csv`, toCsv(series)])),
    'sources.json': JSON.stringify(sources),
  };
}

function toCsv(series: InputSeries): string {
  const metrics = metricsOf(series.chain);
  const rows = series.dates.flatMap((date, t) =>
    series.present[t]
      ? [[date, ...metrics.map((metric) => columnOf(series, metric)[t] ?? '')].join(',')]
      : [],
  );
  return `${[['date', ...metrics].join(','), ...rows].join('\n')}\n`;
}
