import { methodologyDigest } from '../../../schemas/methodology.js';
import type {
  BriefDay,
  DerivedDay,
  Genre,
  GoldDay,
  MetaDay,
  Methodology,
} from '../../../schemas/types.generated.js';
import type { BriefTemplates } from '../brief/narrator.js';
import type { InputSeries } from '../input/input-series.js';
import { computeRegimes, type RegimeSeries } from '../methodology/regime-series.js';
import { createBriefWriter } from './brief-day.js';
import { createDerivedWriter } from './derived-day.js';
import { createGoldWriter } from './gold-day.js';
import { createMetaWriter } from './meta-day.js';
import type { Provenance } from './provenance.js';

/** A record of any genre. */
export type DayRecord = MetaDay | GoldDay | DerivedDay | BriefDay;

/** The schema of new day files of each genre. */
export const DAY_SCHEMAS = {
  meta: 'meta-day/1',
  gold: 'gold-day/1',
  derived: 'derived-day/1',
  briefs: 'brief-day/1',
} as const satisfies Record<Genre, string>;

/** The product texts that day records depend on. */
export type DayTexts = { readonly methodology: Methodology; readonly brief: BriefTemplates };

/** Writers for the day records of one series, in every schema that was ever published. */
export type DayWriters = {
  readonly regimes: RegimeSeries;
  readonly meta: (t: number, provenance: Provenance) => MetaDay;
  /** Writes a record. @throws Error if `schema` has no writer. Every schema that was ever published needs one. */
  readonly write: (schema: string, t: number, provenance: Provenance) => DayRecord;
};

/** Creates the writers for `series`. Add a new genre, or a new schema of one, here. */
export function createDayWriters(series: InputSeries, { methodology, brief }: DayTexts): DayWriters {
  const regimes = computeRegimes(series, methodology);
  const meta = rememberLast(createMetaWriter(series, regimes, methodologyDigest(methodology)));
  const gold = rememberLast(createGoldWriter(series, methodology.version));
  const derived = rememberLast(createDerivedWriter(series, methodology));
  const writers: Record<string, (t: number, provenance: Provenance) => DayRecord> = {
    'meta-day/1': meta,
    'gold-day/1': gold,
    'derived-day/1': derived,
    'brief-day/1': createBriefWriter(series, methodology, { meta, gold, derived }, brief),
  };
  return {
    regimes,
    meta,
    write: (schema, t, provenance) => {
      const writer = writers[schema];
      if (writer === undefined) throw new Error(`no writer of ${schema}`);
      return writer(t, provenance);
    },
  };
}

type Writer<T> = (t: number, provenance: Provenance) => T;

/** Caches the last record of a writer: a brief needs the records that were just written for its date. */
function rememberLast<T>(write: Writer<T>): Writer<T> {
  let last: { readonly t: number; readonly of: Provenance; readonly record: T } | undefined;
  return (t, provenance) => {
    const { revision, updatedThrough } = provenance;
    if (last?.t !== t || last.of.revision !== revision || last.of.updatedThrough !== updatedThrough) {
      last = { t, of: provenance, record: write(t, provenance) };
    }
    return last.record;
  };
}
