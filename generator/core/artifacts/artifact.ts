import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { SchemaName } from '../../../schemas/validate.js';

/** The revision, sequence and time of publication that a file contains: those of the release that last changed it. */
export type ReleaseStamp = {
  readonly revision: string;
  readonly sequence: number;
  readonly publishedAt: string;
};

/** The content of a file: the value to validate and the text to publish. */
export type Content = {
  readonly schema: SchemaName;
  readonly value: unknown;
  readonly text: string;
  /** The bytes of a binary file; `text` is then empty. */
  readonly bytes?: Uint8Array;
};

/** Returns what is published of a file. */
export function bodyOf({ text, bytes }: Content): string | Uint8Array {
  return bytes ?? text;
}

/** A file of a release: its path, its media type, and a function that renders its content for a release. */
export type FileTemplate = {
  readonly path: string;
  readonly type: string;
  readonly content: (stamp: ReleaseStamp) => Content;
};

/** A file with known digest and size, whose content is rendered on demand. */
export type Artifact = {
  readonly path: string;
  readonly type: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly content: () => Content;
};

/** An artifact with its rendered content. */
export type RenderedFile = { readonly artifact: Artifact; readonly content: Content };

export const JSON_TYPE = 'application/json';
/** Media type of Data Packages, as registered. */
export const DATA_PACKAGE_TYPE = 'application/vnd.datapackage+json';
/** Media type of Croissant files. */
export const JSON_LD_TYPE = 'application/ld+json';
/** Media type of calendars. */
export const CSV_TYPE = 'text/csv; charset=utf-8';
/** Media type of wheels. */
export const ZIP_TYPE = 'application/zip';
/** Media type of plain text. */
export const PLAIN_TYPE = 'text/plain; charset=utf-8';
/** Media type of charts. */
export const SVG_TYPE = 'image/svg+xml';
/** Media type of the social card. */
export const PNG_TYPE = 'image/png';
/** Media type of Markdown. */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

/** Media type of pages. */
export const HTML_TYPE = 'text/html; charset=utf-8';
/** Media type of stylesheets. */
export const CSS_TYPE = 'text/css; charset=utf-8';
/** Media type of calendars of events. */
export const ICS_TYPE = 'text/calendar; charset=utf-8';
/** Media type of feeds. */
export const ATOM_TYPE = 'application/atom+xml; charset=utf-8';
/** Media type of the sitemap. */
export const XML_TYPE = 'application/xml; charset=utf-8';
/** Media type of scripts. */
export const JS_TYPE = 'text/javascript; charset=utf-8';
/** Media type of notebooks. */
export const NOTEBOOK_TYPE = 'application/x-ipynb+json';

/** Returns JSON content in its RFC 8785 form. */
export function jsonContent(schema: SchemaName, value: unknown): Content {
  return { schema, value, text: canonicalJson(value) };
}

export function textContent(text: string): Content {
  return { schema: 'text', value: text, text };
}

/** Measures the content that `make` renders. The artifact does not keep that content. Pass `rendered` if it is already rendered. */
export function toArtifact(path: string, type: string, make: () => Content, rendered = make()): Artifact {
  return { path, type, ...measure(rendered), content: make };
}

type Measured = Pick<Artifact, 'sha256' | 'bytes'>;
/** What was measured, by the content, which does not change. */
const MEASURED = new WeakMap<Content, Measured>();

function measure(content: Content): Measured {
  const body = bodyOf(content);
  const measured = MEASURED.get(content) ?? { sha256: sha256Hex(body), bytes: Buffer.byteLength(body) };
  MEASURED.set(content, measured);
  return measured;
}
