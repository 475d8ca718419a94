import { CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { summaryPath } from '../../../schemas/paths.js';
import type { Chain, MetaDay, Regime, SourceSegment, Summary } from '../../../schemas/types.generated.js';
import { count } from '../../../schemas/words.js';
import { type FileTemplate, JSON_TYPE, jsonContent } from './artifact.js';
import { toPublishedFreshness } from './freshness.js';

/** Returns the state of a chain in one sentence. */
export function toHeadline(chain: Chain, regime: Pick<Regime, 'label' | 'since' | 'run_days'>): string {
  const { name } = CHAINS[chain];
  return `${name} has been ${regime.label} for ${count(regime.run_days, 'day')}, since ${regime.since}: ${LABEL_MEANINGS[regime.label]}.`;
}

/** Returns a chain's summary on its last date, from that date's meta record. */
export function summaryFile(
  record: MetaDay,
  lastAvailable: string | null,
  sources: readonly SourceSegment[],
): FileTemplate {
  const { chain, date } = record;
  return {
    path: summaryPath(chain),
    type: JSON_TYPE,
    content: (stamp) => {
      const summary: Summary = {
        schema: 'summary/1',
        chain,
        date,
        updated_through: date,
        published_revision: stamp.revision,
        published_at: stamp.publishedAt,
        methodology_version: record.methodology_version,
        status: record.status,
        headline: toHeadline(chain, record.regime),
        regime: record.regime,
        confidence: record.confidence,
        scorecard: record.scorecard,
        drivers: record.drivers,
        ...toPublishedFreshness(chain, date, lastAvailable, stamp.publishedAt, sources),
      };
      return jsonContent('summary', summary);
    },
  };
}
