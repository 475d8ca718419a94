import { WINDOWS } from '../../../schemas/catalog.js';
import { bundlePath } from '../../../schemas/paths.js';
import type { Bundle, Chain, Genre, ManifestDate, Window } from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';
import { JSON_TYPE, jsonContent, type FileKind } from './artifact.js';

/** What the bundles of one genre and chain are cut from. */
export type BundleTerms = {
  readonly chain: Chain;
  readonly genre: Genre;
  readonly updatedThrough: string;
  readonly methodologyVersion: string;
  /** Every listed date, ascending. */
  readonly entries: readonly ManifestDate[];
  /** The record whose bytes an entry names. */
  readonly record: (entry: ManifestDate) => DayRecord;
};

/** One bundle per window: the last N dates up to `updatedThrough`, withdrawn ones left out. */
export function bundleFiles(terms: BundleTerms): FileKind[] {
  return (Object.keys(WINDOWS) as Window[]).map((window) => ({
    path: bundlePath(terms.genre, terms.chain, window),
    type: JSON_TYPE,
    content: (stamp) => jsonContent('bundle', toBundle(terms, window, stamp.revision)),
  }));
}

function toBundle(terms: BundleTerms, window: Window, revision: string): Bundle {
  const entries = entriesInWindow(terms.entries, WINDOWS[window]);
  return {
    schema: 'bundle/1',
    genre: terms.genre,
    chain: terms.chain,
    window,
    first_date: entries[0]?.date ?? '',
    last_date: entries.at(-1)?.date ?? '',
    updated_through: terms.updatedThrough,
    published_revision: revision,
    methodology_version: terms.methodologyVersion,
    days: entries.map((entry) => ({ ...terms.record(entry) })),
  };
}

/** The entries that a bundle of `count` dates holds. */
export function entriesInWindow(entries: readonly ManifestDate[], count: number): ManifestDate[] {
  return entries.filter((entry) => entry.status !== 'withdrawn').slice(-count);
}
