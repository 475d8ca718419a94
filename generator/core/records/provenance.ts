import type { Chain } from '../../../schemas/types.generated.js';
import type { InputSeries } from '../input/input-series.js';

/** The release that a record belongs to. */
export type Provenance = { readonly revision: string; readonly updatedThrough: string };

/** The first members of every day file. */
type DayIdentity<S extends string> = {
  readonly schema: S;
  readonly chain: Chain;
  readonly date: string;
  readonly updated_through: string;
  readonly published_revision: string;
  readonly methodology_version: string;
};

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
