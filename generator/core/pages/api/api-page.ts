import { openApiDocument } from '../../../../schemas/openapi.js';
import { PAGE_PATHS, problemPath, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import { PROBLEMS, type ProblemCode } from '../../../../schemas/problems.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { docsList } from '../docs/docs-list.js';
import { renderMarkdownLine } from '../markdown-html.js';
import { pageFile } from '../page.js';
import type { SiteTexts } from '../site-texts.js';
import { asNode, createResolver, textOf, type Node, type Resolver } from './api-nodes.js';
import { headerId } from './api-responses.js';
import { schemaPath, toTypeParts } from './api-types.js';
import { toOperations, toTags, type Operation } from './list-operations.js';

/** Returns the index of the API reference: every operation, and what all of them share. */
export function apiPage(site: SiteTexts, document: Node = openApiDocument(site.details)): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.api,
    template: 'api',
    title: 'API reference',
    description: 'Every operation, problem, response header and schema of the API, to search.',
    values: () => ({ list: docsList(site, PAGE_PATHS.api), ...toValues(document) }),
  });
}

function toValues(document: Node): object {
  const resolve = createResolver(document);
  const components = asNode(document['components']);
  const operations = toOperations(document);
  return {
    about: renderMarkdownLine(textOf(asNode(document['info'])['description'])),
    openapi: document['openapi'],
    openapiPath: PUBLIC_PATHS.openapi,
    tags: toTags(document).map(({ id, name, description }) => ({
      id,
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name).map((each) => toEntry(each, resolve)),
    })),
    access: Object.entries(asNode(components['securitySchemes'])).map(([name, scheme]) => ({
      name,
      text: toAccessWords(resolve(scheme)),
    })),
    problems: (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => ({
      code,
      path: problemPath(code),
      status: PROBLEMS[code].status,
      meaning: renderMarkdownLine(PROBLEMS[code].meaning),
    })),
    headers: toHeaders(asNode(components['headers']), resolve),
    schemas: Object.keys(asNode(components['schemas']))
      .sort()
      .map((name) => ({ name, path: schemaPath(name) })),
  };
}

/** Returns an operation of the index. A search also finds `words`: its id, description and parameters. */
function toEntry(
  { page, method, path, summary, name, parameters, ...rest }: Operation,
  resolve: Resolver,
): object {
  const names = parameters.map((each) => textOf(resolve(each)['name']));
  return { page, method, path, summary, words: [name, rest.description, ...names].join(' ') };
}

function toAccessWords({ type, scheme, bearerFormat, in: place, name, description }: Node): string {
  const how =
    type === 'http'
      ? `Header Authorization, ${textOf(scheme)}, ${textOf(bearerFormat)}.`
      : `In the ${textOf(place)} ${textOf(name)}.`;
  return `${how} ${textOf(description)}`;
}

function toHeaders(headers: Node, resolve: Resolver): object[] {
  return Object.entries(headers).map(([name, header]) => {
    const { schema, description } = resolve(header);
    return {
      id: headerId(name),
      name,
      type: toTypeParts(asNode(schema)),
      description: renderMarkdownLine(textOf(description)),
    };
  });
}
