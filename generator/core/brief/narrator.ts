import type { BriefFact } from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';
import { countWords, factAt, factWords, valueAt, type DayRecords } from './facts.js';

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
