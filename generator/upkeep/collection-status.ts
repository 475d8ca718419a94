import { byChain } from '../../schemas/catalog.js';
import { addDays, endOfDayMs, toDate, toDayNumber, toInstant } from '../../schemas/dates.js';
import { COLLECTION_KEY } from '../../schemas/paths.js';
import type { AwaitedDate, Chain, ChainState, Drift } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { EMPTY_STATE, readCollection } from '../collect/collection-store.js';
import { deadlineMs } from '../core/collection/judge-day.js';
import { datesOf } from '../core/collection/ledger.js';
import { GeneratorError } from '../core/generator-error.js';
import { readStoredJson } from '../state/stored-json.js';

const HOUR_MS = 3_600_000;

/** State of a collection at the current time: `collection` in the document of `status --json`. */
export type CollectionStatus = {
  readonly address: string;
  /** Number of the collection in force, and the time of the run that committed it. */
  readonly sequence: number;
  readonly as_of: string;
  readonly chains: { readonly [chain in Chain]?: CollectedChain };
};

export type CollectedChain = {
  /** Newest date with accepted values; null if there is none. */
  readonly through: string | null;
  /** Seconds since the deadline of the date after `through`, 0 before it; null for a chain without an accepted value or without a schedule. */
  readonly late_seconds: number | null;
  /** The dates that lack a required metric, ascending. `missing` is empty for a date that no collection has read yet. */
  readonly awaited: readonly AwaitedDate[];
  /** The differences that a person must judge, each with the command that accepts it. */
  readonly drifts: readonly (Drift & { readonly accept: string })[];
};

/** Formats the command that accepts the value that a source has now. */
type FormatAcceptDrift = (address: string, chain: Chain, drift: Drift) => string;

/**
 * Reads what a collection has and awaits.
 * @throws GeneratorError 'usage' for an address without a collection, 'damaged'.
 */
export async function inspectCollection(
  store: ObjectStore,
  options: {
    readonly nowMs: number;
    readonly chains: readonly Chain[];
    readonly formatAccept: FormatAcceptDrift;
  },
): Promise<CollectionStatus> {
  const { nowMs, chains, formatAccept } = options;
  const pointer = await readStoredJson(store, COLLECTION_KEY, 'collection');
  if (pointer === undefined) {
    throw new GeneratorError(
      'usage',
      `${store.address} has no ${COLLECTION_KEY}. Use the address of "generator collect --into".`,
    );
  }
  const { sequence, ledgers, states } = await readCollection(store);
  const { address } = store;
  return {
    address,
    sequence,
    as_of: pointer.value.as_of,
    chains: byChain((chain) => {
      const [lines, state] = [ledgers.get(chain), states.get(chain)];
      if (!chains.includes(chain) || (lines === undefined && state === undefined)) return undefined;
      const through = datesOf(lines ?? []).at(-1)?.date ?? null;
      const known = toCollectedChain(through, state ?? EMPTY_STATE, nowMs);
      const drifts = known.drifts.map((each) => ({ ...each, accept: formatAccept(address, chain, each) }));
      return { ...known, drifts };
    }),
  };
}

/** Returns what a chain has and awaits at a time, also what no collection has looked at although it is due. */
export function toCollectedChain(
  through: string | null,
  { awaited, drifts, schedule }: ChainState,
  nowMs: number,
): Omit<CollectedChain, 'drifts'> & Pick<ChainState, 'drifts'> {
  const read = awaited.map((each) => ({ ...each, overdue: nowMs >= Date.parse(each.until) }));
  if (through === null || schedule === undefined)
    return { through, late_seconds: null, awaited: read, drifts };
  const unread = datesDue(through, schedule, nowMs)
    .filter((date) => !read.some((each) => each.date === date))
    .map((date) => toUnread(date, schedule, nowMs));
  const lateMs = nowMs - deadlineMs(addDays(through, 1), schedule.deadline_hours);
  return {
    through,
    late_seconds: Math.max(0, Math.floor(lateMs / 1000)),
    drifts,
    awaited: [...read, ...unread].sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
}

type Schedule = NonNullable<ChainState['schedule']>;

/** Returns the dates after `through` whose first try is due, ascending. */
function datesDue(through: string, schedule: Schedule, nowMs: number): string[] {
  const first = toDayNumber(through) + 1;
  const dates: string[] = [];
  for (let day = first; firstTryMs(day, schedule) <= nowMs; day += 1) dates.push(toDate(day));
  return dates;
}

function firstTryMs(dayNumber: number, { first_try_hours: hours }: Schedule): number {
  return endOfDayMs(dayNumber) + hours * HOUR_MS;
}

function toUnread(date: string, schedule: Schedule, nowMs: number): AwaitedDate {
  const untilMs = deadlineMs(date, schedule.deadline_hours);
  return {
    date,
    since: toInstant(firstTryMs(toDayNumber(date), schedule)),
    until: toInstant(untilMs),
    overdue: nowMs >= untilMs,
    missing: [],
    sources: [schedule.source],
    withheld: {},
    reasons: [
      'No collection has read it yet: the next one is still to come, or its source fails, as the report of the last run says.',
    ],
  };
}
