import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { SchemaName } from '../../../schemas/validate.js';

/** Which release a file names as its own. */
export type Stamp = { readonly revision: string; readonly sequence: number; readonly publishedAt: string };

/** The content of a file: what its schema judges, and the text that is published. */
export type Content = { readonly schema: SchemaName; readonly value: unknown; readonly text: string };

/** A file of a release: its path, and its content for the release that it names. */
export type FileKind = {
  readonly path: string;
  readonly type: string;
  readonly content: (stamp: Stamp) => Content;
};

/** A file with known bytes, whose content is made again on demand. */
export type Artifact = {
  readonly path: string;
  readonly type: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly content: () => Content;
};

/** A file that was just made, with the very content that its digest is of. */
export type MadeFile = { readonly artifact: Artifact; readonly content: Content };

/** Media type of JSON files. */
export const JSON_TYPE = 'application/json';
/** Media type of calendars. */
export const CSV_TYPE = 'text/csv; charset=utf-8';
/** Media type of texts in columns. */
export const PLAIN_TYPE = 'text/plain; charset=utf-8';
/** Media type of charts. */
export const SVG_TYPE = 'image/svg+xml';
/** Media type of texts. */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

/** Media type of pages. */
export const HTML_TYPE = 'text/html; charset=utf-8';
/** Media type of stylesheets. */
export const CSS_TYPE = 'text/css; charset=utf-8';
/** Media type of notebooks. */
export const NOTEBOOK_TYPE = 'application/x-ipynb+json';

/** JSON content in its RFC 8785 form. */
export function jsonContent(schema: SchemaName, value: unknown): Content {
  return { schema, value, text: canonicalJson(value) };
}

/** Text content, as it is. */
export function textContent(text: string): Content {
  return { schema: 'text', value: text, text };
}

/** The artifact that `make` gives; its bytes are measured, then let go. `made` is what it gave already, if it did. */
export function toArtifact(path: string, type: string, make: () => Content, made = make()): Artifact {
  const { text } = made;
  return { path, type, sha256: sha256Hex(text), bytes: Buffer.byteLength(text), content: make };
}
