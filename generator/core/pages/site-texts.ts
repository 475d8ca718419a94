import type { Site } from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';

/** Names of the page templates. `layout` surrounds every page; the last three are partials. */
export const PAGE_TEMPLATES = [
  'layout',
  'front',
  'chain',
  'docs',
  'methodology',
  'problem',
  'operation',
  'schema',
  'type',
] as const;

export type PageTemplate = (typeof PAGE_TEMPLATES)[number];

/** An example program, published as a file and shown on the docs page. */
export type ExampleText = { readonly name: string; readonly text: string };

/** The templates and static texts of the pages. */
export type SiteTexts = {
  readonly templates: { readonly [name in PageTemplate]: TextTemplate };
  readonly stylesheet: string;
  readonly icon: string;
  /** Ascending by name. */
  readonly examples: readonly ExampleText[];
  /** Who publishes, and where; absent without a `site.json`. */
  readonly details?: Site;
};
