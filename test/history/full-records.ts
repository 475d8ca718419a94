import type { InputSeries } from '../../generator/core/input/input-series.js';
import { createDayWriters, DAY_SCHEMAS } from '../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { GENRES } from '../../schemas/catalog.js';
import type { Genre, MetaDay } from '../../schemas/types.generated.js';

const texts = await readProductTexts();
/** Which releases a record belongs to is not part of its content. */
const NO_RELEASE = { revision: '2000-01-01.000001', updatedThrough: '2000-01-01' };

/** The records of a series, computed in full and without a store. */
export type FullRecords = {
  /** One per date, ascending. */
  readonly meta: readonly MetaDay[];
  /** Canonical text of each date by genre. Equal texts mean equal content. */
  readonly texts: { readonly [genre in Genre]: ReadonlyMap<string, string> };
};

/** Computes every record of a series. That its meta records are right is tested with the Python client. */
export function toFullRecords(series: InputSeries): FullRecords {
  const writers = createDayWriters(series, texts);
  const found = { meta: new Map(), gold: new Map(), derived: new Map(), briefs: new Map() } satisfies Record<
    Genre,
    Map<string, string>
  >;
  const meta = series.dates.map((date, t) => {
    for (const genre of GENRES)
      found[genre].set(date, contentOf(writers.write(DAY_SCHEMAS[genre], t, NO_RELEASE)));
    return writers.meta(t, NO_RELEASE);
  });
  return { meta, texts: found };
}

/** Returns the content of a record as canonical text, without the members that name its release. */
export function contentOf(record: object): string {
  const { revision: published_revision, updatedThrough: updated_through } = NO_RELEASE;
  return canonicalJson({ ...record, published_revision, updated_through });
}
