import type { MetricName } from '../../../../schemas/types.generated.js';
import { createRandom, pick } from '../../random/seeded.js';

/** The chains of a month: base without raw counts, ethereum with them. */
export const MONTH_CHAINS = ['base', 'ethereum'] as const;
export type MonthChain = (typeof MONTH_CHAINS)[number];

/** Dates before and in the month, by number; number 0 is the first date of the month. */
export const HISTORY_DAYS = 32;
export const MONTH_DAYS = 31;

/** What a source does to a date. The values of those in `WRONG` are never right. */
export type Fault =
  | 'late-metric'
  | 'late-day'
  | 'half'
  | 'x10'
  | 'zeros'
  | 'zero-metric'
  | 'repeat'
  | 'gaps'
  | 'damaged'
  | 'small'
  | 'large'
  | 'airdrop'
  | 'check-half'
  | 'check-zero';

/** A fault of a date, between two hours after the end of the date. */
export type Episode = {
  readonly chain: MonthChain;
  readonly day: number;
  readonly fault: Fault;
  readonly from: number;
  readonly until: number;
  readonly metric: MetricName;
  /** Hours after the end of an airdrop day at which the check source has it. */
  readonly confirmed: number;
  /** Hour of the month from which a person accepts `tx_count` of the date, if the collection asks for it. */
  readonly decided: number;
};

/** Hours of the month in which a source does not answer as expected. */
export type Outage = {
  readonly chain: MonthChain;
  readonly source: 'main' | 'check';
  readonly code: 'unavailable' | 'shape';
  readonly from: number;
  readonly until: number;
};

export type MonthScript = {
  readonly seed: number;
  readonly episodes: ReadonlyMap<string, Episode>;
  readonly outages: readonly Outage[];
  /** Hours of the month in which the whole history of `tx_count` is another. */
  readonly shifts: readonly Span[];
  /** Hours of the month from which `tx_count` of the week before is another. */
  readonly weeks: readonly { readonly chain: MonthChain; readonly from: number }[];
  /** Hours of the month in which the main source offers only dates of more than a week ago, as if a page were missing. */
  readonly cuts: readonly Span[];
};

type Span = { readonly chain: MonthChain; readonly from: number; readonly until: number };

export const nameOf = (chain: MonthChain, day: number): string => `${chain} ${day}`;

const NEVER = Infinity;
type Draft = Pick<Episode, 'fault'> & Partial<Episode>;

/** One of each fault for each chain, on drawn dates; no two dates with faults follow each other. */
const drafts = (chain: MonthChain, random: () => number): readonly Draft[] => {
  const within = (from: number, until: number): number => from + Math.floor(random() * (until - from));
  const metric = pick(['fee_median', 'active_addresses'] as const, random);
  return [
    { fault: 'late-metric', until: within(8, 12), metric: 'tx_count' },
    { fault: 'late-metric', until: within(20, 70), metric },
    { fault: 'late-day', until: within(30, 90) },
    { fault: 'half', until: pick([9, 40], random) },
    { fault: 'x10', until: pick([9, 40], random) },
    pick<Draft>(
      [
        { fault: 'zeros', until: within(9, 30) },
        { fault: 'repeat', until: within(9, 30) },
      ],
      random,
    ),
    { fault: 'zero-metric', until: within(9, 30), metric },
    chain === 'ethereum'
      ? { fault: 'gaps', until: within(9, 30) }
      : { fault: 'repeat', until: within(9, 30) },
    { fault: 'damaged', until: within(9, 60) },
    { fault: 'small', from: within(20, 60), until: NEVER },
    {
      fault: 'large',
      from: within(20, 200),
      until: pick([NEVER, 230], random),
      decided: pick([0, NEVER], random),
    },
    { fault: 'half', from: within(30, 100), until: 110 },
    { fault: 'airdrop', until: NEVER, confirmed: within(8, 20) },
    { fault: 'airdrop', until: NEVER, confirmed: NEVER, decided: within(8, 30) },
    { fault: pick<Fault>(['check-half', 'check-zero'], random), until: within(8, 12) },
  ];
};

/** Draws a month. */
export function drawMonth(seed: number): MonthScript {
  const random = createRandom(seed);
  const episodes = new Map<string, Episode>();
  const add = (chain: MonthChain, day: number, { decided, ...draft }: Draft): void => {
    const end = (day + 1) * 24;
    const decision = decided === undefined ? NEVER : end + (draft.from ?? 0) + Math.max(decided, 3);
    episodes.set(nameOf(chain, day), {
      chain,
      day,
      from: 0,
      until: NEVER,
      metric: 'tx_count',
      confirmed: NEVER,
      decided: decision,
      ...draft,
    });
  };
  for (const chain of MONTH_CHAINS) {
    const days = shuffle(
      Array.from({ length: 15 }, (_, i) => 2 * i),
      random,
    );
    drafts(chain, random).forEach((draft, i) => add(chain, days[i] ?? 0, draft));
    const old = -3 - 2 * Math.floor(random() * 8);
    add(chain, old, { fault: 'small', from: 24 * 20 }); // after its settling window
  }
  const outages = drawOutages(random);
  const shifts = drawShifts(random, episodes);
  const weeks = MONTH_CHAINS.flatMap((chain) =>
    pickCalmDay(random, episodes, chain, 9).map((day) => ({ chain, from: day * 24 + 14 })),
  );
  const cuts = MONTH_CHAINS.map((chain) => drawCut(random, outages, chain));
  return { seed, episodes, outages, shifts, weeks, cuts };
}

function drawOutages(random: () => number): Outage[] {
  return MONTH_CHAINS.flatMap((chain) =>
    Array.from({ length: 8 }, (_, i): Outage => {
      const from = Math.floor(random() * MONTH_DAYS * 24);
      const code = i % 3 === 0 ? 'shape' : 'unavailable';
      return {
        chain,
        source: i % 4 === 3 ? 'check' : 'main',
        code,
        from,
        until: from + 2 + Math.floor(random() * 9),
      };
    }),
  );
}

/** Half a page is missing on a morning on which the source answers. */
function drawCut(
  random: () => number,
  outages: MonthScript['outages'],
  chain: MonthChain,
): MonthScript['cuts'][number] {
  const mornings = Array.from({ length: 20 }, (_, i) => (i + 5) * 24).filter((hour) =>
    outages.every((each) => each.chain !== chain || each.until <= hour || each.from >= hour + 12),
  );
  const morning = pick(mornings, random);
  return {
    chain,
    from: morning + Math.floor(random() * 3),
    until: morning + 9 + Math.floor(random() * 3),
  };
}

function drawShifts(random: () => number, episodes: MonthScript['episodes']): MonthScript['shifts'] {
  return MONTH_CHAINS.flatMap((chain) =>
    pickCalmDay(random, episodes, chain, 2).map((day) => {
      const from = day * 24 + 14;
      return { chain, from, until: from + 6 + Math.floor(random() * 12) };
    }),
  );
}

/** Picks a day from `first` on which history may change, because no date repeats another one; none if there is no such day. */
function pickCalmDay(
  random: () => number,
  episodes: MonthScript['episodes'],
  chain: MonthChain,
  first: number,
): number[] {
  const free = Array.from({ length: MONTH_DAYS - 3 - first }, (_, i) => i + first).filter((day) =>
    [0, 1, 2, 3].every((i) => episodes.get(nameOf(chain, day - i))?.fault !== 'repeat'),
  );
  return free.length === 0 ? [] : [pick(free, random)];
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
