import { methodologyPagePath, PAGE_PATHS, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import { PAGE_POLICY } from '../../../../schemas/page-policy.js';
import { HTML_TYPE, textContent, type FileKind, type Stamp } from '../artifact.js';
import type { PageTemplate, SiteTexts } from './site-texts.js';

/** What the service is called on its pages. */
export const SITE_NAME = 'Chain reference data';

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

/** A page: where it is, what it is called, and what its template says of a release. */
export type PageTerms = {
  readonly path: string;
  readonly template: PageTemplate;
  readonly title: string;
  readonly description: string;
  /** `revision` on a page is that which made it what it is. */
  readonly values: (stamp: Stamp) => object;
};

/** A page as a file of a release. Its own values come before those of every page. */
export function pageFile(
  site: SiteTexts,
  { path, template, title, description, values }: PageTerms,
): FileKind {
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
