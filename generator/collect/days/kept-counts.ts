import { collectedKey } from '../../../schemas/paths.js';
import type { LedgerLine } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { CollectedDay } from '../../core/collection/values/collected-day.js';
import type { Lineage } from '../../core/collection/ledger/lineage.js';
import { readByDigest } from '../../state/stored-json.js';

type Counts = CollectedDay['counts'];

/** The counts of accepted dates of a chain. */
type CountsReader = {
  /** Returns the counts that a source gave on a date; `undefined` if nothing of it was accepted. */
  readonly countsOf: (source: string, date: string) => Promise<Counts | undefined>;
  /** Keeps the counts of lineages that are not in the store yet. */
  readonly keep: (date: string, lineages: readonly Lineage[]) => void;
};

/** Reads counts from the lineages that the lines of a ledger name. */
export function createCountsReader(store: ObjectStore, lines: readonly LedgerLine[]): CountsReader {
  const nameOf = (source: string, date: string): string => `${date} ${source}`;
  const digests = new Map(lines.map(({ source, date, lineage }) => [nameOf(source, date), lineage]));
  const kept = new Map<string, Counts>();
  return {
    async countsOf(source, date) {
      const name = nameOf(source, date);
      const digest = digests.get(name);
      const known = kept.get(name);
      if (known !== undefined || digest === undefined) return known;
      const counts = parseCounts(
        Buffer.from(await readByDigest(store, collectedKey(digest), digest)).toString('utf8'),
      );
      kept.set(name, counts);
      return counts;
    },
    keep(date, lineages) {
      for (const { source, text } of lineages) kept.set(nameOf(source, date), parseCounts(text));
    },
  };
}

function parseCounts(lineage: string): Counts {
  return (JSON.parse(lineage) as Pick<CollectedDay, 'counts'>).counts; // its digest is that of a text that toLineage wrote
}
