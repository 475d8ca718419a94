import { methodologyPagePath, PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { PAGE_POLICY } from '../../../schemas/page-policy.js';
import { HTML_TYPE, textContent, type FileTemplate, type ReleaseStamp } from '../artifacts/artifact.js';
import type { PageTemplate, SiteTexts } from './site-texts.js';

/** Name of the service on its pages. */
const SITE_NAME = 'Chain reference data';

const SECTIONS = [
  { path: PAGE_PATHS.front, name: 'Overview' },
  { path: PAGE_PATHS.docs, name: 'API' },
  { path: methodologyPagePath('v1'), name: 'Methodology' },
];

const RESOURCES = [
  { path: PUBLIC_PATHS.status, name: 'Status' },
  { path: PUBLIC_PATHS.changes, name: 'Changes' },
  { path: PUBLIC_PATHS.glossary, name: 'Glossary' },
  { path: PUBLIC_PATHS.release, name: 'Digests' },
  { path: PUBLIC_PATHS.openapi, name: 'OpenAPI' },
];

/** Options for `pageFile`. */
export type PageOptions = {
  readonly path: string;
  readonly template: PageTemplate;
  readonly title: string;
  readonly description: string;
  /** Returns the values of the template. A page shows the revision of the release in which it last changed. */
  readonly values: (stamp: ReleaseStamp) => object;
};

/** Returns a page as a file of a release. Its own values override the shared ones. */
export function pageFile(
  site: SiteTexts,
  { path, template, title, description, values }: PageOptions,
): FileTemplate {
  const shared = {
    title: path === PAGE_PATHS.front ? SITE_NAME : `${title} · ${SITE_NAME}`,
    description,
    site: { name: SITE_NAME, policy: PAGE_POLICY, ...PAGE_PATHS },
    sections: SECTIONS.map((section) => ({ ...section, current: section.path === path ? ['page'] : [] })),
    resources: RESOURCES,
  };
  return {
    path,
    type: HTML_TYPE,
    content: (stamp) => textContent(site.templates[template]({ ...shared, ...values(stamp) })),
  };
}
