import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import type {
  BriefFact,
  DerivedDay,
  GoldDay,
  MetaDay,
  MetricName,
} from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import { amountWords, changeSizeWords, count, shareWords } from '../../../schemas/words.js';

/** The claims that a brief may make, by name, and its Markdown layout. */
export type BriefTemplates = {
  readonly claims: ReadonlyMap<string, TextTemplate>;
  readonly markdown: TextTemplate;
  /** The source text of both, so that a change of wording can be detected. */
  readonly source: string;
};

/**
 * A value of a claim: a member of the records, or words, with the members of the records that they contain. A missing member
 * and null words are missing values.
 */
export type ClaimValue =
  { readonly fact: string } | { readonly word: string | null; readonly facts?: readonly string[] };

/** A sentence or another text of a brief, with the facts that it states. */
export type Stated = { readonly text: string; readonly facts: readonly BriefFact[] };

/** Writes the sentences of one day. */
export type Narrator = {
  readonly records: DayRecords;
  /** Returns the claim's sentence in a list, or an empty list when one of its values is missing. */
  readonly say: (claim: string, values?: Readonly<Record<string, ClaimValue>>) => Stated[];
  /** Returns a member of the records as text, or null when it is missing. */
  readonly words: (id: string) => string | null;
  /** Returns a numeric member of the records, or null when it is missing. */
  readonly number: (id: string) => number | null;
};

export function createNarrator(records: DayRecords, claims: BriefTemplates['claims']): Narrator {
  return {
    records,
    number: (id) => {
      const value = valueAt(records, id);
      return typeof value === 'number' ? value : null;
    },
    words: (id) => {
      const fact = factAt(records, id);
      return fact === undefined ? null : factWords(fact);
    },
    say(claim, values = {}) {
      const template = claims.get(claim);
      if (template === undefined) throw new Error(`unknown claim ${claim}`);
      const words: Record<string, string> = {};
      const facts: BriefFact[] = [];
      for (const [name, value] of Object.entries(values)) {
        const ids = 'fact' in value ? [value.fact] : (value.facts ?? []);
        const found = ids.flatMap((id) => factAt(records, id) ?? []);
        const [first] = found;
        const word = 'word' in value ? value.word : first === undefined ? null : factWords(first);
        if (word === null || found.length < ids.length) return [];
        facts.push(...found);
        words[name] = word;
      }
      return [{ text: template(words), facts }];
    },
  };
}

/** Returns the facts of all texts, each once, in the order of their first use. */
export function factsOf(stated: readonly Stated[]): BriefFact[] {
  return [...new Map(stated.flatMap(({ facts }) => facts.map((fact) => [fact.id, fact]))).values()];
}

/** The records of one chain-day: the only data a brief is written from. */
export type DayRecords = {
  readonly meta: MetaDay;
  readonly gold: GoldDay;
  readonly derived: DerivedDay;
};

/**
 * Returns the value at a path such as `derived.metrics.tx_count.ma7` with its unit, or `undefined` when the records have
 * null or no such member.
 */
export function factAt(records: DayRecords, id: string): BriefFact | undefined {
  const value = valueAt(records, id);
  return value === undefined ? undefined : { id, unit: unitOf(records.meta, id), value };
}

/** Returns the number or text at a path, or `undefined` when the records have null or no such member. */
export function valueAt(records: DayRecords, id: string): number | string | undefined {
  let value: unknown = records;
  for (const name of namesIn(id)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

/** Cache of split paths: there are about a hundred, and every day uses the same ones. */
const NAMES = new Map<string, readonly string[]>();

function namesIn(id: string): readonly string[] {
  const cached = NAMES.get(id);
  if (cached !== undefined) return cached;
  const names = id.split('.');
  NAMES.set(id, names);
  return names;
}

/** Units by path pattern; the first match applies. */
const UNITS: readonly (readonly [path: RegExp, unit: string])[] = [
  [/^meta\.(date|regime\.since)$/, 'date'],
  [/^meta\.regime\.run_days$/, 'days'],
  [/^meta\.confidence\.(score|data_quality)$/, 'fraction'],
  [/^derived\.metrics\.\w+\.change_(1|7|30)d$/, 'change'],
  [/^derived\.metrics\.\w+\.percentile_365d$/, 'fraction'],
  [/^derived\.utilization$/, 'fraction'],
  [/^derived\.extremes\.\d+\.compared$/, 'days'],
  [/^derived\.extremes\.\d+\.last_reached$/, 'date'],
  [/^derived\.fee_mean$/, 'native coin per transaction'],
];

/** Cache of units by path. */
const KNOWN_UNITS = new Map<string, string>();

function unitOf({ chain }: MetaDay, id: string): string {
  const unit = KNOWN_UNITS.get(id) ?? findUnit(id);
  if (unit === undefined) throw new Error(`no unit is defined for ${id}`);
  KNOWN_UNITS.set(id, unit);
  return unit.startsWith('native coin') ? unit.replace('native coin', CHAINS[chain].nativeCoin) : unit;
}

function findUnit(id: string): string | undefined {
  const metric = /^(?:gold\.metrics\.(\w+)|derived\.metrics\.(\w+)\.ma(?:7|30))$/.exec(id);
  const name = (metric?.[1] ?? metric?.[2]) as MetricName | undefined; // closed by the schemas of the records
  return (name && METRICS[name].unit) ?? UNITS.find(([path]) => path.test(id))?.[1];
}

/** Returns a fact as text. A change is written without its sign, because the sentence states the direction. */
export function factWords({ value, unit }: BriefFact): string {
  if (typeof value === 'string') return value;
  if (unit === 'fraction') return shareWords(value);
  if (unit === 'change') return changeSizeWords(value);
  if (unit === 'days') return count(value, 'day');
  return amountWords(value, unit);
}
