import table from '../../../schemas/chart-events.json' with { type: 'json' };
import { CHAINS } from '../../../schemas/catalog.js';
import { toDayNumber } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';

/** An event that charts mark. */
export type ChartEvent = {
  readonly date: string;
  readonly day: number;
  readonly words: string;
  /** Address of a page that reports it. */
  readonly source: string;
};

/** Returns the events of any of some chains, ascending by date. One that is not of all of them names its own. */
export function eventsOf(chains: readonly Chain[]): ChartEvent[] {
  const shown = [...new Set(chains)];
  return table.events.flatMap(({ date, words, source, chains: affected }) => {
    const own = shown.filter((chain) => affected.includes(chain));
    if (own.length === 0) return [];
    const names = own.map((chain) => CHAINS[chain].name).join(', ');
    const named = own.length === shown.length ? words : `${words} (${names})`;
    return [{ date, day: toDayNumber(date), words: named, source }];
  });
}
