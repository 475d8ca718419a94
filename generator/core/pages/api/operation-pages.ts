import { openApiDocument } from '../../../../schemas/openapi.js';
import { PAGE_PATHS } from '../../../../schemas/paths.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { docsList } from '../docs/docs-list.js';
import { renderMarkdownLine } from '../markdown-html.js';
import { pageFile } from '../page.js';
import { addressOf } from '../site-address.js';
import type { SiteTexts } from '../site-texts.js';
import { asNode, createResolver, textOf, type Node, type Resolver } from './api-nodes.js';
import { toCurl } from './api-request.js';
import { toResponseRows } from './api-responses.js';
import { toSamples } from './api-samples.js';
import { toMembers } from './api-schemas.js';
import { toTypeParts } from './api-types.js';
import { isCoveredBy, toOperations, type Head, type Operation } from './list-operations.js';

/** Returns the page of each operation of the API. The page of GET also describes HEAD. */
export function operationPages(
  site: SiteTexts,
  document: Node = openApiDocument(site.details),
): FileTemplate[] {
  const resolve = createResolver(document);
  const operations = toOperations(document);
  return operations.map((operation) => {
    const { page, method, path, summary } = operation;
    return pageFile(site, {
      path: page,
      template: 'operation',
      title: summary,
      description: `${method} ${path}: parameters, responses, headers and a sample. ${summary}.`,
      values: () => ({
        list: docsList(site, page),
        api: PAGE_PATHS.api,
        ...toValues(operation, document, resolve),
        request: {
          label: 'Request with curl',
          text: toCurl(operation, addressOf(site.details?.base_url), resolve),
        },
        others: operations
          .filter(({ tag }) => tag === operation.tag)
          .map((each) => ({ ...toLink(each), current: each.page === page ? ['page'] : [] })),
      }),
    });
  });
}

const toLink = ({ page, method, path, summary }: Operation): object => ({ page, method, path, summary });

function toValues(operation: Operation, document: Node, resolve: Resolver): object {
  const { name, tag, method, path, summary, description, heads, node } = operation;
  const parameters = operation.parameters.map((each) => toParameter(resolve(each)));
  const tables = [
    { name, title: 'Responses', captions: [], rows: toResponseRows(node, resolve) },
    ...heads
      .filter((head) => !isCoveredBy(node, head.node, resolve))
      .map((head) => ({
        name: head.name,
        title: 'Responses to HEAD',
        captions: ['Responses to HEAD'],
        rows: toResponseRows(head.node, resolve),
      })),
  ];
  return {
    ...{ name, tag, method, path, summary },
    details: description === '' ? [] : [renderMarkdownLine(description)],
    access: toAccess(operation.security),
    twins: heads.map((head) => toTwin(head, isCoveredBy(node, head.node, resolve))),
    parameters: parameters.length === 0 ? [] : [{ rows: parameters }],
    body: node['requestBody'] === undefined ? [] : toBody(resolve(node['requestBody'])),
    samples: toSamples(document, node, resolve).map((sample, i) => ({
      ...sample,
      tables: sample.members.map((table) => ({
        name: table.name,
        open: i === 0 ? ['open'] : [],
        members: [{ ...table, captions: [] }], // the summary says it
      })),
    })),
    responses: tables,
  };
}

/** Returns how HEAD differs from GET. `covers`: all its responses apply to GET too, apart from their content. */
function toTwin({ name, node }: Head, covers: boolean): object {
  const statuses = Object.keys(asNode(node['responses'])).join(', ');
  const words = covers
    ? `returns the same response without content: ${statuses}`
    : 'has responses of its own, below';
  return { name, words };
}

/** Returns the security schemes of an operation, and where they are explained; an empty list if it needs none. */
function toAccess(security: readonly unknown[]): object[] {
  const schemes = security.map((each) => Object.keys(asNode(each)).join(' and ')).join(' or ');
  return schemes === '' ? [] : [{ schemes, path: `${PAGE_PATHS.api}#access` }];
}

function toParameter({ name, in: place, required, schema, description }: Node): object {
  return {
    name,
    place,
    required: required === true ? ['required'] : [],
    type: toTypeParts(asNode(schema)),
    description: renderMarkdownLine(textOf(description)),
  };
}

function toBody({ required, description, content }: Node): object[] {
  return Object.entries(asNode(content)).map(([media, each]) => {
    const schema = asNode(asNode(each)['schema']);
    return {
      media,
      need: required === true ? 'required' : 'optional',
      description,
      type: toTypeParts(schema),
      members: toMembers('the body', schema),
    };
  });
}
