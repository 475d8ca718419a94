import { openApiDocument } from '../../../../schemas/openapi.js';
import { PAGE_PATHS } from '../../../../schemas/paths.js';
import type { FileTemplate } from '../../artifacts/artifact.js';
import { docsList } from '../docs/docs-list.js';
import { pageFile } from '../page.js';
import type { SiteTexts } from '../site-texts.js';
import { asNode, type Node } from './api-nodes.js';
import { toSchemaSections } from './api-schemas.js';

/** Returns the page with every schema of the API. */
export function schemasPage(site: SiteTexts, document: Node = openApiDocument(site.details)): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.apiSchemas,
    template: 'schemas',
    title: 'Schemas',
    description: 'Every member of every document that the API returns.',
    values: () => ({
      list: docsList(site, PAGE_PATHS.apiSchemas),
      schemas: toSchemaSections(asNode(asNode(document['components'])['schemas'])),
    }),
  });
}
