import { ACCOUNT_PATHS, methodologyPagePath, PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { sha256Base64 } from '../../../schemas/digest.js';
import { pagePolicy } from '../../../schemas/page-policy.js';
import { siteLinks } from '../../../schemas/site-links.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import { HTML_TYPE, textContent, type FileTemplate, type ReleaseStamp } from '../artifacts/artifact.js';
import { trustHtml } from '../text/text-template.js';
import type { PageTemplate, SiteAsset, SiteTexts } from './site-texts.js';

/** The social card: networks want to know its size before they load it. */
const CARD = {
  width: 1200,
  height: 630,
  alt: 'What state is a chain in? Four ribbons in the colours of the regimes.',
};

const SECTIONS = [
  { path: PAGE_PATHS.front, name: 'Chains' },
  { path: PAGE_PATHS.docs, name: 'Docs' },
  { path: methodologyPagePath('v1'), name: 'Methodology' },
  { path: PAGE_PATHS.pricing, name: 'Pricing' },
  { path: ACCOUNT_PATHS.page, name: 'Account' },
];

const RESOURCES = [
  { path: PAGE_PATHS.status, name: 'Status' },
  { path: PAGE_PATHS.changes, name: 'Changes' },
  { path: PAGE_PATHS.glossary, name: 'Glossary' },
  { path: PAGE_PATHS.verify, name: 'Verify' },
  { path: PUBLIC_PATHS.release, name: 'Digests' },
  { path: PUBLIC_PATHS.openapi, name: 'OpenAPI' },
];

/** Options for `pageFile`. */
export type PageOptions = {
  readonly path: string;
  readonly template: PageTemplate;
  readonly title: string;
  readonly description: string;
  /** Styles inside the page, so that its first screen is painted without another file. Its template then links to the style sheet. */
  readonly styles?: readonly string[];
  /** Scripts of this page, after the script of all pages. */
  readonly scripts?: readonly SiteAsset[];
  /** Returns the values of the template. A page shows the revision of the release in which it last changed. */
  readonly values: (stamp: ReleaseStamp) => object;
};

/** Returns a page as a file of a release. Its own values override the shared ones. */
export function pageFile(
  site: SiteTexts,
  { path, template, title, description, styles = [], scripts = [], values }: PageOptions,
): FileTemplate {
  const { details } = site;
  const name = details?.name ?? SITE_NAME;
  const origins = details === undefined ? [] : [details.base_url.replace(/\/$/, '')];
  const shared = {
    title: path === PAGE_PATHS.front ? name : `${title} · ${name}`,
    description,
    canonical: origins.map((origin) => origin + path),
    card: origins.map((origin) => ({ ...CARD, url: origin + PAGE_PATHS.card })),
    site: {
      name,
      policy: pagePolicy(styles.map(sha256Base64)),
      ...PAGE_PATHS,
      stylesheet: site.stylesheet.path,
    },
    styles: styles.map(trustHtml),
    scripts: [site.script, ...scripts].map((script) => script.path),
    stylesheets: styles.length === 0 ? [site.stylesheet.path] : [],
    sections: SECTIONS.map((section) => ({ ...section, current: currentOf(section.path, path) })),
    resources: RESOURCES,
    publisher: details?.publisher === undefined ? [] : [details.publisher],
    links: details === undefined ? [] : siteLinks(details),
  };
  return {
    path,
    type: HTML_TYPE,
    content: (stamp) => textContent(site.templates[template]({ ...shared, ...values(stamp) })),
  };
}

/** Returns the value of `aria-current` of a link to a section: the page itself, or a page below it. */
function currentOf(section: string, path: string): string[] {
  if (section === path) return ['page'];
  return section === PAGE_PATHS.docs && path.startsWith(`${section}/`) ? ['true'] : [];
}
