import { CHAINS, EXAMPLE_NAMES, GUIDE_NAMES } from '../../../schemas/catalog.js';
import { openApiDocument } from '../../../schemas/openapi.js';
import {
  calendarPath,
  chainPagePath,
  exampleViewPath,
  guidePath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
  summaryPath,
} from '../../../schemas/paths.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import type { Chain, ReleaseChanges } from '../../../schemas/types.generated.js';
import { ATOM_TYPE, PLAIN_TYPE, textContent, XML_TYPE, type FileTemplate } from '../artifacts/artifact.js';
import { escapeHtml } from '../text/text-template.js';
import { joinWords } from '../text/date-words.js';
import { toOperations } from './api/list-operations.js';
import type { FrontOptions } from './front-page.js';
import { releaseId, releaseLines } from './changes-page.js';
import { parseGuide } from './docs/parse-guide.js';
import { addressOf } from './site-address.js';
import type { SiteTexts } from './site-texts.js';

/** Returns the Atom feed of releases (RFC 4287). `releases` are the newest first, at least one. */
export function feedFile({ details }: SiteTexts, releases: readonly ReleaseChanges[]): FileTemplate {
  const address = addressOf(details?.base_url);
  const name = escapeHtml(details?.name ?? SITE_NAME);
  const entries = releases.map((release) => {
    const { revision, published_at: at, reason } = release;
    const page = `${address}${PAGE_PATHS.changes}#${releaseId(revision)}`;
    const lines = [...(reason === null ? [] : [`Reason: ${reason}`]), ...releaseLines(release)];
    return `<entry><id>${page}</id><title>Release ${revision}</title><updated>${at}</updated><link href="${page}"/><content type="text">${escapeHtml(lines.join('\n'))}</content></entry>\n`;
  });
  const feed = `${address}${PAGE_PATHS.feed}`;
  return {
    path: PAGE_PATHS.feed,
    type: ATOM_TYPE,
    content: () =>
      textContent(
        `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><id>${feed}</id><title>${name}: releases</title><updated>${releases[0]?.published_at ?? ''}</updated><author><name>${escapeHtml(details?.publisher ?? SITE_NAME)}</name></author><link rel="self" href="${feed}"/><link href="${address}${PAGE_PATHS.changes}"/>\n${entries.join('')}</feed>\n`,
      ),
  };
}

/** Returns the files that programs look for: sitemap.xml, robots.txt and llms.txt. They name the chains of `facts`. */
export function crawlerFiles(site: SiteTexts, { facts, methodologyVersion }: FrontOptions): FileTemplate[] {
  const chains = facts.map(({ chain }) => chain);
  const { details } = site;
  const address = addressOf(details?.base_url);
  const { front, docs, api, apiSchemas, pricing, status, changes, glossary, verify } = PAGE_PATHS;
  const pages = [
    ...[front, docs, pricing, status, changes, glossary, verify],
    methodologyPagePath(methodologyVersion),
    ...chains.map(chainPagePath),
    ...GUIDE_NAMES.map(guidePath),
    ...[api, apiSchemas],
    ...EXAMPLE_NAMES.map(exampleViewPath),
    ...toOperations(openApiDocument(details)).map(({ page }) => page),
  ];
  const urls = pages.map((page) => `<url><loc>${address}${page}</loc></url>\n`);
  const sitemap = `<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
  const robots = `User-agent: *\nAllow: /\nSitemap: ${address}${PAGE_PATHS.sitemap}\n`;
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
    link('Status', PUBLIC_PATHS.status, 'JSON, how fresh each chain is'),
    link('Changes', PUBLIC_PATHS.changes, 'JSON, what each release changed'),
    '',
    '## Documentation',
    link('Quickstart', PAGE_PATHS.docs, 'the first lines in Python, curl and JavaScript'),
    ...GUIDE_NAMES.map((guide) => {
      const { title, lead } = parseGuide(guides[guide].text);
      return link(title, guidePath(guide), lead);
    }),
    link('API reference', PAGE_PATHS.api, 'every operation, with a sample of its response'),
    link('OpenAPI', PUBLIC_PATHS.openapi, 'every path, as OpenAPI 3.1'),
    link('Verify', PAGE_PATHS.verify, 'how a reader proves that the files are what the publisher signed'),
    link('Glossary', PUBLIC_PATHS.glossary, 'JSON, every field'),
    '',
  ].join('\n');
}
