import { addDays } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Chain, ChainState } from '../../../schemas/types.generated.js';
import type { Source } from '../../sources/source.js';
import type { DayReader } from './day-reader.js';

/** Returns whether the blocks of a date depend on those of the next one. On most chains a day begins where the last one ended. */
export function usesNextDate(chain: Chain): boolean {
  return chain === 'bitcoin';
}

type Marks = Pick<DayReader, 'markOf' | 'hasFailed'>;

/**
 * Returns the mark of a date that is not whole. It changes with the data of the dates around it too, because those may be
 * what is broken; `undefined` if one of them could not be read.
 */
export function markBetween(
  { markOf, hasFailed }: Marks,
  chain: Chain,
  source: Source,
  date: string,
): string | undefined {
  const dates = [date, addDays(date, -1), ...(usesNextDate(chain) ? [addDays(date, 1)] : [])];
  if (dates.some((each) => hasFailed(source, each))) return undefined;
  return sha256Hex(JSON.stringify(dates.map((each) => markOf(source, each) ?? null)));
}

/** Returns whether a source has other data of a date than those that were read. */
export function hasNewData(
  reader: Marks,
  chain: Chain,
  source: Source,
  date: string,
  { marks }: Pick<ChainState, 'marks'>,
): boolean {
  const mark = reader.markOf(source, date);
  const kept = marks[source.facts.id]?.[date];
  if (mark === undefined || mark === kept) return false;
  return kept === undefined || markBetween(reader, chain, source, date) !== kept;
}
