import { writeBrief } from '../../generator/core/brief/brief.js';
import type { DayRecords } from '../../generator/core/brief/facts.js';
import type { InputSeries } from '../../generator/core/input-series.js';
import { readProductTexts } from '../../generator/io/product-texts.js';
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
/** Says the values of each claim instead of its sentence: equal values, equal sentences. */
const plainly = {
  ...brief,
  claims: new Map([...brief.claims.keys()].map((name) => [name, (values: object) => JSON.stringify(values)])),
  markdown: () => '',
};

/** What the naive implementation makes of a series. Shape: each list has one element per date, ascending. */
export type NaiveRecords = {
  readonly days: readonly NaiveDay[];
  readonly meta: readonly NaiveMeta[];
  readonly derived: readonly NaiveDerived[];
  /** The text of each date by genre: two dates say the same when their texts are equal. */
  readonly texts: { readonly [genre in Genre]: ReadonlyMap<string, string> };
};

/** Computes a series with the naive implementation alone. */
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

/** What the product's brief says of the naive records of a date: whether it must be restated is what is tested. */
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

/** A series in the form that the naive implementation reads. */
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

/** Everything that a meta record concludes, as canonical text: its identity, provenance and own hash left out. */
export function metaConclusions(record: MetaDay): string {
  const { schema: _schema, updated_through: _through, published_revision: _revision, ...rest } = record;
  const { methodology_version: _version, methodology: _methodology, regime, ...conclusions } = rest;
  const { determinism_hash: _hash, ...decided } = regime;
  return canonicalJson({ ...conclusions, regime: decided });
}

/** Everything that a derived record says, as canonical text: its identity and provenance left out. */
export function derivedConclusions(record: DerivedDay): string {
  const { schema: _schema, updated_through: _through, published_revision: _revision, ...rest } = record;
  const { methodology_version: _version, chain: _chain, ...conclusions } = rest;
  return canonicalJson(conclusions);
}
