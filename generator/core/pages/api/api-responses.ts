import { PAGE_PATHS, problemPath } from '../../../../schemas/paths.js';
import { PROBLEMS, type ProblemCode } from '../../../../schemas/problems.js';
import { renderMarkdownLine } from '../markdown-html.js';
import { asNode, textOf, type Node, type Resolver } from './api-nodes.js';
import { toTypeParts } from './api-types.js';

/** Returns the id of a response header on the index page. */
export function headerId(name: string): string {
  return `header-${name.toLowerCase()}`;
}

/** Returns the rows of the table of an operation's responses. */
export function toResponseRows(operation: Node, resolve: Resolver): object[] {
  return Object.entries(asNode(operation['responses'])).map(([status, answer]) =>
    toRow(status, resolve(answer)),
  );
}

function toRow(status: string, { description, content, headers }: Node): object {
  const codes = Object.values(asNode(content)).flatMap((each) =>
    Object.keys(asNode(asNode(each)['examples'])).filter(isProblem),
  );
  return {
    status,
    description: codes.length === 0 ? renderMarkdownLine(textOf(description)) : '',
    problems: codes.map((code) => ({ code, path: problemPath(code) })),
    content: Object.entries(asNode(content)).map(([media, each]) => ({
      media,
      type: toTypeParts(asNode(asNode(each)['schema'])),
    })),
    headers: Object.keys(asNode(headers)).map((name) => ({
      name,
      path: `${PAGE_PATHS.api}#${headerId(name)}`,
    })),
  };
}

function isProblem(name: string): name is ProblemCode {
  return Object.hasOwn(PROBLEMS, name);
}
