import table from '../../../schemas/chart-events.json' with { type: 'json' };
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

/** Returns the events of any of some chains, ascending by date. */
export function eventsOf(chains: readonly Chain[]): ChartEvent[] {
  return table.events
    .filter((event) => chains.some((chain) => event.chains.includes(chain)))
    .map(({ date, words, source }) => ({ date, day: toDayNumber(date), words, source }));
}
