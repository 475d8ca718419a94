import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { manifestPath } from '../../../schemas/paths.js';
import { SAMPLE_PATHS } from '../../../schemas/release-paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { FileTemplate, ReleaseStamp } from '../artifacts/artifact.js';
import type { ChainState } from '../draft/chain-state.js';
import { sampleChainOf } from '../artifacts/sample-week.js';
import { type SettledFile, settleFile } from '../draft/settle-file.js';
import type { PublishedState } from './plan-types.js';

/** Options for the sample of a release. */
type SampleOptions = {
  readonly previous: PublishedState | undefined;
  readonly stamp: ReleaseStamp;
  readonly changed: readonly { readonly state: ChainState }[];
};

/** Returns the chain of the sample, if there is one, and the files that are made again because it changes. */
export function settleSample(options: SampleOptions): {
  readonly chain: Chain | undefined;
  readonly files: readonly SettledFile[];
} {
  const { previous, stamp } = options;
  const files = renewedFiles(options) ?? [];
  return {
    chain: chainOf(options),
    files: files.map((file) => settleFile(file, previous?.record, stamp)),
  };
}

/** Returns the paths of the sample if its files are made again: those that are not among them are no longer published. */
export function renewedSamplePaths(options: SampleOptions): readonly string[] {
  return renewedFiles(options) === undefined ? [] : SAMPLE_PATHS;
}

function renewedFiles(options: SampleOptions): readonly FileTemplate[] | undefined {
  const chain = chainOf(options);
  const sample = options.changed.find(({ state }) => state.chain === chain)?.state.sample;
  return sample === undefined || sample === 'kept' ? undefined : sample.files;
}

/** A chain keeps its manifests when all its dates are withdrawn, so that the sample never passes to an unchanged chain. */
function chainOf({ previous, changed }: SampleOptions): Chain | undefined {
  const isListed = (chain: Chain): boolean =>
    changed.some(({ state }) => state.chain === chain) ||
    previous?.record.manifests[manifestPath('meta', chain)] !== undefined;
  return sampleChainOf(CHAIN_IDS.filter(isListed));
}
