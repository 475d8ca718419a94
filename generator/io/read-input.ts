import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputFault } from '../core/input-fault.js';
import type { InputSeries } from '../core/input-series.js';
import type { InputFolder } from './input-folder.js';
import { readMetricsCsv } from './metrics-csv.js';
import { readSourcesJson } from './sources-json.js';

/** The input of a run: a series per sound chain, every fault, and the chains that are invalid by one. */
export type Input = {
  readonly series: readonly InputSeries[];
  readonly faults: readonly InputFault[];
  readonly invalid: readonly Chain[];
};

/** What to read, and as of when. */
export type InputTerms = {
  readonly folder: InputFolder;
  /** The chains to read; absent: every chain that has a file. */
  readonly chains?: readonly Chain[];
  readonly asOfMs: number;
};

/**
 * Reads an input: `sources.json` and a CSV file per chain, one file at a time.
 * @throws GeneratorError 'usage' when the folder cannot be read or holds no chain that was asked for.
 * @throws StoreError when its bucket cannot be read.
 */
export async function readInput({ folder, chains, asOfMs }: InputTerms): Promise<Input> {
  const names = await folder.list();
  const present = CHAIN_IDS.filter((chain) => names.includes(`${chain}.csv`));
  for (const chain of chains ?? []) {
    if (!present.includes(chain)) {
      throw new GeneratorError('usage', `--chain ${chain}: there is no ${chain}.csv in ${folder.address}`);
    }
  }
  const wanted = present.filter((chain) => chains === undefined || chains.includes(chain));
  const strangers = chains === undefined ? names.filter((name) => isStranger(name)) : [];
  if (wanted.length === 0 && strangers.length === 0) {
    const files = CHAIN_IDS.map((chain) => `${chain}.csv`).join(', ');
    throw new GeneratorError(
      'usage',
      `${folder.address} holds none of ${files}; give the directory of the metrics with --input`,
    );
  }
  const { sources, faults: sourceFaults } = await readSourcesJson(folder);
  const faults: InputFault[] = strangers.map((file) => ({
    file,
    message: 'is not the file of a chain that we know',
    remedy: `rename or remove it; chains are ${CHAIN_IDS.join(', ')}`,
  }));
  faults.push(...sourceFaults.filter((fault) => fault.chain === undefined || wanted.includes(fault.chain)));
  const series: InputSeries[] = [];
  const invalid = new Set<Chain>();
  for (const chain of wanted) {
    const segments = sources[chain];
    const known = faults.some((fault) => fault.file === 'sources.json' && (fault.chain ?? chain) === chain);
    if (segments === undefined && !known) faults.push(missingEntry(chain));
    const result = await readMetricsCsv(folder, chain, asOfMs, segments ?? []);
    faults.push(...result.faults);
    if (segments === undefined || result.series === undefined) invalid.add(chain);
    else series.push(result.series);
  }
  return { series, faults, invalid: [...invalid] };
}

function missingEntry(chain: Chain): InputFault {
  return {
    chain,
    file: 'sources.json',
    message: `no entry for ${chain}`,
    remedy: `add "${chain}": [{"name": "...", "licence": "..."}]`,
  };
}

function isStranger(name: string): boolean {
  return name.toLowerCase().endsWith('.csv') && !CHAIN_IDS.some((chain) => name === `${chain}.csv`);
}
