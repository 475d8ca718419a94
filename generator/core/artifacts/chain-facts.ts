import type {
  Chain,
  ChainLanding,
  ChainStatus,
  Landing,
  ManifestDate,
  MetaDay,
  SourceSegment,
  Status,
} from '../../../schemas/types.generated.js';
import type { ChartPoint } from './chart-data.js';
import { inChartWindow, toLabelRuns } from './regime-calendar.js';
import { toHeadline } from './summary.js';

/** Number of dates whose labels the landing snapshot shows. */
export const LANDING_DAYS = 30;

/** The facts about a chain in status and landing, independent of the time of publication. */
export type ChainFacts = {
  readonly chain: Chain;
  readonly updatedThrough: string;
  readonly lastAvailable: string | null;
  readonly days: ChainStatus['days'];
  readonly sources: readonly SourceSegment[];
  readonly landing: Pick<ChainLanding, 'headline' | 'regime' | 'confidence' | 'scores' | 'labels' | 'runs'>;
};

/** The meta records of a chain's last dates, and the points of its chart. Both ascend. */
type ChainRecords = {
  readonly lastRecords: readonly MetaDay[];
  readonly points: readonly ChartPoint[];
};

/** Returns the facts of a chain, from its listed meta dates and its records. */
export function toChainFacts(
  chain: Chain,
  entries: readonly ManifestDate[],
  { lastRecords, points }: ChainRecords,
  sources: readonly SourceSegment[],
): ChainFacts {
  const latest = lastRecords.at(-1);
  if (latest === undefined) throw new Error(`${chain} has no record`);
  const days = { available: 0, degraded: 0, missing: 0, withdrawn: 0 };
  for (const entry of entries) days[entry.status] += 1;
  return {
    chain,
    updatedThrough: latest.date,
    lastAvailable: lastAvailableOf(entries),
    days,
    sources,
    landing: toLanding(latest, lastRecords, points),
  };
}

/** Returns the newest date whose status is `available`. */
export function lastAvailableOf(entries: readonly ManifestDate[]): string | null {
  return entries.findLast((entry) => entry.status === 'available')?.date ?? null;
}

function toLanding(
  latest: MetaDay,
  lastRecords: readonly MetaDay[],
  points: readonly ChartPoint[],
): ChainFacts['landing'] {
  const { regime, confidence, scorecard, chain } = latest;
  const { label, since, run_days, previous_label } = regime;
  const capacity = scorecard.capacity === undefined ? {} : { capacity: scorecard.capacity.score };
  return {
    headline: toHeadline(chain, regime),
    regime: { label, since, run_days, previous_label },
    confidence: {
      score: confidence.score,
      level: confidence.level,
      missing_signals: confidence.missing_signals,
    },
    scores: { demand: scorecard.demand.score, cost: scorecard.cost.score, ...capacity },
    labels: lastRecords
      .slice(-LANDING_DAYS)
      .map((record) => ({ date: record.date, label: record.regime.label })),
    runs: toLabelRuns(inChartWindow(points)),
  };
}

/**
 * Returns the published facts of a chain from status.json and landing.json, or `undefined` if the chain is not published.
 */
export function publishedFacts(chain: Chain, status: Status, landing: Landing): ChainFacts | undefined {
  const chainStatus = status.chains[chain];
  const chainLanding = landing.chains[chain];
  if (chainStatus === undefined || chainLanding === undefined) return undefined;
  const { headline, regime, confidence, scores, labels, runs } = chainLanding;
  return {
    chain,
    updatedThrough: chainStatus.updated_through,
    lastAvailable: chainStatus.last_available,
    days: chainStatus.days,
    sources: chainStatus.sources,
    landing: { headline, regime, confidence, scores, labels, runs },
  };
}
