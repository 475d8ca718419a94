import { WINDOWS } from '../../../schemas/catalog.js';
import { bundlePath } from '../../../schemas/paths.js';
import type { Bundle, Chain, Genre, ManifestDate, Window } from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from './artifact.js';

/** Options for `bundleFiles`. */
type BundleOptions = {
  readonly chain: Chain;
  readonly genre: Genre;
  readonly updatedThrough: string;
  readonly methodologyVersion: string;
  /** All listed dates, ascending. */
  readonly entries: readonly ManifestDate[];
  /** Returns the record that an entry names. */
  readonly record: (entry: ManifestDate) => DayRecord;
};

/** Returns one bundle per window: the last N dates up to `updatedThrough`, without withdrawn ones. Precondition: a date is in force. */
export function bundleFiles(options: BundleOptions): FileTemplate[] {
  return (Object.keys(WINDOWS) as Window[]).map((window) => ({
    path: bundlePath(options.genre, options.chain, window),
    type: JSON_TYPE,
    content: (stamp) => jsonContent('bundle', toBundle(options, window, stamp.revision)),
  }));
}

function toBundle(options: BundleOptions, window: Window, revision: string): Bundle {
  const entries = entriesInWindow(options.entries, WINDOWS[window]);
  return {
    schema: 'bundle/1',
    genre: options.genre,
    chain: options.chain,
    window,
    first_date: entries[0]?.date ?? '',
    last_date: entries.at(-1)?.date ?? '',
    updated_through: options.updatedThrough,
    published_revision: revision,
    methodology_version: options.methodologyVersion,
    days: entries.map((entry) => ({ ...options.record(entry) })),
  };
}

/** Returns the entries of a bundle of `count` dates. */
export function entriesInWindow(entries: readonly ManifestDate[], count: number): ManifestDate[] {
  return entries.filter((entry) => entry.status !== 'withdrawn').slice(-count);
}
