import { WINDOWS } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { bundlePath } from '../../../schemas/paths.js';
import type { Bundle, Chain, Genre, ManifestDate, Window } from '../../../schemas/types.generated.js';
import { JSON_TYPE, type Content, type FileTemplate } from './artifact.js';

/** Options for `bundleFiles`. */
type BundleOptions = {
  readonly chain: Chain;
  readonly genre: Genre;
  readonly updatedThrough: string;
  readonly methodologyVersion: string;
  /** All listed dates, ascending. */
  readonly entries: readonly ManifestDate[];
  /** Returns the text of the day file that an entry names. */
  readonly text: (entry: ManifestDate) => string;
};

/** The longest window: its bundle holds the days of all others. */
export const LONGEST = '365d' satisfies Window;

/** Returns one bundle per window: the last N dates up to `updatedThrough`, without withdrawn ones. Precondition: a date is in force. */
export function bundleFiles(options: BundleOptions): FileTemplate[] {
  return (Object.keys(WINDOWS) as Window[]).map((window) => ({
    path: bundlePath(options.genre, options.chain, window),
    type: JSON_TYPE,
    content: (stamp) => toBundle(options, window, stamp.revision),
  }));
}

/**
 * Puts the texts of the day files into a bundle: it holds their bytes. Its value, which is validated, has only the last day:
 * each day is validated as the file that it is.
 */
function toBundle(options: BundleOptions, window: Window, revision: string): Content {
  const entries = entriesInWindow(options.entries, WINDOWS[window]);
  const days = entries.map(options.text);
  const bundle: Bundle = {
    schema: 'bundle/1',
    genre: options.genre,
    chain: options.chain,
    window,
    first_date: entries[0]?.date ?? '',
    last_date: entries.at(-1)?.date ?? '',
    updated_through: options.updatedThrough,
    published_revision: revision,
    methodology_version: options.methodologyVersion,
    days: [],
  };
  const [head = '', tail = ''] = canonicalJson(bundle).split(NO_DAYS, 2);
  const value: Bundle = { ...bundle, days: [JSON.parse(days.at(-1) ?? '') as object] };
  return { schema: 'bundle', value, text: `${head}"days":[${days.join(',')}]${tail}` };
}

const NO_DAYS = '"days":[]';

/**
 * Returns the texts of day files by digest, from the published bundle of the longest window. `entries` are those of its
 * manifest, which says how long each text is. A text with another digest than its entry ends the list.
 */
export function daysOfBundle(bundle: Uint8Array, entries: readonly ManifestDate[]): Map<string, string> {
  const body = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  const texts = new Map<string, string>();
  let at = body.indexOf('"days":[') + '"days":['.length;
  for (const { sha256, bytes } of entriesInWindow(entries, WINDOWS[LONGEST])) {
    const text = body.subarray(at, at + bytes);
    if (sha256Hex(text) !== sha256) break;
    texts.set(sha256, text.toString('utf8'));
    at += bytes + ','.length;
  }
  return texts;
}

/** Returns the entries of a bundle of `count` dates. */
export function entriesInWindow(entries: readonly ManifestDate[], count: number): ManifestDate[] {
  return entries.filter((entry) => entry.status !== 'withdrawn').slice(-count);
}
