import {
  problemPath,
  PROBLEMS,
  type ProblemCode,
  type ProblemDocument,
} from '../../../../schemas/problems.js';
import type { FileKind } from '../artifact.js';
import { renderMarkdownLine } from './markdown-html.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';

const CODES = Object.keys(PROBLEMS) as ProblemCode[]; // keys of a closed literal

/** One page for each problem, at the path that is its `type`. */
export function problemPages(site: SiteTexts): FileKind[] {
  return CODES.map((code) => {
    const { status, title, meaning } = PROBLEMS[code];
    const sentence = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
    return pageFile(site, {
      path: problemPath(code),
      template: 'problem',
      title: `${status} ${code}: ${title}`,
      description: `The problem ${code}, HTTP status ${status}: ${meaning}.`,
      values: () => ({
        heading: title,
        code,
        status,
        meaning: renderMarkdownLine(sentence),
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

/** The problem as it might answer a request. */
function toDocument(code: ProblemCode): ProblemDocument {
  const { status, title, meaning } = PROBLEMS[code];
  return { type: problemPath(code), title, status, detail: meaning, instance: '0f0e6c9e', code };
}
