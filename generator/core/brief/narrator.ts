import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import type {
  BriefFact,
  DerivedDay,
  GoldDay,
  MetaDay,
  MetricName,
} from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import { amountWords, changeSizeWords, numberWords, scoreWords, shareWords, zWords } from '../text/words.js';

/** The claims that a brief may make, by name, and its Markdown layout. */
export type BriefTemplates = {
  readonly claims: ReadonlyMap<string, TextTemplate>;
  readonly markdown: TextTemplate;
  /** The source text of both, so that a change of wording can be detected. */
  readonly source: string;
};

/** A value of a claim: a member of the records (optionally with the noun it counts, in the plural), or a word. */
export type ClaimValue = { readonly fact: string; readonly noun?: string } | { readonly word: string | null };

/** Writes the sentences of one day and keeps track of the facts they use. */
export type Narrator = {
  readonly records: DayRecords;
  /** Returns the claim's sentence in a list, or an empty list when one of its values is missing. */
  readonly say: (claim: string, values?: Readonly<Record<string, ClaimValue>>) => string[];
  /** Returns a member of the records as text, or null when it is missing. */
  readonly words: (id: string) => string | null;
  /** Returns a numeric member of the records, or null when it is missing. */
  readonly number: (id: string) => number | null;
  /** Returns the facts of all sentences so far, in the order of their first use. */
  readonly facts: () => BriefFact[];
};

export function createNarrator(records: DayRecords, claims: BriefTemplates['claims']): Narrator {
  const used = new Map<string, BriefFact>();
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
    facts: () => [...used.values()],
    say(claim, values = {}) {
      const template = claims.get(claim);
      if (template === undefined) throw new Error(`unknown claim ${claim}`);
      const words: Record<string, string> = {};
      const facts: BriefFact[] = [];
      for (const name of Object.keys(values)) {
        const value = values[name] ?? NO_VALUE;
        const fact = 'fact' in value ? factAt(records, value.fact) : undefined;
        const word = fact === undefined ? wordOf(value) : wordsOf(fact, value);
        if (word === null) return [];
        if (fact !== undefined) facts.push(fact);
        words[name] = word;
      }
      for (const fact of facts) if (!used.has(fact.id)) used.set(fact.id, fact);
      return [template(words)];
    },
  };
}

const NO_VALUE: ClaimValue = { word: null };

function wordOf(value: ClaimValue): string | null {
  return 'word' in value ? value.word : null;
}

function wordsOf(fact: BriefFact, value: ClaimValue): string {
  return 'noun' in value ? countWords(fact, value.noun) : factWords(fact);
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
  [/^meta\.regime\.axes\.\w+\.z$/, 'z'],
  [/^meta\.confidence\.(margin|speed)$/, 'z'],
  [/^meta\.confidence\.(score|data_quality|completeness|depth|density)$/, 'fraction'],
  [/^meta\.scorecard\.\w+\.score$/, 'score'],
  [/^derived\.metrics\.\w+\.change_(7|30)d$/, 'change'],
  [/^derived\.metrics\.\w+\.percentile_365d$/, 'fraction'],
  [/^derived\.utilization$/, 'fraction'],
  [/^derived\.block_interval_mean$/, 'seconds'],
  [/^derived\.fee_mean$/, 'native coin per transaction'],
];

/** Cache of units by path. Drivers are not cached: their units differ from day to day. */
const KNOWN_UNITS = new Map<string, string>();

function unitOf({ chain, drivers }: MetaDay, id: string): string {
  const [record, list, number] = namesIn(id);
  const isDriver = record === 'meta' && list === 'drivers';
  const unit = isDriver ? drivers[Number(number)]?.unit : (KNOWN_UNITS.get(id) ?? findUnit(id));
  if (unit === undefined) throw new Error(`no unit is defined for ${id}`);
  if (!isDriver) KNOWN_UNITS.set(id, unit);
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
  if (unit.startsWith('fraction')) return shareWords(value);
  if (unit === 'z') return zWords(value);
  if (unit === 'change') return changeSizeWords(value);
  if (unit === 'score') return scoreWords(value);
  if (unit === 'days' || unit === 'seconds') return counted(numberWords(value), unit);
  return amountWords(value, unit);
}

/** Returns a count with its noun: `1 block`, `144 blocks`. */
export function countWords({ value }: BriefFact, plural: string): string {
  return counted(typeof value === 'number' ? numberWords(value) : value, plural);
}

function counted(words: string, plural: string): string {
  return `${words} ${words === '1' ? plural.replace(/(?<=ss)es$|s$/, '') : plural}`;
}
