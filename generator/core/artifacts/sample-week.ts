import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays, weekdayOf } from '../../../schemas/dates.js';
import { SAMPLE_PATHS } from '../../../schemas/release-paths.js';
import type { Chain, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ChainFacts } from './chain-facts.js';
import { WEEK_DAYS } from './week.js';
import { weekEndOf } from './weekly-archive.js';

/** The chain of the sample: it shares most of its columns with the others. */
const PREFERRED: Chain = 'ethereum';

/** Returns the chain whose week is the sample, of the chains that a store lists. It is the same as long as no chain is added. */
export function sampleChainOf(listed: readonly Chain[]): Chain | undefined {
  return listed.includes(PREFERRED) ? PREFERRED : CHAIN_IDS.find((chain) => listed.includes(chain));
}

/**
 * Returns the week of the sample, Monday to Sunday, of a history: the last one of the latest year that is over, so that it
 * changes once a year. A history that has none has its first whole week instead; `undefined` if there is none at all.
 */
export function sampleWeek(first: string, last: string): DateRange | undefined {
  const yearEnd = last.endsWith('-12-31') ? last : `${Number(last.slice(0, 4)) - 1}-12-31`;
  const sunday = weekdayOf(yearEnd) === 'Sun' ? yearEnd : addDays(weekEndOf(yearEnd), -WEEK_DAYS);
  const ofYear = { first: addDays(sunday, 1 - WEEK_DAYS), last: sunday };
  if (ofYear.first >= first) return ofYear;
  const monday = weekdayOf(first) === 'Mon' ? first : addDays(weekEndOf(first), 1);
  const earliest = { first: monday, last: addDays(monday, WEEK_DAYS - 1) };
  return earliest.last <= last ? earliest : undefined;
}

/** A part of a history. Both dates belong to it. */
export type DateRange = { readonly first: string; readonly last: string };

/** The sample of a release, as the pricing page shows it. */
export type PublishedSample = {
  readonly chain: Chain;
  readonly week: DateRange;
  /** The sizes in bytes of its files, by path. */
  readonly sizes: ReadonlyMap<string, number>;
};

/** Returns the sample of a release with these public files, which is of `chain`; `undefined` if it has none. */
export function publishedSample(
  chain: Chain | undefined,
  facts: readonly Pick<ChainFacts, 'chain' | 'days' | 'updatedThrough'>[],
  entries: ReleaseRecord['public'],
): PublishedSample | undefined {
  const found = facts.find((each) => each.chain === chain);
  const sizes = new Map(
    SAMPLE_PATHS.flatMap((path) => {
      const entry = entries[path];
      return entry === undefined ? [] : [[path, entry.bytes] as const];
    }),
  );
  if (chain === undefined || found === undefined || sizes.size === 0) return undefined;
  const {
    days: { available, degraded, missing },
    updatedThrough: last,
  } = found;
  const week = sampleWeek(addDays(last, 1 - available - degraded - missing), last);
  return week === undefined ? undefined : { chain, week, sizes };
}
