import { count, countWords, dateWords, joinWords } from '../../../schemas/words.js';
import type { Chain, ChainChanges, DateSpan, ReleaseChanges } from '../../../schemas/types.generated.js';
import {
  type FileTemplate,
  PLAIN_TYPE,
  type ReleaseStamp,
  textContent,
  XML_TYPE,
} from '../artifacts/artifact.js';
import type { ReleaseOptions } from '../artifacts/release-files.js';
import { ABSENT, addressOf, inChainOrder, pageFile, type SiteTexts, toFreshnessNotices } from './page.js';
import { CHAINS, EXAMPLE_NAMES, GUIDE_NAMES } from '../../../schemas/catalog.js';
import {
  calendarPath,
  chainPagePath,
  dayPagePath,
  metricsPagePath,
  exampleViewPath,
  guidePath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
  regimesPath,
  summaryPath,
  weeklyArchivePath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import { freshnessLimits } from '../../../schemas/freshness.js';
import { isOverdue, toPublishedFreshness } from '../artifacts/freshness.js';
import { addDays } from '../../../schemas/dates.js';
import { describedPaths } from '../../../schemas/openapi.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import { atomFile, tagOf } from '../feeds/atom.js';
import { toOperations } from './api-schemas.js';
import type { FrontOptions } from './front-page.js';
import { parseGuideHead } from './docs-pages.js';

/** Returns the pages and the feed that name their own release. `releases` are the newest first, with this one. */
export function releasePages(
  site: SiteTexts,
  options: ReleaseOptions,
  releases: readonly ReleaseChanges[],
): FileTemplate[] {
  return [statusPage(site, options, releases), changesPage(site, releases), feedFile(site, releases)];
}

/** Returns the page about what is published and whether the releases came on time. `releases` are the newest first. */
function statusPage(
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
    last: lastAvailable === null ? [] : [lastAvailable],
    next: minuteOf(fresh.expected_next_by),
    overdue: isOverdue(fresh.expected_next_by, publishedAt) ? ', late' : '',
    late: fresh.late_after === null ? [] : [minuteOf(fresh.late_after)],
    stale: fresh.stale_after === null ? [] : [minuteOf(fresh.stale_after)],
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

/** Returns the page with what each release changed. `releases` are the newest first. */
function changesPage(site: SiteTexts, releases: readonly ReleaseChanges[]): FileTemplate {
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
const releaseId = (revision: string): string => `r${revision}`;

/** Returns what a release changed, a sentence for each change. */
function releaseLines({ chains, rollback, hold, holds }: ReleaseChanges): string[] {
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

/** Returns the Atom feed of releases. `releases` are the newest first, at least one. */
function feedFile({ details }: SiteTexts, releases: readonly ReleaseChanges[]): FileTemplate {
  const address = addressOf(details?.base_url);
  return atomFile({
    id: tagOf('releases'),
    title: `${details?.name ?? SITE_NAME}: releases`,
    author: details?.publisher ?? SITE_NAME,
    path: PAGE_PATHS.feed,
    page: PAGE_PATHS.changes,
    address,
    entries: releases.map((release) => {
      const { revision, reason } = release;
      return {
        id: tagOf(`release/${revision}`),
        title: `Release ${revision}`,
        updated: updatedOf(release),
        page: `${address}${PAGE_PATHS.changes}#${releaseId(revision)}`,
        text: [...(reason === null ? [] : [`Reason: ${reason}`]), ...releaseLines(release)].join('\n'),
      };
    }),
  });
}

/**
 * Returns when the entry of a release was updated. Releases can share a second, and two entries must not: the second release
 * of a date and those after it have their number as a fraction, which stays the same when the releases around them are gone.
 */
function updatedOf({ revision, published_at: publishedAt }: ReleaseChanges): string {
  const [, number = ''] = revision.split('.');
  return Number(number) === 1 ? publishedAt : publishedAt.replace('Z', `.${number}Z`);
}

/** Returns the files that programs look for: sitemap.xml, robots.txt and llms.txt. They name the chains of `facts`. */
export function crawlerFiles(site: SiteTexts, { facts, methodologyVersion }: FrontOptions): FileTemplate[] {
  const chains = facts.map(({ chain }) => chain);
  const { details } = site;
  const address = addressOf(details?.base_url);
  const {
    front,
    chains: list,
    docs,
    api,
    apiSchemas,
    pricing,
    status,
    changes,
    glossary,
    verify,
    search,
  } = PAGE_PATHS;
  const pages = [
    front,
    list,
    docs,
    pricing,
    status,
    changes,
    glossary,
    verify,
    search,
    methodologyPagePath(methodologyVersion),
    ...chains.map(chainPagePath),
    ...facts.flatMap(({ chain, landing }) => landing.labels.map(({ date }) => dayPagePath(chain, date))),
    ...chains.map(metricsPagePath),
    ...GUIDE_NAMES.map(guidePath),
    api,
    apiSchemas,
    ...EXAMPLE_NAMES.map(exampleViewPath),
    ...toOperations({ paths: describedPaths() }).map(({ page }) => page),
  ];
  const urls = pages.map((page) => `<url><loc>${address}${page}</loc></url>\n`);
  const sitemap = `<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
  const robots = `User-agent: *\nAllow: /\nDisallow: ${PAGE_PATHS.dayFrame}\nSitemap: ${address}${PAGE_PATHS.sitemap}\n`; // not a page
  return [
    { path: PAGE_PATHS.sitemap, type: XML_TYPE, content: () => textContent(sitemap) },
    { path: PAGE_PATHS.robots, type: PLAIN_TYPE, content: () => textContent(robots) },
    {
      path: PAGE_PATHS.llms,
      type: PLAIN_TYPE,
      content: () => textContent(llmsText(site, chains)),
    },
  ];
}

/** Returns the summary of the site for language models (llmstxt.org). */
function llmsText({ details, guides }: SiteTexts, chains: readonly Chain[]): string {
  const address = addressOf(details?.base_url);
  const name = details?.name ?? SITE_NAME;
  const link = (title: string, path: string, words: string): string =>
    `- [${title}](${address}${path}): ${words}`;
  return [
    `# ${name}`,
    '',
    `> One regime for each day of ${joinWords(chains.map((chain) => CHAINS[chain].name)) || 'chains'}: how much the chain is used and how scarce its block space is, with a confidence and the metrics behind it. No prices, no forecasts, no advice.`,
    '',
    '## Data without a key',
    ...chains.map((chain) =>
      link(`${CHAINS[chain].name} calendar`, calendarPath(chain), 'CSV, one row for each day'),
    ),
    ...chains.map((chain) =>
      link(`${CHAINS[chain].name} summary`, summaryPath(chain), 'JSON, the newest day'),
    ),
    ...chains.map((chain) =>
      link(`${CHAINS[chain].name} labels`, regimesPath(chain), 'JSON, what each label has meant'),
    ),
    ...chains.map((chain) =>
      link(
        `${CHAINS[chain].name} week`,
        weeklySummaryPath(chain),
        `text, the last seven dates; the complete weeks of a year are in ${address}${weeklyArchivePath(chain, 'YYYY')}`,
      ),
    ),
    link('Data Package', PAGE_PATHS.dataPackage, 'JSON, all calendars with digests, types and sources'),
    link('Croissant', PAGE_PATHS.croissant, 'JSON-LD, all calendars with digests and types'),
    link('Status', PUBLIC_PATHS.status, 'JSON, how fresh each chain is'),
    link('Changes', PUBLIC_PATHS.changes, 'JSON, what each release changed'),
    '',
    '## Documentation',
    link('Quickstart', PAGE_PATHS.docs, 'the first lines in Python, curl and JavaScript'),
    ...GUIDE_NAMES.map((guide) => {
      const { title, lead } = parseGuideHead(guides[guide].text);
      return link(title, guidePath(guide), lead);
    }),
    link('API reference', PAGE_PATHS.api, 'every operation, with a sample of its response'),
    link('OpenAPI', PUBLIC_PATHS.openapi, 'every path, as OpenAPI 3.1'),
    link('Verify', PAGE_PATHS.verify, 'how a reader proves that the files are what the publisher signed'),
    link('Glossary', PUBLIC_PATHS.glossary, 'JSON, every field'),
    '',
  ].join('\n');
}
