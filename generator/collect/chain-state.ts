import type { AwaitedDate, ChainState, Drift } from '../../schemas/types.generated.js';
import type { Part } from './policy/chain-plan.js';

export const EMPTY_STATE: ChainState = { marks: {}, awaited: [], drifts: [], checks: {} };

/** Number of dates of which the values of a check are kept, for its usual ratio. */
const CHECKED_DATES = 60;

/**
 * Returns the state without what is older than `oldest`, and of checks with the last dates only, in one order whatever the
 * order of its changes was.
 */
export function pruneState(
  { marks, awaited, drifts, checks, decisions, ...rest }: ChainState,
  oldest: string,
): ChainState {
  const kept = (decisions ?? [])
    .filter(({ date }) => date >= oldest)
    .sort((a, b) => byDate(a, b) || (a.metric < b.metric ? -1 : 1));
  return {
    ...rest,
    ...(kept.length === 0 ? {} : { decisions: kept }),
    marks: mapSources(marks, (dates) => dates.filter(([date]) => date >= oldest)),
    awaited: awaited.filter(({ date }) => date >= oldest).sort(byDate),
    drifts: drifts
      .filter(({ date }) => date >= oldest)
      .sort((a, b) => byDate(a, b) || (a.metric < b.metric ? -1 : 1)),
    checks: mapSources(checks, (dates) => dates.slice(-CHECKED_DATES)),
  };
}

/** Returns the state of a chain that is no longer collected: nothing is awaited. */
export function withoutPlan({ schedule, basis, ...state }: ChainState): ChainState {
  return { ...state, awaited: [] };
}

/** Returns the state without the differences of sources that the chain takes nothing from. */
export function withoutDeparted(state: ChainState, parts: readonly Part[]): ChainState {
  const names = parts.map(({ source }) => source.facts.id);
  return { ...state, drifts: state.drifts.filter(({ source }) => names.includes(source)) };
}

/**
 * Returns the state without the marks of the dates that are awaited after one of which a person accepted something, so that
 * they are judged again by what was accepted.
 */
export function withoutLaterMarks(state: ChainState, decided: ReadonlySet<string>): ChainState {
  const [first] = [...decided].sort();
  if (first === undefined) return state;
  const later = state.awaited.filter(({ date }) => date > first).map(({ date }) => date);
  return {
    ...state,
    marks: mapSources(state.marks, (dates) => dates.filter(([date]) => !later.includes(date))),
  };
}

type Dated<T> = { [source: string]: { [date: string]: T } };

/** Selects the dates of each source. Sources without a date are dropped. */
function mapSources<T>(sources: Dated<T>, select: (dates: [string, T][]) => [string, T][]): Dated<T> {
  const selected = Object.entries(sources)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, dates]) => {
      const ascending = Object.entries(dates).sort(([a], [b]) => (a < b ? -1 : 1));
      return [source, Object.fromEntries(select(ascending))] as const;
    });
  return Object.fromEntries(selected.filter(([, dates]) => Object.keys(dates).length > 0));
}

function byDate(a: { readonly date: string }, b: { readonly date: string }): number {
  return a.date < b.date ? -1 : Number(a.date > b.date);
}

/** Returns the differences of a state that an earlier one does not have. */
export function findNewDrifts(
  before: Pick<ChainState, 'drifts'>,
  { drifts }: Pick<ChainState, 'drifts'>,
): Drift[] {
  const keyOf = ({ date, metric, to }: Drift): string => `${date} ${metric} ${to}`;
  const known = new Set(before.drifts.map(keyOf));
  return drifts.filter((each) => !known.has(keyOf(each)));
}

/** Returns the state with the mark of the data of a date that were read. */
export function withMark(state: ChainState, source: string, date: string, mark: string): ChainState {
  return { ...state, marks: { ...state.marks, [source]: { ...state.marks[source], [date]: mark } } };
}

/** Returns the state without the mark of a date, whose data are then read again. */
export function withoutMark(state: ChainState, source: string, date: string): ChainState {
  const { [source]: marks = {} } = state.marks;
  if (marks[date] === undefined) return state;
  const { [date]: _read, ...others } = marks;
  return { ...state, marks: { ...state.marks, [source]: others } };
}

/** Returns the state in which a date is awaited, since it was first awaited; `undefined`: nothing of the date is. */
export function withAwaited(
  state: ChainState,
  date: string,
  entry: Omit<AwaitedDate, 'date' | 'since'> | undefined,
  now: string,
): ChainState {
  const others = state.awaited.filter((each) => each.date !== date);
  if (entry === undefined) return { ...state, awaited: others };
  const since = state.awaited.find((each) => each.date === date)?.since ?? now;
  return { ...state, awaited: [...others, { date, since, ...entry }] };
}

/** Returns the state with the differences found on a date, each since it was first found. */
export function withDrifts(
  state: ChainState,
  date: string,
  found: readonly Omit<Drift, 'date' | 'since'>[],
  now: string,
): ChainState {
  const others = state.drifts.filter((each) => each.date !== date);
  const drifts = found.map((each) => {
    const known = state.drifts.find(
      ({ date: on, metric, to }) => on === date && metric === each.metric && to === each.to,
    );
    return { date, since: known?.since ?? now, ...each };
  });
  return { ...state, drifts: [...others, ...drifts] };
}
