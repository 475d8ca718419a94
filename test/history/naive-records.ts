import { writeBrief } from '../../generator/core/brief/brief.js';
import type { DayRecords } from '../../generator/core/brief/facts.js';
import type { InputSeries } from '../../generator/core/input/input-series.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import type { Chain, DerivedDay, Genre, MetaDay } from '../../schemas/types.generated.js';
import {
  naiveDerivedDays,
  naiveDeterminismHash,
  naiveMetaDays,
  type NaiveDay,
  type NaiveDerived,
  type NaiveMeta,
} from '../oracle/naive-methodology.js';

const { methodology, brief } = await readProductTexts();
/** Writes the values of each claim instead of its sentence: equal values mean equal sentences. */
const plainly = {
  ...brief,
  claims: new Map([...brief.claims.keys()].map((name) => [name, (values: object) => JSON.stringify(values)])),
  markdown: () => '',
};

/** Records of a series by the naive implementation. Each list has one element per date, ascending. */
export type NaiveRecords = {
  readonly days: readonly NaiveDay[];
  readonly meta: readonly NaiveMeta[];
  readonly derived: readonly NaiveDerived[];
  /** Canonical text of each date by genre. Equal texts mean equal content. */
  readonly texts: { readonly [genre in Genre]: ReadonlyMap<string, string> };
};

/** Computes a series with the naive implementation. */
export function toNaiveRecords(series: InputSeries): NaiveRecords {
  const days = toNaiveDays(series);
  const meta = naiveMetaDays(series.chain, days);
  const derived = naiveDerivedDays(series.chain, days);
  const briefs = days.map((gold, t) =>
    toBrief({ chain: series.chain, gold, meta: meta[t], derived: derived[t] }),
  );
  const texts = {
    meta: textsOf(meta),
    gold: textsOf(days),
    derived: textsOf(derived),
    briefs: textsOf(briefs),
  };
  return { days, meta, derived, texts };
}

/**
 * Returns the brief that the product writes for naive records of a date, to compare whether it changes. A brief repeats the
 * determinism hash of the meta record, which naive records lack.
 */
function toBrief({ chain, meta, gold, derived }: NaiveSources): { readonly date: string } {
  const hash = naiveDeterminismHash({ ...meta });
  const records = { meta: { ...meta, chain }, gold, derived } as unknown as DayRecords; // all that a brief reads
  return { date: gold.date, ...writeBrief(records, methodology, plainly), hash } as { readonly date: string };
}

type NaiveSources = {
  readonly chain: Chain;
  readonly gold: NaiveDay;
  readonly meta: NaiveMeta | undefined;
  readonly derived: NaiveDerived | undefined;
};

/** Returns a series in the format of the naive implementation. */
export function toNaiveDays({ dates, present, metrics }: InputSeries): NaiveDay[] {
  const columns = Object.entries(metrics);
  return dates.map((date, t) => ({
    date,
    present: present[t] ?? false,
    metrics: Object.fromEntries(columns.map(([metric, column]) => [metric, column[t] ?? null])),
  }));
}

function textsOf(records: readonly { readonly date: string }[]): Map<string, string> {
  return new Map(records.map((record) => [record.date, JSON.stringify(record)]));
}

/** Returns the conclusions of a meta record as canonical text, without identity, provenance and hash. */
export function metaConclusions(record: MetaDay): string {
  const { schema: _schema, updated_through: _through, published_revision: _revision, ...rest } = record;
  const { methodology_version: _version, methodology: _methodology, regime, ...conclusions } = rest;
  const { determinism_hash: _hash, ...decided } = regime;
  return canonicalJson({ ...conclusions, regime: decided });
}

/** Returns the conclusions of a derived record as canonical text, without identity and provenance. */
export function derivedConclusions(record: DerivedDay): string {
  const { schema: _schema, updated_through: _through, published_revision: _revision, ...rest } = record;
  const { methodology_version: _version, chain: _chain, ...conclusions } = rest;
  return canonicalJson(conclusions);
}
