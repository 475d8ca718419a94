import type { Chain } from '../../../schemas/types.generated.js';
import type { InputSeries } from '../input-series.js';

/** Which publication a record belongs to. */
export type Provenance = { readonly revision: string; readonly updatedThrough: string };

/** The members that every day file begins with. */
export type DayIdentity<S extends string> = {
  readonly schema: S;
  readonly chain: Chain;
  readonly date: string;
  readonly updated_through: string;
  readonly published_revision: string;
  readonly methodology_version: string;
};

/** The identity of the record of date `t`. */
export function toIdentity<S extends `${string}-day/${number}`>(
  schema: S,
  series: InputSeries,
  t: number,
  provenance: Provenance,
  methodologyVersion: string,
): DayIdentity<S> {
  return {
    schema,
    chain: series.chain,
    date: series.dates[t] ?? '',
    updated_through: provenance.updatedThrough,
    published_revision: provenance.revision,
    methodology_version: methodologyVersion,
  };
}
