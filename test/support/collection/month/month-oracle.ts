import type { MetricName } from '../../../../schemas/types.generated.js';
import { findOutage, dateOf } from './month-sources.js';
import { HISTORY_DAYS, nameOf, type MonthChain, type MonthScript } from './month-script.js';
import { metricsOf, viewCheck, viewMain, type View } from './month-view.js';

/** What must be accepted, by plain loops over the script. */
export type ChainTable = {
  readonly values: Map<number, { [metric in MetricName]?: string }>;
  /** `<day> <metric>` of values that the source now gives otherwise. */
  readonly drifts: Set<string>;
  /** Days without all required values, but for those that could not be read. */
  readonly awaited: Set<number>;
  /** Days with values, by the hour of the month in which they were first accepted. */
  readonly since: Map<number, number>;
  /** Days of which a decision of a person was needed and taken, once for each decision. */
  readonly decided: number[];
};

export const REQUIRED: Readonly<Record<MonthChain, readonly MetricName[]>> = {
  base: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
  ethereum: [
    ...(['tx_count', 'active_addresses', 'fee_median', 'gas_price_mean'] as const),
    ...(['gas_used', 'gas_limit_mean', 'block_count'] as const),
  ],
};
export const FIRST_TRY = { base: 6, ethereum: 2 };
const SETTLING_DAYS = { base: 7, ethereum: 3 };
const QUARTER = 0.25; // each run is at a quarter past the hour

export const createTable = (): ChainTable => ({
  values: new Map(),
  drifts: new Set(),
  awaited: new Set(),
  since: new Map(),
  decided: [],
});

type Accepts = (day: number, metric: MetricName) => boolean;
type Run = {
  readonly script: MonthScript;
  readonly chain: MonthChain;
  readonly hour: number;
  readonly accepts: Accepts;
};

/** Does what a run must do to the table of a chain. */
export function runOracle(table: ChainTable, run: Run): void {
  const { script, chain, hour } = run;
  if (findOutage(script, chain, 'main', hour) !== undefined) return;
  const last = Math.floor((hour - FIRST_TRY[chain]) / 24) - 1;
  const first = Math.max(-HISTORY_DAYS, Math.floor(hour / 24) - 61);
  const known = [...table.values.keys()].filter((day) => day >= first);
  reviseDays(table, run, known);
  for (let day = first; day <= last; day += 1) if (!known.includes(day)) addDay(table, run, day);
  for (const day of table.awaited) if (day < first) table.awaited.delete(day);
}

function addDay(table: ChainTable, run: Run, day: number): void {
  const age = run.hour - (day + 1) * 24;
  const isUnread = viewMain(run.script, run.chain, day, run.hour)?.damaged === true;
  if (isUnread && !table.awaited.has(day)) return;
  const good = goodOf(run, day);
  const isWhole = REQUIRED[run.chain].every((metric) => good[metric] !== undefined);
  if (isWhole) table.awaited.delete(day);
  else table.awaited.add(day);
  if ((!isWhole && age + QUARTER < 12) || metricsOf(good).length === 0) return;
  table.values.set(day, { ...good });
  table.since.set(day, run.hour);
  if (run.accepts(day, 'tx_count')) table.decided.push(day);
}

/** The values of a date that may be accepted: none if its `tx_count` is wrong, not confirmed or contradicted. */
export function goodOf(run: Run, day: number): { [metric in MetricName]?: string } {
  const { script, chain, hour, accepts } = run;
  const view = viewMain(script, chain, day, hour);
  if (view === undefined || view.damaged) return {};
  const { tx_count: count } = view.values;
  if (count !== undefined && !accepts(day, 'tx_count') && !isBelieved(run, day, view, count)) return {};
  const good: { [metric in MetricName]?: string } = {};
  for (const metric of metricsOf(view.values))
    if (!view.wrong.includes(metric)) good[metric] = view.values[metric] ?? '';
  return good;
}

function isBelieved({ script, chain, hour }: Run, day: number, view: View, count: string): boolean {
  if (view.wrong.includes('tx_count')) return false;
  const isDown = findOutage(script, chain, 'check', hour) !== undefined;
  const check = isDown ? undefined : viewCheck(script, chain, day, hour);
  const isJump = script.episodes.get(nameOf(chain, day))?.fault === 'airdrop';
  if (check === undefined || check === '0') return !isJump;
  return Math.abs(Number(count) - Number(check)) / Number(check) <= 0.005;
}

/** Days after which a date is not read again, and its differences are no longer known. */
const READ_AGAIN_DAYS = 60;

function reviseDays(table: ChainTable, run: Run, known: readonly number[]): void {
  const { script, chain, hour, accepts } = run;
  const differing: { day: number; metric: MetricName; to: string; share: number }[] = [];
  const oldest = Math.floor(hour / 24) - READ_AGAIN_DAYS;
  for (const each of table.drifts) if (Number(each.split(' ')[0]) < oldest) table.drifts.delete(each);
  for (const day of known) {
    if (day < oldest) continue;
    const view = viewMain(script, chain, day, hour);
    if (view === undefined || view.damaged) continue;
    const values = table.values.get(day) ?? {};
    for (const metric of metricsOf(view.values)) {
      const [from, to] = [values[metric], view.values[metric] ?? ''];
      const share = Math.abs(Number(to) - Number(from)) / Number(from);
      table.drifts.delete(`${day} ${metric}`);
      if (from !== undefined && from !== to) differing.push({ day, metric, to, share });
    }
    if (table.awaited.has(day)) table.values.set(day, { ...goodOf(run, day), ...values });
    const filled = table.values.get(day) ?? {};
    if (REQUIRED[chain].every((metric) => filled[metric] !== undefined)) table.awaited.delete(day);
  }
  for (const { day, metric, to, share } of differing) {
    const isShift = differing.filter((each) => each.metric === metric).length > 20;
    const isSettling = (hour + QUARTER) / 24 - (day + 1) <= SETTLING_DAYS[chain];
    if (accepts(day, metric)) table.decided.push(day);
    const isTaken = accepts(day, metric) || (!isShift && isSettling && share <= 0.01);
    if (isTaken) table.values.set(day, { ...table.values.get(day), [metric]: to });
    else table.drifts.add(`${day} ${metric}`);
  }
}

const ROWS = new WeakMap<object, string>();

/** Writes the values of a date, which are never changed in place. */
function describeRow(day: number, values: object): string {
  const row = ROWS.get(values) ?? `${dateOf(day)} ${JSON.stringify(Object.entries(values).sort())}`;
  ROWS.set(values, row);
  return row;
}

/** The table as sorted text. */
export function describeTable({ values, drifts, awaited }: ChainTable): string[] {
  const rows = [...values].map(([day, each]) => describeRow(day, each));
  const asks = [...drifts].map((each) => {
    const [day = '', metric = ''] = each.split(' ');
    return `drift ${dateOf(Number(day))} ${metric}`;
  });
  return [...rows.sort(), ...asks.sort(), ...[...awaited].map((day) => `awaited ${dateOf(day)}`).sort()];
}
