import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain, Site } from '../../schemas/types.generated.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputFault } from '../core/input/input-fault.js';
import type { InputSeries } from '../core/input/input-series.js';
import type { InputFolder } from './input-folder.js';
import { readMetricsCsv } from './metrics-csv.js';
import { readSiteJson } from './site-json.js';
import { readSourcesJson } from './sources-json.js';

/** The input of a run. */
export type Input = {
  /** One series for each valid chain. */
  readonly series: readonly InputSeries[];
  readonly faults: readonly InputFault[];
  /** The chains that a fault makes invalid. */
  readonly invalid: readonly Chain[];
  /** The site: null without a `site.json`. Absent if the file has faults; the published site then stays in force. */
  readonly site?: Site | null;
};

/** Options for `readInput`. */
type InputOptions = {
  readonly folder: InputFolder;
  /** The chains to read. Default: every chain that has a file. */
  readonly chains?: readonly Chain[];
  readonly asOfMs: number;
};

/**
 * Reads `sources.json`, `site.json` and a CSV file per chain, one file at a time.
 * @throws GeneratorError 'usage' if the directory cannot be read, has no metrics, or has no file for a requested chain.
 * @throws StoreError if the bucket cannot be read.
 */
export async function readInput({ folder, chains, asOfMs }: InputOptions): Promise<Input> {
  const names = await folder.list();
  const present = CHAIN_IDS.filter((chain) => names.includes(`${chain}.csv`));
  const wanted = present.filter((chain) => chains === undefined || chains.includes(chain));
  const unknown = chains === undefined ? names.filter((name) => isUnknown(name)) : [];
  for (const chain of chains ?? []) {
    if (!present.includes(chain))
      throw new GeneratorError(
        'usage',
        `There is no ${chain}.csv in ${folder.address}. Add it, or omit --chain ${chain}.`,
      );
  }
  if (wanted.length === 0 && unknown.length === 0) throw noMetrics(folder);
  const sources = await readSourcesJson(folder);
  const { faults: siteFaults, ...site } = await readSiteJson(folder, names);
  const faults = [
    ...unknown.map(unknownFile),
    ...siteFaults,
    ...sources.faults.filter(({ chain }) => chain === undefined || wanted.includes(chain)),
  ];
  const series: InputSeries[] = [];
  const invalid: Chain[] = [];
  for (const chain of wanted) {
    const segments = sources.sources[chain];
    const isExplained = sources.faults.some((fault) => (fault.chain ?? chain) === chain);
    if (segments === undefined && !isExplained) faults.push(missingEntry(chain));
    const check = sources.checks[chain];
    const metrics = await readMetricsCsv(folder, { chain, asOfMs, sources: segments ?? [], check });
    faults.push(...metrics.faults);
    if (segments === undefined || metrics.series === undefined) invalid.push(chain);
    else series.push(metrics.series);
  }
  return { series, faults, invalid, ...site };
}

function isUnknown(name: string): boolean {
  return name.toLowerCase().endsWith('.csv') && !CHAIN_IDS.some((chain) => name === `${chain}.csv`);
}

function noMetrics({ address }: InputFolder): GeneratorError {
  const files = CHAIN_IDS.map((chain) => `${chain}.csv`).join(', ');
  return new GeneratorError(
    'usage',
    `${address} contains none of ${files}. Name the directory of the metrics with --input.`,
  );
}

function unknownFile(file: string): InputFault {
  const remedy = `rename or remove it; chains are ${CHAIN_IDS.join(', ')}`;
  return { file, message: 'is not the file of a known chain', remedy };
}

function missingEntry(chain: Chain): InputFault {
  return {
    chain,
    file: 'sources.json',
    message: `no entry for ${chain}`,
    remedy: `add "${chain}": [{"name": "...", "licence": "..."}]`,
  };
}
