import type { Chain } from '../../../schemas/types.generated.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { CollectedDay, DayValues } from '../../../generator/core/collection/day-values.js';
import type { Source, SourceFacts } from '../../../generator/sources/source.js';

/** A source in memory. */
export type MemorySource = Source & {
  /** The dates that were read, in their order. */
  readonly reads: string[];
};

const TERMS: Omit<SourceFacts, 'id' | 'name'> = {
  url: 'https://example.com',
  licence: 'CC0',
  resale: 'yes',
  attribution: null,
  definitions: [],
  completeFrom: '00:00',
  settlingDays: 7,
  requestsPerMinute: 60,
};

/** Creates a source of the values of `days`, which a test may change at any time. The counts of each date are `countsOf`. */
export function createMemorySource(
  days: ReadonlyMap<string, DayValues>,
  id = 'files',
  countsOf: (chain: Chain, date: string) => CollectedDay['counts'] = () => ({}),
): MemorySource {
  const reads: string[] = [];
  const facts: SourceFacts = { id, name: id, ...TERMS };
  return {
    reads,
    facts,
    days: (chain, { first, last }) =>
      Promise.resolve(
        new Map(
          [...days]
            .filter(([date]) => date >= first && date <= last)
            .map(([date, values]) => [date, sha256Hex(JSON.stringify([values, countsOf(chain, date)]))]),
        ),
      ),
    day: (chain, date) => {
      reads.push(date);
      return Promise.resolve({
        chain,
        date,
        values: days.get(date) ?? {},
        counts: countsOf(chain, date),
        evidence: { kind: 'responses', responses: [] },
      });
    },
    probe: () => Promise.resolve([]),
  };
}
