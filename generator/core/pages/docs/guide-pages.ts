import { GUIDE_NAMES } from '../../../../schemas/catalog.js';
import { guidePath } from '../../../../schemas/paths.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { pageFile } from '../page.js';
import type { SiteTexts } from '../site-texts.js';
import { toCodeTabs } from './code-tabs.js';
import { docsList } from './docs-list.js';
import { parseGuide } from './parse-guide.js';

/** Returns the page of each guide. */
export function guidePages(site: SiteTexts): FileTemplate[] {
  return GUIDE_NAMES.map((name) => {
    const { text, codes } = site.guides[name];
    const { title, lead, leadHtml, sections } = parseGuide(text);
    return pageFile(site, {
      path: guidePath(name),
      template: 'guide',
      title,
      description: lead,
      values: () => ({
        list: docsList(site, guidePath(name)),
        heading: title,
        lead: leadHtml,
        parts: sections.map((section) => {
          const tabs = toCodeTabs(codes, section.id, section.title);
          return { ...section, code: tabs.length === 0 ? [] : [{ tabs }] };
        }),
      }),
    });
  });
}
