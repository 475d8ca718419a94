import type { BriefFact } from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import { countWords, factAt, factWords, valueAt, type DayRecords } from './facts.js';

/** The claims that a brief may make, by their names, and how it is laid out. */
export type BriefTemplates = {
  readonly claims: ReadonlyMap<string, TextTemplate>;
  readonly markdown: TextTemplate;
  /** The text of both, by which another wording is told from this one. */
  readonly source: string;
};

/** A value of a claim: a member of the records, alone or with what it counts, or a word. */
export type ClaimValue =
  { readonly fact: string; readonly counts?: string } | { readonly word: string | null };

/** Says claims of one day, and remembers the facts that they rest on. */
export type Narrator = {
  readonly records: DayRecords;
  /** The claim's sentence in a list; an empty list when the day's records lack one of its values. */
  readonly say: (claim: string, values?: Readonly<Record<string, ClaimValue>>) => string[];
  /** What a person reads of a member; null where the records have none. */
  readonly words: (id: string) => string | null;
  /** The value of a number among the members; null where there is none. */
  readonly number: (id: string) => number | null;
  /** The facts of all that was said, in the order in which they were first said. */
  readonly facts: () => BriefFact[];
};

/** A narrator of the day that `records` are of. */
export function createNarrator(records: DayRecords, claims: BriefTemplates['claims']): Narrator {
  const said = new Map<string, BriefFact>();
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
    facts: () => [...said.values()],
    say(claim, values = {}) {
      const template = claims.get(claim);
      if (template === undefined) throw new Error(`no claim ${claim}`);
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
      for (const fact of facts) if (!said.has(fact.id)) said.set(fact.id, fact);
      return [template(words)];
    },
  };
}

const NO_VALUE: ClaimValue = { word: null };

function wordOf(value: ClaimValue): string | null {
  return 'word' in value ? value.word : null;
}

function wordsOf(fact: BriefFact, value: ClaimValue): string {
  return 'counts' in value ? countWords(fact, value.counts) : factWords(fact);
}
