import { textContent, type FileTemplate, ATOM_TYPE } from '../artifacts/artifact.js';
import { escapeHtml } from '../text/text-template.js';

/**
 * Authority of every id in feeds and calendars. RFC 6761 reserves `.invalid`, so nobody else can ever own the name, and the
 * ids need no domain of the publisher, whose address can change.
 */
export const ID_AUTHORITY = 'chain-reference-data.invalid';

/** Returns a permanent id (`tag:` URI, RFC 4151) with this specific part, such as `base/regime/2026-03-01`. */
export function tagOf(specific: string): string {
  return `tag:${ID_AUTHORITY},2026:${specific}`;
}

/** Who publishes a feed, and where. */
export type FeedSite = {
  readonly name: string;
  readonly publisher: string;
  /** Address of the site without a slash at the end. */
  readonly address: string;
};

/** An entry of a feed. `updated` and `published` are instants of RFC 3339. */
export type AtomEntry = {
  readonly id: string;
  readonly title: string;
  /** Absent where an entry never changes. */
  readonly published?: string;
  readonly updated: string;
  readonly category?: string;
  /** Absolute address of the page about it. */
  readonly page: string;
  readonly text: string;
};

/** A feed. */
type AtomFeed = {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  /** URL path of the feed. */
  readonly path: string;
  /** URL path of the page that the feed belongs to. */
  readonly page: string;
  /** Address of the site without a slash at the end. */
  readonly address: string;
  /** The newest first, at least one. */
  readonly entries: readonly AtomEntry[];
};

/** Returns a feed as Atom (RFC 4287), a line for each entry. */
export function atomFile({ id, title, author, path, page, address, entries }: AtomFeed): FileTemplate {
  const head = [
    `<id>${id}</id><title>${escapeHtml(title)}</title><updated>${entries[0]?.updated ?? ''}</updated>`,
    `<author><name>${escapeHtml(author)}</name></author>`,
    `<link rel="self" href="${escapeHtml(address + path)}"/><link href="${escapeHtml(address + page)}"/>`,
  ];
  const text = `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">${head.join('')}\n${entries.map(entryLine).join('')}</feed>\n`;
  return { path, type: ATOM_TYPE, content: () => textContent(text) };
}

function entryLine({ id, title, published, updated, category, page, text }: AtomEntry): string {
  const parts = [
    `<id>${id}</id><title>${escapeHtml(title)}</title>`,
    ...(published === undefined ? [] : [`<published>${published}</published>`]),
    `<updated>${updated}</updated><link href="${escapeHtml(page)}"/>`,
    ...(category === undefined ? [] : [`<category term="${category}"/>`]),
    `<content type="text">${escapeHtml(text)}</content>`,
  ];
  return `<entry>${parts.join('')}</entry>\n`;
}
