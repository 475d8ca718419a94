import { CHAINS } from '../../../schemas/catalog.js';
import { PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { ChainChanges, DateSpan, ReleaseChanges } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { count } from '../text/number-words.js';
import { dateWords } from '../text/date-words.js';
import { pageFile } from './page.js';
import { inChainOrder } from './page-words.js';
import type { SiteTexts } from './site-texts.js';

/** Returns the page with what each release changed. `releases` are the newest first. */
export function changesPage(site: SiteTexts, releases: readonly ReleaseChanges[]): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.changes,
    template: 'changes',
    title: 'Changes',
    description: 'What each release added or corrected, and why.',
    values: () => ({
      data: PUBLIC_PATHS.changes,
      releases: releases.map((release) => ({
        id: releaseId(release.revision),
        revision: release.revision,
        publishedAt: release.published_at,
        date: dateWords(release.published_at.slice(0, 10)),
        reasons: release.reason === null ? [] : [`Reason: ${release.reason}`],
        lines: releaseLines(release),
      })),
    }),
  });
}

/** Returns the id of a release's section on the page. */
export const releaseId = (revision: string): string => `r${revision}`;

/** Returns what a release changed, a sentence for each change. */
export function releaseLines({ chains, rollback, hold, holds }: ReleaseChanges): string[] {
  const lines = [
    ...(rollback === null ? [] : [`Rolled back to revision ${rollback}.`]),
    ...(hold === undefined ? [] : [holdWords('Publication', hold)]),
    ...inChainOrder(holds ?? {}).map(([chain, held]) => holdWords(CHAINS[chain].name, held)),
    ...inChainOrder(chains).flatMap(([chain, each]) => chainLines(CHAINS[chain].name, each)),
  ];
  return lines.length === 0 ? ['Only files about the data changed. No day changed.'] : lines;
}

const holdWords = (what: string, reason: string | null): string =>
  reason === null ? `${what} is no longer on hold.` : `${what} is on hold: ${reason}.`;

function chainLines(
  name: string,
  { new: added, restated, withdrawn, label_changes: labels, sources_changed: sources }: ChainChanges,
): string[] {
  const line = (verb: string, span: DateSpan | null): string[] =>
    span === null ? [] : [`${name}: ${count(span.days, 'day')} ${verb}, ${spanWords(span)}.`];
  return [
    ...line('added', added),
    ...line('corrected', restated),
    ...line('withdrawn', withdrawn),
    ...labels.map(
      ({ date, from, to }) => `${name}: the regime of ${dateWords(date)} is now ${to}, not ${from}.`,
    ),
    ...(sources === undefined ? [] : [`${name}: its sources changed.`]),
  ];
}

function spanWords({ first_date: first, last_date: last }: DateSpan): string {
  return first === last ? dateWords(first) : `${dateWords(first)} to ${dateWords(last)}`;
}
