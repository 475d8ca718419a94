import { EXAMPLE_NAMES, GUIDE_NAMES } from '../../../../schemas/catalog.js';
import { exampleViewPath, guidePath, methodologyPagePath, PAGE_PATHS } from '../../../../schemas/paths.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { pageFile } from '../page.js';
import type { SiteTexts } from '../site-texts.js';
import { CODE_TABS, toCodeTabs } from './code-tabs.js';
import { docsList } from './docs-list.js';
import { parseGuide } from './parse-guide.js';

/** Returns the first page of the documentation: the quickstart, and where the rest is. */
export function docsPage(site: SiteTexts): FileTemplate {
  const { text, codes } = site.guides.quickstart;
  const { title, lead, leadHtml, sections } = parseGuide(text);
  return pageFile(site, {
    path: PAGE_PATHS.docs,
    template: 'docs',
    title: 'Documentation',
    description: lead,
    values: () => ({
      list: docsList(site, PAGE_PATHS.docs),
      heading: title,
      lead: leadHtml,
      tabs: CODE_TABS.map(({ id, name }) => ({
        id,
        name,
        steps: sections.map((section, i) => ({
          number: i + 1,
          title: section.title,
          body: section.body,
          codes: toCodeTabs(codes, section.id, section.title).filter((tab) => tab.id === id),
        })),
      })),
      guides: GUIDE_NAMES.map((name) => {
        const guide = parseGuide(site.guides[name].text);
        return { path: guidePath(name), title: guide.title, words: guide.leadHtml };
      }),
      api: PAGE_PATHS.api,
      methodology: methodologyPagePath('v1'),
      examples: EXAMPLE_NAMES.map((name) => ({ path: exampleViewPath(name), name })),
    }),
  });
}
