import type { GuideName } from '../../../schemas/catalog.js';
import type { Site } from '../../../schemas/types.generated.js';
import type { TextTemplate } from '../text/text-template.js';

/** Names of the page templates. `layout` surrounds every page; those from `plans` on are partials. */
export const PAGE_TEMPLATES = [
  'layout',
  'front',
  'chain',
  'pricing',
  'status',
  'changes',
  'glossary',
  'docs',
  'guide',
  'example',
  'api',
  'operation',
  'schemas',
  'methodology',
  'verify',
  'problem',
  'plans',
  'docs-list',
  'code',
  'code-tabs',
  'members',
  'type',
  'figure',
] as const;

export type PageTemplate = (typeof PAGE_TEMPLATES)[number];

/** An example program, published as a file and shown on a page. */
export type ExampleText = { readonly name: string; readonly text: string };

/** The code of a section of a guide. `file` is the section's id with an ending of `CODE_TABS`. */
export type GuideCode = { readonly file: string; readonly text: string };

/** A guide: a Markdown text with a section for each second-level heading, and the code of the sections. */
export type GuideText = { readonly text: string; readonly codes: readonly GuideCode[] };

/** Names of the texts in `templates/guides`. The quickstart is on the first page of the documentation. */
export type GuideTextName = GuideName | 'quickstart';

/** A style sheet or script. Its path contains its digest: a page always loads the right version, and caches can keep it. */
export type SiteAsset = { readonly path: string; readonly text: string };

/** The templates and static texts of the pages. */
export type SiteTexts = {
  readonly templates: { readonly [name in PageTemplate]: TextTemplate };
  /** The styles of the first screen of a page. */
  readonly firstStyle: string;
  /** All styles. */
  readonly stylesheet: SiteAsset;
  /** The script of the pages, bundled. */
  readonly script: SiteAsset;
  /** The script of the page that verifies the site, bundled. */
  readonly verifyScript: SiteAsset;
  readonly icon: string;
  /** The picture that social networks show beside a link, a PNG. */
  readonly card: Uint8Array;
  /** URL path of the wheel of the Python client. */
  readonly wheel: string;
  /** Ascending by name. */
  readonly examples: readonly ExampleText[];
  readonly guides: Readonly<Record<GuideTextName, GuideText>>;
  /** Who publishes, and where; absent without a `site.json`. */
  readonly details?: Site;
};
