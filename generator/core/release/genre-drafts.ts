import { GENRES } from '../../../schemas/catalog.js';
import type {
  Genre,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  RegimeCalendarRow,
} from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import type { Steps } from '../steps.js';
import { createEntryWriter, type DayResult, type EntryTerms } from './entry-writer.js';

const DAYS_A_STEP = 4;

/** What a chain has published so far. */
export type PublishedChain = {
  readonly manifests: { readonly [genre in Genre]: Manifest | undefined };
  readonly calendar: string;
};

/** How to draft the genres of a chain. */
export type GenreTerms = EntryTerms & { readonly published: PublishedChain | undefined };

/** What becomes of a genre of a chain. Plain data, but for the content of its days. */
export type GenreDraft = {
  /** Whether the chain was published before without this genre: then its dates are not new, only told of anew. */
  readonly isAdded: boolean;
  readonly entries: readonly ManifestDate[];
  readonly days: readonly Artifact[];
  /** The calendar rows of the days that were made, when the genre is meta. */
  readonly rows: readonly RegimeCalendarRow[];
  readonly newDates: readonly string[];
  readonly restatedDates: readonly string[];
};

/** Every genre of a chain. */
export type GenreDrafts = { readonly [genre in Genre]: GenreDraft };

/**
 * Drafts every genre: an entry per date of the series, and those listed dates that the series no longer has. The genres
 * of a date are drafted one after the other, for a brief rests on the other records of its date.
 */
export function* draftGenres(terms: GenreTerms): Steps<GenreDrafts> {
  const { series, published } = terms;
  const writeDay = createEntryWriter(terms, knownRevisions(terms));
  const begun = GENRES.map((genre) => ({
    genre,
    before: new Map(published?.manifests[genre]?.dates.map((entry) => [entry.date, entry])),
    results: [] as DayResult[],
  }));
  for (const [t, date] of series.dates.entries()) {
    for (const { genre, before, results } of begun) results.push(writeDay(genre, t, before.get(date)));
    if (t % DAYS_A_STEP === 0) yield;
  }
  const present = new Set(series.dates);
  const drafts = begun.map(({ genre, before, results }) => {
    const gone = [...before.values()].filter((entry) => !present.has(entry.date));
    const isAdded = published?.manifests.meta !== undefined && published.manifests[genre] === undefined;
    return [genre, toGenreDraft(results, gone, isAdded)] as const;
  });
  return Object.fromEntries(drafts) as GenreDrafts; // one of each
}

function toGenreDraft(
  results: readonly DayResult[],
  gone: readonly ManifestDate[],
  isAdded: boolean,
): GenreDraft {
  const datesOf = (fate: DayResult['fate']): string[] =>
    results.filter((result) => result.fate === fate).map((result) => result.entry.date);
  return {
    isAdded,
    entries: [...results.map((result) => result.entry), ...gone].sort((a, b) => (a.date < b.date ? -1 : 1)),
    days: results.flatMap((result) => (result.fate === 'unchanged' ? [] : [result.artifact])),
    rows: results.flatMap((result) => result.row ?? []),
    newDates: datesOf('new'),
    restatedDates: datesOf('restated'),
  };
}

/** What each revision that the chain's manifests may name was published with, this one included. */
export function knownRevisions({ series, published, stamp }: GenreTerms): ManifestRevisions {
  const updated_through = series.dates.at(-1) ?? '';
  return {
    ...published?.manifests.meta?.revisions,
    ...published?.manifests.gold?.revisions,
    ...published?.manifests.derived?.revisions,
    ...published?.manifests.briefs?.revisions,
    [stamp.revision]: { updated_through, published_at: stamp.publishedAt },
  };
}
