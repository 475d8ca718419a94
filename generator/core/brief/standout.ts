import { CHAINS, METRICS, metricsOf } from '../../../schemas/catalog.js';
import type { Extreme, Level, MetricName } from '../../../schemas/types.generated.js';
import { capitalized, joinWords, rankWords, signalWords } from '../../../schemas/words.js';
import type { ClaimValue, DayRecords, Narrator, Stated } from './narrator.js';

/** A quantity in sentences: the words before its name, and whether the name is a plural. */
type Subject = { readonly article?: string; readonly isPlural?: true; readonly family: string };

/** The metrics and ratios in sentences. Those of a family move together, so that one move stands for all. */
const SUBJECTS: Readonly<Record<MetricName | 'fee_mean' | 'utilization', Subject>> = {
  tx_count: { isPlural: true, family: 'transactions' },
  active_addresses: { isPlural: true, family: 'addresses' },
  new_addresses: { isPlural: true, family: 'addresses' },
  transfer_count: { isPlural: true, family: 'transactions' },
  failed_tx_count: { isPlural: true, family: 'failures' },
  block_count: { article: 'the number of', family: 'blocks' },
  block_weight: { article: 'total', family: 'space' },
  block_size: { article: 'total', family: 'space' },
  gas_used: { family: 'space' },
  gas_limit_mean: { article: 'the', family: 'limit' },
  gas_price_mean: { article: 'the', family: 'cost' },
  fees_total: { isPlural: true, family: 'cost' },
  fee_median: { article: 'the', family: 'cost' },
  l1_fees_total: { isPlural: true, family: 'settlement' },
  hash_rate: { article: 'the', family: 'blocks' },
  difficulty: { family: 'difficulty' },
  issuance: { family: 'blocks' },
  fee_mean: { article: 'the', family: 'cost' },
  utilization: { family: 'space' },
};

type Name = keyof typeof SUBJECTS;

/** Returns the name of a quantity in a sentence: `fees`, `the median fee`. */
function nameOf(name: Name): string {
  const { article } = SUBJECTS[name];
  const words = name === 'fee_mean' || name === 'utilization' ? signalWords(name) : METRICS[name].words;
  return article === undefined ? words : `${article} ${words}`;
}

/** Something extreme about the day. The largest `size` is the most remarkable. */
export type StandOut = {
  readonly size: number;
  /** True if a brief must say it. */
  readonly isRecord: boolean;
  readonly quantities: readonly string[];
  readonly sentence: readonly Stated[];
  readonly headline: readonly Stated[];
  /** The same about the quantities for which the headline has no room. */
  readonly rest: readonly Stated[];
};

/**
 * Returns the extremes of the day as sentences, the most remarkable first. Quantities with the same rank share one.
 * `hasValues` is false if the brief has no room for the values of the quantities.
 */
export function extremesOf(narrator: Narrator, hasValues: boolean): StandOut[] {
  const ranked = narrator.records.derived.extremes;
  const names = [...new Set(ranked.map(({ quantity }) => quantity as Name))]; // a metric or ratio that is ranked
  const places = names.map((name) => placeOf(name, ranked, narrator)).sort((a, b) => b.size - a.size);
  const dates = new Map(places.flatMap(({ form, kind, since }) => (form === 'since' ? [[since, kind]] : [])));
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const { form, kind, rank, since } = place;
    const isDated = form === 'both' || (form === 'since' && dates.size <= MOST_DATES);
    const key = [form, kind, rank, isDated ? since : ''].join();
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  return [...groups.values()].map((group) => standOutOf(group, narrator, hasValues));
}

/** Maximum number of dates since when quantities were not as extreme. With more, a brief says that it is more than a year. */
const MOST_DATES = 3;

/** What a brief says about the extremes of one quantity, with the index of the entry that it refers to. */
type Place = {
  readonly name: Name;
  readonly form: 'history' | 'both' | 'since' | 'year';
  readonly kind: Extreme['kind'];
  readonly rank: number;
  readonly since: string | null;
  readonly entry: number;
  readonly size: number;
};

/** How much each form counts. A rank within the year counts least. */
const WEIGHTS = { history: 2, both: 2.5, since: 1.5, year: 0.5 } as const;
const RECORD_WEIGHT = 3;

function placeOf(name: Name, ranked: readonly Extreme[], narrator: Narrator): Place {
  const at = (window: Extreme['window']): number =>
    ranked.findIndex((each) => each.quantity === name && each.window === window);
  const [history, year] = [ranked[at('history')], ranked[at('365d')]];
  const kind = (history ?? year)?.kind ?? 'highest';
  const surprise = surpriseOf(name, narrator);
  const place = (form: Place['form'], { rank, last_reached: since }: Extreme, entry: number): Place => {
    const isFirst = rank === 1 && form === 'history';
    return {
      name,
      form,
      kind,
      rank,
      since,
      entry,
      size: (isFirst ? RECORD_WEIGHT : WEIGHTS[form]) * surprise,
    };
  };
  if (history !== undefined)
    return history.rank > 1 && year?.rank === 1
      ? place('both', history, at('history'))
      : { ...place('history', history, at('history')), since: null };
  if (year === undefined) throw new Error(`${name} is not extreme`);
  if (year.rank > 1) return { ...place('year', year, at('365d')), since: null };
  return place(year.last_reached === null ? 'history' : 'since', year, at('365d'));
}

/** Returns how far the day is from its month, on a logarithmic scale: a trend that sets records every day is close to it. */
function surpriseOf(name: Name, { number, records }: Narrator): number {
  const metric = name === 'fee_mean' ? 'fees_total' : name === 'utilization' ? 'gas_used' : name;
  const value = records.gold.metrics[metric] ?? null;
  const mean = number(`derived.metrics.${metric}.ma30`);
  return value === null || mean === null ? 0 : logarithmic(value / mean - 1);
}

/** Largest size of a move on a logarithmic scale. */
const LARGEST = 5;

/** Returns the size of a relative change on a scale on which doubling is as large as halving. */
function logarithmic(change: number): number {
  return Math.min(LARGEST, Math.abs(Math.log(1 + change)));
}

/** Maximum number of quantities in a headline. */
const IN_HEADLINE = 4;

function standOutOf(group: readonly Place[], narrator: Narrator, hasValues: boolean): StandOut {
  const say = (kind: 'extreme' | 'headline', places: readonly Place[]): Stated[] => {
    if (places.length === 0) return [];
    const { variant, values } = rankOf(places, narrator);
    return narrator.say(`${kind}.${variant}`, {
      ...(kind === 'headline' ? headOf(narrator) : {}),
      subjects: subjectsOf(places, narrator, hasValues, kind === 'extreme'),
      were: { word: places.length > 1 || isPlural(places[0]?.name) ? 'were' : 'was' },
      ...values,
    });
  };
  return {
    size: group[0]?.size ?? 0,
    isRecord: group.some(({ rank, form }) => rank === 1 || form === 'both'),
    quantities: group.map(({ name }) => name),
    sentence: say('extreme', group),
    headline: say('headline', group.slice(0, IN_HEADLINE)),
    rest: say('extreme', group.slice(IN_HEADLINE)),
  };
}

type Values = Readonly<Record<string, ClaimValue>>;

/** Returns the claim on the rank of a group, and its values. */
function rankOf(group: readonly Place[], { records }: Narrator): { variant: string; values: Values } {
  const [first] = group;
  if (first === undefined) throw new Error('a group is never empty');
  const place = { place: { word: rankWords(first.rank, first.kind) } };
  const since = { since: { fact: `derived.extremes.${first.entry}.last_reached` } };
  if (first.form === 'since')
    return group.every((each) => each.since === first.since)
      ? { variant: 'since', values: { ...place, ...since } }
      : { variant: 'since_various', values: place };
  const counts = group.map(({ entry }) => records.derived.extremes[entry]?.compared ?? 0);
  const least = counts.indexOf(Math.min(...counts));
  const days = { days: { fact: `derived.extremes.${group[least]?.entry ?? 0}.compared` } };
  const suffix = counts.every((each) => each === counts[0]) ? '' : '_least';
  const both = first.form === 'both' ? { kind: { word: first.kind }, ...since } : {};
  return { variant: `${first.form}${suffix}`, values: { ...place, ...days, ...both } };
}

function isPlural(name: Name | undefined): boolean {
  return name !== undefined && SUBJECTS[name].isPlural === true;
}

/** Returns names with their values: `fees (1,206 BTC) and the mean fee (0.0032 BTC)`. */
function subjectsOf(
  places: readonly Place[],
  { words }: Narrator,
  hasValues: boolean,
  isFirst: boolean,
): { word: string; facts: string[] } {
  const facts = hasValues ? places.map(({ name }) => valueId(name)) : [];
  const names = places.map(({ name }, i) => {
    const value = words(facts[i] ?? '');
    return value === null ? nameOf(name) : `${nameOf(name)} (${value})`;
  });
  const text = joinWords(names);
  return { word: isFirst ? capitalized(text) : text, facts };
}

function valueId(name: Name): string {
  return name === 'fee_mean' || name === 'utilization' ? `derived.${name}` : `gold.metrics.${name}`;
}

/** Returns the values that every headline has. */
export function headOf({ records: { meta } }: Narrator): { chain: ClaimValue; date: ClaimValue } {
  return { chain: { word: CHAINS[meta.chain].name }, date: { fact: 'meta.date' } };
}

/** A change of a metric against the day before, or of its weekly mean against the week before. */
export type Move = {
  readonly name: MetricName;
  readonly id: string;
  readonly change: number;
  /** Size on a logarithmic scale. */
  readonly size: number;
};

/**
 * Sizes of moves from one day to the next that are usual for a family: about the median of the real history, more for blocks,
 * whose number varies by chance.
 */
const USUAL_MOVES: Readonly<Record<string, number>> = {
  cost: 0.16,
  settlement: 0.2,
  failures: 0.2,
  blocks: 0.1,
  limit: 0.05,
  difficulty: 0.05,
};
const USUAL_MOVE = 0.08;
/** Size from which a move is worth a mention. */
const LEAST_MOVE = 0.01;

/** How many times as large the move of a later metric of a family must be to stand for the family. */
const CLEARLY_LARGER = 1.2;

/**
 * Returns the most unusual change of each family of metrics, the most unusual first, without the smallest ones and those of
 * metrics without a value on the day.
 */
export function movesOf(
  { records: { meta, gold, derived } }: Narrator,
  member: 'change_1d' | 'change_7d',
): Move[] {
  const unusual = ({ name, size }: Move): number => size / (USUAL_MOVES[SUBJECTS[name].family] ?? USUAL_MOVE);
  const families = new Map<string, Move>();
  for (const name of metricsOf(meta.chain)) {
    const change = derived.metrics[name]?.[member] ?? null;
    if (change === null || (gold.metrics[name] ?? null) === null) continue;
    const move = { name, id: `derived.metrics.${name}.${member}`, change, size: logarithmic(change) };
    const { family } = SUBJECTS[name];
    const least = (families.get(family)?.size ?? 0) * CLEARLY_LARGER;
    if (move.size >= Math.max(LEAST_MOVE, least)) families.set(family, move);
  }
  return [...families.values()].sort((a, b) => unusual(b) - unusual(a));
}

/** Returns moves in words, the largest first, with the values that the brief has not told: `fees rose 23 % to 123 BTC and transactions fell 5 %`. */
export function moveWords(
  moves: readonly Move[],
  { words }: Narrator,
  told: ReadonlySet<string> | 'all',
): { word: string; facts: string[] } {
  const parts = moves
    .toSorted((a, b) => b.size - a.size)
    .map(({ name, id, change }) => {
      const value = told === 'all' || told.has(name) ? undefined : valueId(name);
      const moved = `${nameOf(name)} ${change > 0 ? 'rose' : 'fell'} ${words(id) ?? ''}`;
      return value === undefined
        ? { text: moved, facts: [id] }
        : { text: `${moved} to ${words(value) ?? ''}`, facts: [id, value] };
    });
  return { word: joinWords(parts.map(({ text }) => text)), facts: parts.flatMap(({ facts }) => facts) };
}

/** The metrics that each axis is compared with on a single day. */
const AXES = {
  demand: ['tx_count', 'active_addresses'],
  pressure: ['fee_median', 'gas_price_mean', 'fees_total'],
} as const;

/** Ranks in the year of the metrics of an axis at which they contradict its level: one clearly, the others not at all. */
const CONTRADICTS: Readonly<
  Record<Level, { clearly: (rank: number) => boolean; others: (rank: number) => boolean }>
> = {
  high: { clearly: (rank) => rank <= 0.3, others: (rank) => rank <= 0.5 },
  normal: { clearly: (rank) => rank <= 0.05 || rank >= 0.95, others: () => true },
  low: { clearly: (rank) => rank >= 0.7, others: (rank) => rank >= 0.5 },
};

/** Returns the metric whose value of the day is most at odds with the label, which describes the week. */
export function atOdds({ meta, derived }: DayRecords): MetricName | undefined {
  const { label, axes } = meta.regime;
  if (label === 'indeterminate') return undefined;
  const found = (['demand', 'pressure'] as const).flatMap((axis) => {
    const { level } = axes[axis];
    if (level === null) return [];
    const ranks = AXES[axis].flatMap((name) => {
      const rank = derived.metrics[name]?.percentile_365d ?? null;
      return rank === null
        ? []
        : [{ name, rank, away: Math.abs(rank - { high: 1, normal: 0.5, low: 0 }[level]) }];
    });
    const { clearly, others } = CONTRADICTS[level];
    return ranks.every(({ rank }) => others(rank)) ? ranks.filter(({ rank }) => clearly(rank)) : [];
  });
  return found.sort((a, b) => b.away - a.away)[0]?.name;
}

/** Returns the name of a metric in a sentence, with the verb that fits it. */
export function subjectOf(name: MetricName): { readonly subject: ClaimValue; readonly were: ClaimValue } {
  return { subject: { word: nameOf(name) }, were: { word: isPlural(name) ? 'were' : 'was' } };
}
