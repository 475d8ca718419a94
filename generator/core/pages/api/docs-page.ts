import { openApiDocument } from '../../../../schemas/openapi.js';
import { examplePath, PAGE_PATHS, problemPath, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import { PROBLEMS, type ProblemCode } from '../../../../schemas/problems.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { asNode, createResolver, textOf, type Node, type Resolver } from './api-nodes.js';
import { headerId, toTags } from './api-operations.js';
import { toSchemaSections } from './api-schemas.js';
import { toTypeParts } from './api-types.js';
import { renderMarkdownLine } from '../markdown-html.js';
import { pageFile } from '../page.js';
import type { ExampleText, SiteTexts } from '../site-texts.js';

/** Returns the API reference, generated from the OpenAPI document, with the examples. */
export function docsPage(site: SiteTexts, document: Node = openApiDocument(site.details)): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.docs,
    template: 'docs',
    title: 'API reference',
    description:
      'Every path, parameter, response, header, problem and schema of the API, with examples that run.',
    values: () => toValues(document, site.examples),
  });
}

function toValues(document: Node, examples: readonly ExampleText[]): object {
  const resolve = createResolver(document);
  const components = asNode(document['components']);
  return {
    lead: renderMarkdownLine(textOf(asNode(document['info'])['description'])),
    openapi: document['openapi'],
    openapiPath: PUBLIC_PATHS.openapi,
    tags: toTags(document, resolve),
    access: Object.entries(asNode(components['securitySchemes'])).map(([name, scheme]) => ({
      name,
      text: toAccessWords(resolve(scheme)),
    })),
    examples: examples.map(({ name, text }) => ({
      id: `example-${name.replaceAll('.', '-')}`,
      name,
      path: examplePath(name),
      text,
    })),
    problems: (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => ({
      code,
      path: problemPath(code),
      status: PROBLEMS[code].status,
      meaning: renderMarkdownLine(PROBLEMS[code].meaning),
    })),
    headers: toHeaders(asNode(components['headers']), resolve),
    schemas: toSchemaSections(asNode(components['schemas'])),
  };
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
