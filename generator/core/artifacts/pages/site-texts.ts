import type { TextTemplate } from '../../text/text-template.js';

/** The templates of pages, by the names of their files; `layout` is what all are set in, the last ones are parts. */
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

/** Name of a template of pages. */
export type PageTemplate = (typeof PAGE_TEMPLATES)[number];

/** A program or document that shows how the files are used. */
export type ExampleText = { readonly name: string; readonly text: string };

/** What the pages are made from, the data apart. */
export type SiteTexts = {
  readonly templates: { readonly [name in PageTemplate]: TextTemplate };
  readonly stylesheet: string;
  readonly icon: string;
  /** By name, ascending. */
  readonly examples: readonly ExampleText[];
};
