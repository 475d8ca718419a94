import { methodologyDigest } from '../../../schemas/methodology.js';
import { methodologyDataPath, methodologyPagePath, methodologyTextPath } from '../../../schemas/paths.js';
import type { Methodology } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { type TrustedHtml, trustHtml } from '../text/text-template.js';
import { renderMarkdown } from './markdown-html.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';
import { thresholdTables } from './threshold-tables.js';

/** Returns the page with a methodology's text and the thresholds from its data. */
export function methodologyPage(site: SiteTexts, methodology: Methodology, text: string): FileTemplate {
  const { version, summary, effective_date: effective } = methodology;
  return pageFile(site, {
    path: methodologyPagePath(version),
    template: 'methodology',
    title: `Methodology ${version}`,
    description: `Methodology ${version}. ${summary}`,
    values: () => {
      const { heading, opening, body, headings } = renderMarkdown(text);
      return {
        heading,
        opening: linkPaths(opening),
        body,
        contents: headings.filter(({ level }) => level === 2),
        thresholds: thresholdTables(methodology),
        textPath: methodologyTextPath(version),
        dataPath: methodologyDataPath(version),
        digest: methodologyDigest(methodology),
        effective,
      };
    },
  });
}

/** Makes links of the paths of files in a text. A path with a placeholder stays as it is. */
function linkPaths(html: TrustedHtml): TrustedHtml {
  return trustHtml(String(html).replace(/<code>(\/[\w/.-]+)<\/code>/g, '<a href="$1"><code>$1</code></a>'));
}
