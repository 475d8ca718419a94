import { findOutage } from './month-sources.js';
import { MONTH_CHAINS, type Fault, type MonthChain, type MonthScript } from './month-script.js';
import { FIRST_TRY } from './month-oracle.js';

/** What a source does wrong in a run that looks at it. */
export type SeenFault =
  | Fault
  | `${'main' | 'check'} ${'unavailable' | 'shape'}`
  | 'history revised'
  | 'week revised'
  | 'half a page';

/** Returns the faults that a run meets. */
export function faultsIn(script: MonthScript, chain: MonthChain, hour: number): SeenFault[] {
  const isNow = (each: {
    readonly chain: MonthChain;
    readonly from: number;
    readonly until?: number;
  }): boolean => each.chain === chain && hour >= each.from && hour < (each.until ?? Infinity);
  const outages = (['main', 'check'] as const).flatMap((source): SeenFault[] => {
    const code = findOutage(script, chain, source, hour)?.code;
    return code === undefined ? [] : [`${source} ${code}`];
  });
  if (outages.some((each) => each.startsWith('main'))) return outages;
  const faults = [...script.episodes.values()]
    .filter(({ chain: on, day, from, until }) => {
      const age = hour - (day + 1) * 24;
      return on === chain && age >= Math.max(from, FIRST_TRY[chain]) && age < until;
    })
    .map(({ fault }) => fault);
  return [
    ...outages,
    ...faults,
    ...(script.shifts.some(isNow) ? (['history revised'] as const) : []),
    ...(script.weeks.some(isNow) ? (['week revised'] as const) : []),
    ...(script.cuts.some(isNow) ? (['half a page'] as const) : []),
  ];
}

/** The faults that must happen on each chain, any of a row. */
const NEEDED: readonly (readonly SeenFault[])[] = [
  ['late-metric'],
  ['late-day'],
  ['zeros', 'zero-metric'],
  ['repeat', 'gaps'],
  ['x10'],
  ['airdrop'],
  ['check-half', 'check-zero'],
  ['large'],
  ['small'],
  ['week revised'],
  ['history revised'],
  ['main unavailable'],
  ['main shape'],
  ['half'],
  ['damaged'],
  ['half a page'],
];

/** Returns the faults that never happened. `seen` has the others by chain, such as `base half`. */
export function findUnseen(seen: ReadonlySet<string>): string[] {
  return MONTH_CHAINS.flatMap((chain) =>
    NEEDED.filter((faults) => !faults.some((fault) => seen.has(`${chain} ${fault}`))).map(
      (faults) => `${chain}: ${faults.join(' or ')}`,
    ),
  );
}
