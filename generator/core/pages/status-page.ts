import { CHAINS } from '../../../schemas/catalog.js';
import { chainPagePath, PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Chain, ChainChanges, ReleaseChanges } from '../../../schemas/types.generated.js';
import type { FileTemplate, ReleaseStamp } from '../artifacts/artifact.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import { freshnessLimits } from '../../../schemas/freshness.js';
import { toPublishedFreshness } from '../artifacts/freshness.js';
import type { ReleaseOptions } from '../artifacts/release-files.js';
import { addDays } from '../../../schemas/dates.js';
import { count, countWords } from '../text/number-words.js';
import { dateWords } from '../text/date-words.js';
import { releaseId } from './changes-page.js';
import { pageFile } from './page.js';
import { ABSENT, inChainOrder, toFreshnessNotices } from './page-words.js';
import type { SiteTexts } from './site-texts.js';

/** Returns the page about what is published and whether the releases came on time. `releases` are the newest first. */
export function statusPage(
  site: SiteTexts,
  { facts, hold, holds }: ReleaseOptions,
  releases: readonly ReleaseChanges[],
): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.status,
    template: 'status',
    title: 'Status',
    description:
      'What is published for each chain, how far its regimes reach, and whether the last releases came on time.',
    values: (stamp) => ({
      stamp,
      notices: toFreshnessNotices(facts),
      chains: facts.map((each) => toRow(each, stamp)),
      holds: [
        ...(hold === null ? [] : [`Publication is on hold: ${hold}.`]),
        ...inChainOrder(holds ?? {}).map(([chain, reason]) => `${CHAINS[chain].name} is on hold: ${reason}.`),
      ],
      counted: count(releases.length, 'release'),
      releases: releases.map(toRelease),
      data: { status: PUBLIC_PATHS.status, changes: PUBLIC_PATHS.changes },
    }),
  });
}

function toRow(facts: ChainFacts, { publishedAt }: ReleaseStamp): object {
  const { chain, updatedThrough, lastAvailable, days, sources } = facts;
  const fresh = toPublishedFreshness(chain, updatedThrough, lastAvailable, publishedAt, sources);
  return {
    name: CHAINS[chain].name,
    page: chainPagePath(chain),
    through: updatedThrough,
    last: lastAvailable ?? ABSENT,
    next: minuteOf(fresh.expected_next_by),
    late: fresh.late_after === null ? ABSENT : minuteOf(fresh.late_after),
    stale: fresh.stale_after === null ? ABSENT : minuteOf(fresh.stale_after),
    withRegime: countWords(days.available),
    withoutRegime: countWords(days.degraded + days.missing),
  };
}

function toRelease({ revision, published_at: publishedAt, chains }: ReleaseChanges): object {
  const changes = inChainOrder(chains);
  const late = changes.flatMap(([chain, each]) => lateWords(chain, each, publishedAt));
  const added = changes.reduce((sum, [, { new: span }]) => sum + (span?.days ?? 0), 0);
  const corrected = changes.reduce(
    (sum, [, { restated, withdrawn }]) => sum + (restated?.days ?? 0) + (withdrawn?.days ?? 0),
    0,
  );
  return {
    revision,
    publishedAt: minuteOf(publishedAt),
    page: `${PAGE_PATHS.changes}#${releaseId(revision)}`,
    added: countWords(added),
    corrected: countWords(corrected),
    punctuality: added === 0 ? ABSENT : late.length === 0 ? 'yes' : `no: ${late.join('; ')}`,
  };
}

/** Returns how late the newest date of a chain was; empty if it came in time. */
function lateWords(chain: Chain, { new: span }: ChainChanges, publishedAt: string): string[] {
  if (span === null) return [];
  const { late_after: due } = freshnessLimits(chain, addDays(span.last_date, -1));
  if (due === null || publishedAt <= due) return [];
  const hours = Math.ceil((Date.parse(publishedAt) - Date.parse(due)) / 3_600_000);
  const late = hours < 24 ? count(hours, 'hour') : count(Math.floor(hours / 24), 'day');
  return [`${CHAINS[chain].name} ${dateWords(span.last_date)}, ${late} late`];
}

/** Returns an instant without its seconds: `2023-09-27 06:00`. */
const minuteOf = (instant: string): string => instant.slice(0, 16).replace('T', ' ');
