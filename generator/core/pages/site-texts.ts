import type { Site } from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';

/** Names of the page templates. `layout` surrounds every page; the last four are partials. */
export const PAGE_TEMPLATES = [
  'layout',
  'front',
  'chain',
  'pricing',
  'status',
  'changes',
  'glossary',
  'docs',
  'methodology',
  'problem',
  'plans',
  'operation',
  'schema',
  'type',
  'figure',
] as const;

export type PageTemplate = (typeof PAGE_TEMPLATES)[number];

/** An example program, published as a file and shown on the docs page. */
export type ExampleText = { readonly name: string; readonly text: string };

/** The templates and static texts of the pages. */
export type SiteTexts = {
  readonly templates: { readonly [name in PageTemplate]: TextTemplate };
  readonly stylesheet: string;
  /** The script of the pages, bundled. */
  readonly script: string;
  readonly icon: string;
  /** The picture that social networks show beside a link, a PNG. */
  readonly card: Uint8Array;
  /** URL path of the wheel of the Python client. */
  readonly wheel: string;
  /** Ascending by name. */
  readonly examples: readonly ExampleText[];
  /** Who publishes, and where; absent without a `site.json`. */
  readonly details?: Site;
};
