import { COLLECTION_KEY, lineageManifestPath } from '../../schemas/paths.js';
import type { NewLineages } from '../core/draft/lineage-draft.js';
import { GeneratorError } from '../core/generator-error.js';
import type { PublishedState } from '../core/release/published-state.js';
import { readLedgers, readNewLineages } from '../input/collected-ledgers.js';
import type { InputFolder } from '../input/input-folder.js';
import type { RecordedLines } from './accept-recorded.js';

/** The documents of a collection beside its metrics. */
export type CollectedInput = {
  /** The ledgers whose recorded changes are accepted; absent to accept none of them. */
  readonly recorded?: RecordedLines;
  /** Reads the lineages that are not published yet. */
  readonly readLineages?: (state: PublishedState | undefined) => Promise<readonly NewLineages[]>;
};

/**
 * Reads what a collection has beside its metrics; nothing of a folder that `generator collect` does not keep.
 * @throws GeneratorError 'usage' if its changes are to be accepted, but it is none; 'damaged' for a damaged ledger.
 */
export async function readCollectedInput(
  folder: InputFolder,
  { acceptCollected = false }: { readonly acceptCollected?: boolean },
): Promise<CollectedInput> {
  const pointer = folder.collection?.();
  if (pointer !== undefined) {
    const ledgers = await readLedgers(folder, pointer);
    return {
      ...(acceptCollected ? { recorded: ledgers } : {}),
      readLineages: (state) =>
        readNewLineages(folder, ledgers, (chain) => state?.manifests.get(lineageManifestPath(chain))),
    };
  }
  if (!acceptCollected) return {};
  throw new GeneratorError(
    'usage',
    `--accept-collected needs an input written by generator collect, but ${folder.address} has no ${COLLECTION_KEY}. Omit the option, or use --accept-restatements "<reason>" to accept changes by hand.`,
    { next: (args) => args.filter((arg) => arg !== '--accept-collected') },
  );
}
