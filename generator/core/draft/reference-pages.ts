import { PAGE_PATHS } from '../../../schemas/paths.js';
import type { GlossaryEntry, Methodology } from '../../../schemas/types.generated.js';
import {
  CSS_TYPE,
  JS_TYPE,
  PNG_TYPE,
  SVG_TYPE,
  textContent,
  type Content,
  type FileTemplate,
  type ReleaseStamp,
} from '../artifacts/artifact.js';
import { apiPage } from '../pages/api/api-page.js';
import { operationPages } from '../pages/api/operation-pages.js';
import { schemasPage } from '../pages/api/schemas-page.js';
import { docsPage } from '../pages/docs/docs-page.js';
import { examplePages } from '../pages/docs/example-pages.js';
import { guidePages } from '../pages/docs/guide-pages.js';
import { glossaryPage } from '../pages/glossary-page.js';
import { methodologyPage } from '../pages/methodology-page.js';
import { pricingPage } from '../pages/pricing-page.js';
import { problemPages } from '../pages/problem-pages.js';
import type { SiteAsset, SiteTexts } from '../pages/site-texts.js';
import { verifyPage } from '../pages/verify-page.js';

/** The texts of the pages whose content is the same in every release of one generator version. */
export type ReferencePageOptions = {
  readonly site: SiteTexts;
  readonly methodology: Methodology;
  readonly methodologyText: string;
  readonly glossary: readonly GlossaryEntry[];
};

/** Returns the pages whose content is the same in every release of one generator version, with style sheet, scripts, icon and social card. */
export function referencePages(options: ReferencePageOptions): FileTemplate[] {
  const { site, methodology, methodologyText, glossary } = options;
  const asset = (type: string, { path, text }: SiteAsset): FileTemplate => ({
    path,
    type,
    content: () => textContent(text),
  });
  const files: FileTemplate[] = [
    asset(CSS_TYPE, site.stylesheet),
    asset(JS_TYPE, site.script),
    asset(JS_TYPE, site.verifyScript),
    asset(SVG_TYPE, { path: PAGE_PATHS.icon, text: site.icon }),
    {
      path: PAGE_PATHS.card,
      type: PNG_TYPE,
      content: () => ({ schema: 'text', value: 'a picture\n', text: '', bytes: site.card }),
    },
    docsPage(site),
    ...guidePages(site),
    ...examplePages(site),
    apiPage(site),
    schemasPage(site),
    ...operationPages(site),
    methodologyPage(site, methodology, methodologyText),
    pricingPage(site),
    glossaryPage(site, glossary),
    verifyPage(site),
    ...problemPages(site),
  ];
  return files.map(renderOnce);
}

/** Returns the template with its content cached after the first call. The content must not depend on the release. */
export function renderOnce(template: FileTemplate): FileTemplate {
  let rendered: Content | undefined;
  return { ...template, content: (stamp: ReleaseStamp) => (rendered ??= template.content(stamp)) };
}
