import { CHAINS } from '../../../schemas/catalog.js';
import { regimesPath } from '../../../schemas/paths.js';
import type { LabelHistory, LevelShare, RegimesToYear } from '../../../schemas/types.generated.js';
import type { LabelStatistics } from '../artifacts/regimes.js';
import {
  capitalized,
  count,
  countWords,
  dateWords,
  joinWords,
  numberWords,
  plural,
  shareWords,
  signalWords,
} from '../../../schemas/words.js';
import { toCell } from './page.js';

/** The quantities to show: of each group, the one that could be compared on most days. */
const GROUPS: readonly (readonly string[])[] = [
  ['fees_total'],
  ['fee_mean', 'gas_price_mean', 'fee_median'],
  ['tx_count'],
];

/** Returns the values of the section of a chain's page about what each label has meant. */
export function labelHistory(statistics: LabelStatistics): object {
  const { chain, labelled, labels, transitions, first_date: first, updated_through: last } = statistics;
  const path = regimesPath(chain);
  const extent = `${dateWords(first)} to ${dateWords(last)}`;
  const lead = `${count(labelled.days, 'day')} from ${extent} ${plural(labelled.days, 'has', 'have')} a label.`;
  if (labelled.days === 0) return { path, lead: `No day from ${extent} has a label.`, tables: [] };
  const quantities = shownQuantities(labelled.to_year);
  const occurred = labels.filter(({ days }) => days > 0);
  const table = {
    year: countWords(statistics.trailing_year.days),
    fewest: countWords(statistics.min_days),
    heads: quantities.map(quantityWords),
    rows: occurred.map((row) => toRow(row, quantities)),
    all: toRow({ ...labelled, label: 'All with a label', share: 1 }, quantities),
    notes: [currentRunNote(statistics), ...levelNotes(statistics)],
    followed: occurred
      .filter(({ ended_runs: ended }) => ended > 0)
      .map(({ label, ended_runs: runs }) => ({
        label,
        runs: countWords(runs),
        next: transitions
          .filter(({ from }) => from === label)
          .sort((one, other) => other.runs - one.runs)
          .map(
            ({ to, runs: times }, i, { length }) => `${to} ${countWords(times)}${i + 1 < length ? ',' : ''}`,
          ),
      })),
  };
  return { path, lead, tables: [table] };
}

/** Returns the quantities of the table, from left to right. A quantity without any compared day is left out. */
function shownQuantities(ratios: RegimesToYear): string[] {
  return GROUPS.flatMap((group) => {
    const daysOf = (quantity: string): number => ratios[quantity]?.days ?? 0;
    const [most] = group
      .filter((quantity) => daysOf(quantity) > 0)
      .sort((one, other) => daysOf(other) - daysOf(one));
    return most === undefined ? [] : [most];
  });
}

function quantityWords(quantity: string): string {
  return capitalized(quantity === 'fees_total' ? 'all fees' : signalWords(quantity));
}

type CountedDays = Pick<LabelHistory, 'days' | 'share' | 'runs' | 'run_length' | 'to_year'>;

function toRow(
  { label, days, share, runs, run_length: length, to_year: ratios }: CountedDays & { readonly label: string },
  quantities: readonly string[],
): object {
  return {
    label,
    days: countWords(days),
    share: toCell(share, shareWords),
    runs: countWords(runs),
    median: toCell(length?.median, numberWords),
    longest: toCell(length?.longest, countWords),
    ratios: quantities.map((quantity) => {
      const { median, days: compared } = ratios[quantity] ?? { median: null, days: 0 };
      const isShown = median !== null && label !== 'indeterminate';
      return {
        median: toCell(isShown ? median : null, numberWords),
        days: isShown && compared !== days ? [count(compared, 'day')] : [],
      };
    }),
  };
}

function currentRunNote({ current_run: { label, since } }: LabelStatistics): string {
  return `The current run, ${label} since ${dateWords(since)}, counts among the days and runs. Its length does not count, because it may not have ended.`;
}

/** Returns how often each level occurred, and why the shares of the levels differ. */
function levelNotes({ chain, labelled: { demand, pressure, to_year: ratios } }: LabelStatistics): string[] {
  const use = ratios['tx_count']?.median ?? null;
  const example =
    use === null
      ? ''
      : ` On the median day, ${CHAINS[chain].name} had ${numberWords(use)} times the transactions of its trailing-year median.`;
  return [
    `Of the days with a label, demand has been ${levelWords(demand)}, and pressure ${levelWords(pressure)}.`,
    `Each day is compared with the chain's own last year. A chain that grows for years is above its last year on most days, and its demand is high on most days; a chain that shrinks is below.${example}`,
  ];
}

function levelWords(levels: readonly LevelShare[]): string {
  return joinWords(
    levels.map(({ level, days, share }) => `${level} on ${shareWords(share ?? 0)} (${count(days, 'day')})`),
  );
}
