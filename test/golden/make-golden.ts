/** Writes the golden inputs and the release that they produce. Run by `npm run golden`, in a commit that says why. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS, metricsOf } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import { columnOf, type InputSeries } from '../../generator/core/input/input-series.js';
import { editSeries, randomSeries } from '../support/release/random-series.js';
import { createTemporaryFolder } from '../support/process/temporary-folder.js';
import { committedFiles } from './committed-files.js';
import { GOLDEN, publishGolden } from './scenario.js';
import { digestStore, formatDigests, readStore } from './store-digests.js';

const FIRST_DATE = '2022-01-01';
const DAYS = 532;
const MISSING_ROW = '2022-09-10';
const OUTAGE = { from: '2022-11-05', to: '2022-11-16' };
const RESTATED = '2023-05-20';

/** Returns a chain's history of a number of days, with a date without a row and a period without values. */
function history(chain: Chain, days: number): InputSeries {
  const full = randomSeries({
    chain,
    seed: 50 + CHAIN_IDS.indexOf(chain),
    days: DAYS,
    firstDate: FIRST_DATE,
    missingCells: 0.01,
  });
  const isMissing = (date: string): boolean =>
    date === MISSING_ROW || (date >= OUTAGE.from && date <= OUTAGE.to);
  return {
    ...full,
    dates: full.dates.slice(0, days),
    present: full.dates.slice(0, days).map((date) => date !== MISSING_ROW),
    metrics: Object.fromEntries(
      metricsOf(chain).map((metric) => [
        metric,
        columnOf(full, metric)
          .slice(0, days)
          .map((value, t) => (isMissing(full.dates[t] ?? '') ? null : value)),
      ]),
    ),
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

async function writeInput(name: string, inputs: readonly InputSeries[]): Promise<void> {
  const folder = path.join(GOLDEN, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const series of inputs) await writeFile(path.join(folder, `${series.chain}.csv`), toCsv(series));
  const segments = (chain: Chain): object[] => [
    { name: 'made-up', licence: 'CC0 1.0', notes: 'simulated for tests' },
    ...(chain === 'bitcoin' ? [{ from: '2023-01-01', name: 'made-up-2', licence: 'CC0 1.0' }] : []),
  ];
  const sources = Object.fromEntries(CHAIN_IDS.map((chain) => [chain, segments(chain)]));
  await writeFile(path.join(folder, 'sources.json'), `${JSON.stringify(sources, null, 2)}\n`);
}

await writeInput(
  'input-1',
  CHAIN_IDS.map((chain) => history(chain, DAYS - 1)),
);
const second = (['bitcoin', 'ethereum', 'arbitrum'] as const).map((chain) => history(chain, DAYS));
await writeInput(
  'input-2',
  second.map((each) =>
    each.chain === 'ethereum' ? editSeries(each, 'tx_count', RESTATED, 7_654_321) : each,
  ),
);

const folder = await createTemporaryFolder();
const contents = await readStore(await publishGolden(folder.path));
const release = path.join(GOLDEN, 'release');
await rm(release, { recursive: true, force: true });
for (const [name, bytes] of committedFiles(contents)) {
  const file = path.join(release, 'files', name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
await writeFile(path.join(release, 'digests.txt'), formatDigests(digestStore(contents)));
await folder.dispose();
