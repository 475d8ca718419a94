import MiniSearch from 'minisearch';
import { CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { addDays, parseDate } from '../../schemas/dates.js';
import { dayPagePath } from '../../schemas/paths.js';
import type { Chain } from '../../schemas/types.generated.js';

/** A place of the site: a section of a page, an entry of the glossary, or a day. */
export type Place = {
  readonly title: string;
  /** The page that it is a part of, or what kind of page it is. */
  readonly page: string;
  readonly path: string;
  readonly text: string;
};

/** A place of the published index: title, page, path, text. */
export type IndexedPlace = readonly [title: string, page: string, path: string, text: string];

/** Parses the published index. */
export function parseIndex(text: string): IndexedPlace[] {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as IndexedPlace); // the generator of the site wrote it
}

/** Returns the places of a query, the best first, at most this many. */
export type Finder = (query: string, most: number) => Place[];

/** Creates a search over places: words in any order, their beginnings, and words with a mistyped letter. */
export function createFinder(places: readonly IndexedPlace[]): Finder {
  const search = new MiniSearch<Place & { id: number }>({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'path', 'text'],
    tokenize: wordsOf,
    searchOptions: {
      boost: { title: 4, page: 1.5 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    },
  });
  search.addAll(places.map(([title, page, path, text], id) => ({ id, title, page, path, text })));
  return (query, most) => {
    const all = search.search(query, { combineWith: 'AND' });
    const found = all.length > 0 ? all : search.search(query);
    return (found as unknown as Place[]).slice(0, most); // the stored fields are its members
  };
}

/** Returns the words of a text. One with hyphens or underscores is also one without: look-ahead, lookahead. */
function wordsOf(text: string): string[] {
  const compounds = text.match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+/gu) ?? [];
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words, ...compounds.map((word) => word.replace(/[-_]/g, ''))];
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);

/** Dates in numbers. Of those with the day or the month first, only the one with points has a certain meaning. */
const NUMERIC_DATES = [
  /\b(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})\b/,
  /\b(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})\b/,
  /\b(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})\b/,
] as const;

/** Returns the date that a query names: `2024-04-20`, `2024/4/20`, `20.04.2024`, `20 April 2024` or `Apr 20, 2024`. */
export function dateIn(query: string): string | undefined {
  return validDate(numbersIn(query, NUMERIC_DATES) ?? wordsIn(query));
}

/** Returns the date of a query that does not exist, in the form `2023-06-31`. Eight digits may be any number. */
export function impossibleDateIn(query: string): string | undefined {
  const [iso, , points] = NUMERIC_DATES;
  const parts = numbersIn(query, [iso, points]) ?? wordsIn(query);
  const isDate = parts.day !== '' && parts.month !== '0' && Number(parts.day) <= 31;
  return isDate && validDate(parts) === undefined ? isoOf(parts) : undefined;
}

type DateParts = { readonly year: string; readonly month: string; readonly day: string };

function numbersIn(query: string, patterns: readonly RegExp[]): DateParts | undefined {
  const groups = patterns.find((pattern) => pattern.test(query))?.exec(query)?.groups;
  return groups && { year: groups['year'] ?? '', month: groups['month'] ?? '', day: groups['day'] ?? '' };
}

/** Returns the parts of a date with the month in words. A missing month is 0, other missing parts are empty. */
function wordsIn(query: string): DateParts {
  const text = query.toLowerCase().replace(/(\d)(?:st|nd|rd|th)\b/g, '$1');
  const [, month = '', year = ''] = /\b([a-z]{3,9})\b[^a-z]*\b(\d{4})\b/.exec(text) ?? [];
  const [, day = ''] = /\b(\d{1,2})\b/.exec(text.replace(year, '')) ?? [];
  const at = MONTHS.findIndex((name) => month !== '' && name.startsWith(month)) + 1;
  return { year, month: String(at), day };
}

function validDate(parts: DateParts): string | undefined {
  const date = isoOf(parts);
  return parseDate(date) === undefined ? undefined : date;
}

function isoOf({ year, month, day }: DateParts): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** What `/api/v1/status` says of the dates of a chain. */
export type PublishedDays = {
  readonly updated_through: string;
  /** Number of dates by status, which are all dates from the first to the last. */
  readonly days: Readonly<Record<string, number>>;
};

/** Returns the pages of a date, of the chains that have it: those that the query names first, otherwise in display order. */
export function placesOfDate(
  date: string,
  chains: { readonly [chain in Chain]?: PublishedDays },
  query: string,
): Place[] {
  const words = query.toLowerCase();
  const isNamed = (chain: Chain): boolean => words.includes(chain);
  const ordered = [...CHAIN_IDS.filter(isNamed), ...CHAIN_IDS.filter((chain) => !isNamed(chain))];
  return ordered.flatMap((chain) => {
    const published = chains[chain];
    if (published === undefined) return [];
    const { updated_through: last, days } = published;
    const count = Object.values(days).reduce((sum, each) => sum + each, 0);
    if (date > last || date < addDays(last, 1 - count)) return [];
    const { name } = CHAINS[chain];
    const text = `Regime, confidence, scorecard, brief and files of ${name} on ${date}.`;
    return [{ title: `${name} on ${date}`, page: 'Day', path: dayPagePath(chain, date), text }];
  });
}

/** A part of a text. */
export type Part = { readonly text: string; readonly isFound: boolean };

/** Returns the part of a text around the first word of a query, with these words marked. */
export function snippetOf(text: string, query: string, length = 180): Part[] {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1 && !/^\d+$/.test(word));
  const pattern = new RegExp(`(${words.join('|') || '(?!)'})`, 'iu');
  const at = Math.max(0, text.search(pattern));
  const start = at < length - 40 ? 0 : text.indexOf(' ', at - 60) + 1;
  const end = start + length < text.length ? text.lastIndexOf(' ', start + length) : text.length;
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
  return shown
    .split(new RegExp(pattern, 'giu'))
    .map((part, i) => ({ text: part, isFound: i % 2 === 1 }))
    .filter((part) => part.text !== '');
}
