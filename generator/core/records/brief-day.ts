import type {
  BriefDay,
  DerivedDay,
  GoldDay,
  MetaDay,
  Methodology,
} from '../../../schemas/types.generated.js';
import { writeBrief } from '../brief/brief.js';
import type { BriefTemplates } from '../brief/narrator.js';
import type { InputSeries } from '../input/input-series.js';
import { toIdentity, type Provenance } from './provenance.js';

/** The writers of the records that a brief is derived from. */
type BriefSources = {
  readonly meta: (t: number, provenance: Provenance) => MetaDay;
  readonly gold: (t: number, provenance: Provenance) => GoldDay;
  readonly derived: (t: number, provenance: Provenance) => DerivedDay;
};

/** Creates the writer of `brief-day/1`: date `t` in words, derived only from the other records of that date. */
export function createBriefWriter(
  series: InputSeries,
  methodology: Methodology,
  sources: BriefSources,
  templates: BriefTemplates,
): (t: number, provenance: Provenance) => BriefDay {
  return (t, provenance) => {
    const meta = sources.meta(t, provenance);
    const records = { meta, gold: sources.gold(t, provenance), derived: sources.derived(t, provenance) };
    return {
      ...toIdentity('brief-day/1', series, t, provenance, methodology.version),
      status: meta.status,
      ...writeBrief(records, methodology, templates),
      regime: meta.regime,
    };
  };
}
