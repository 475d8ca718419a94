import { problemPath } from '../../../schemas/paths.js';
import { PROBLEMS, type ProblemCode, type ProblemDocument } from '../../../schemas/problems.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { renderMarkdownLine } from './markdown-html.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';

const CODES = Object.keys(PROBLEMS) as ProblemCode[]; // Object.keys loses the key type

/** Returns one page per problem, at the path used as its `type`. */
export function problemPages(site: SiteTexts): FileTemplate[] {
  return CODES.map((code) => {
    const { status, title, meaning, remedy } = PROBLEMS[code];
    return pageFile(site, {
      path: problemPath(code),
      template: 'problem',
      title: `${status} ${code}: ${title}`,
      description: `The problem ${code}, HTTP status ${status}: ${meaning}`,
      values: () => ({
        heading: title,
        code,
        status,
        meaning: renderMarkdownLine(meaning),
        remedy,
        example: JSON.stringify(toDocument(code), null, 2),
        problems: CODES.map((each) => ({
          code: each,
          path: problemPath(each),
          current: each === code ? ['page'] : [],
          status: PROBLEMS[each].status,
          title: PROBLEMS[each].title,
        })),
      }),
    });
  });
}

/** Returns an example of the problem document. */
function toDocument(code: ProblemCode): ProblemDocument {
  const { status, title, meaning } = PROBLEMS[code];
  return { type: problemPath(code), title, status, detail: meaning, instance: '0f0e6c9e', code };
}
