import { PAGE_PATHS } from '../../../../schemas/paths.js';
import type { Methodology } from '../../../../schemas/types.generated.js';
import { CSS_TYPE, SVG_TYPE, textContent, type Content, type FileKind, type Stamp } from '../artifact.js';
import { docsPage } from './docs-page.js';
import { methodologyPage } from './methodology-page.js';
import { problemPages } from './problem-pages.js';
import type { SiteTexts } from './site-texts.js';

/** What the pages are made from that rest on the product alone. */
export type ReferencePageTerms = {
  readonly site: SiteTexts;
  readonly methodology: Methodology;
  readonly methodologyText: string;
};

/** The pages that rest on the product alone, and what all pages are drawn with. Each is made once for its texts. */
export function referencePages(terms: ReferencePageTerms): readonly FileKind[] {
  const known = PAGES.get(terms) ?? makePages(terms);
  PAGES.set(terms, known);
  return known;
}

/** No release changes them, and to make them again for each would take longer than all else of a small one. */
const PAGES = new WeakMap<ReferencePageTerms, readonly FileKind[]>();

function makePages({ site, methodology, methodologyText }: ReferencePageTerms): FileKind[] {
  const asset = (path: string, type: string, text: string): FileKind => ({
    path,
    type,
    content: () => textContent(text),
  });
  return [
    asset(PAGE_PATHS.stylesheet, CSS_TYPE, site.stylesheet),
    asset(PAGE_PATHS.icon, SVG_TYPE, site.icon),
    ...[docsPage(site), methodologyPage(site, methodology, methodologyText), ...problemPages(site)].map(once),
  ];
}

/** Precondition: the content is the same for every release. */
function once(kind: FileKind): FileKind {
  let made: Content | undefined;
  return { ...kind, content: (stamp: Stamp) => (made ??= kind.content(stamp)) };
}
