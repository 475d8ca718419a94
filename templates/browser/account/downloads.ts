import {
  CHAINS,
  GENRE_WORDS,
  VOLUME_FORMATS,
  VOLUME_GENRES,
  type VolumeFormat,
  WINDOWS,
} from '../../../schemas/catalog.js';
import { parseDate } from '../../../schemas/dates.js';
import { bundlePath, dayPath, manifestPath, volumePath } from '../../../schemas/paths.js';
import type { Chain, Entitlements, Genre, Window } from '../../../schemas/types.generated.js';
import type { BriefChoice } from './arrival.js';

/** An option of a list, by its value. */
export type Choice = { readonly value: string; readonly label: string };

/** What someone has chosen to download. `period` is a window, a closed year or month, or a date. */
export type Download = {
  readonly chain: Chain;
  readonly genre: Genre;
  readonly period: string;
  readonly format: string;
};

/** Returns the chains of an account, in its order. */
export function chainChoices({ chains }: Entitlements): Choice[] {
  return chains.map((value) => ({ value, label: CHAINS[value].name }));
}

/** Returns the contents of an account. */
export function contentChoices({ genres }: Entitlements): Choice[] {
  return genres.map((value) => ({ value, label: GENRE_WORDS[value] }));
}

/** Returns the periods of a content: a wanted date, the windows of the account, and the closed years and months, the newest first. */
export function periodChoices(
  { windows, briefs, archive }: Entitlements,
  genre: Genre,
  closed: readonly string[],
  date?: string,
): Choice[] {
  const own =
    genre === 'briefs' && briefs === 'latest' ? windows.filter((each) => each === 'latest') : windows;
  const hasDays = genre === 'briefs' ? briefs === 'all' : archive;
  return [
    ...(date !== undefined && hasDays ? [{ value: date, label: date }] : []),
    ...own.map((value) => ({
      value,
      label: value === 'latest' ? 'Latest day' : `Last ${WINDOWS[value]} days`,
    })),
    ...closed.toReversed().map((value) => ({ value, label: value })),
  ];
}

/** Returns the file formats of a period. */
export function formatChoices(period: string): Choice[] {
  if (isWindow(period) || isDay(period)) return [{ value: 'json', label: 'JSON' }];
  return VOLUME_FORMATS.toReversed().map((value) => ({ value, label: value === 'csv' ? 'CSV' : 'Parquet' }));
}

const isWindow = (period: string): period is Window => period in WINDOWS;
const isDay = (period: string): boolean => parseDate(period) !== undefined;

/** Returns the address that answers with a link to a file. */
export function linkPath({ chain, genre, period, format }: Download): string {
  if (isWindow(period)) return `${bundlePath(genre, chain, period)}?redirect=false`;
  const path = isDay(period)
    ? dayPath(genre, chain, period)
    : volumePath(genre, chain, period, format as VolumeFormat); // as the lists offer them
  return `${path}?redirect=false`;
}

/** Returns the address that answers with a link to a brief, and with its text. */
export function briefPath({ chain, date }: BriefChoice): string {
  return linkPath({ chain, genre: 'briefs', period: date, format: 'json' });
}

/** Returns the brief of a date that is chosen; `undefined` if something else is. */
export function chosenBrief({ chain, genre, period }: Download): BriefChoice | undefined {
  return genre === 'briefs' && isDay(period) ? { chain, date: period } : undefined;
}

/** Returns the address that names the closed years and months of a content; `undefined` if it has or the account gets none. */
export function closedPath({ archive }: Entitlements, chain: Chain, genre: Genre): string | undefined {
  const hasVolumes = (VOLUME_GENRES as readonly Genre[]).includes(genre);
  return archive && hasVolumes ? `${manifestPath(genre, chain)}?redirect=false&volumes=csv` : undefined;
}

/** Returns the closed years and months that a document of a manifest names, ascending. */
export function closedIn(volumes: readonly { readonly path: string }[]): string[] {
  return volumes.flatMap(({ path }) => /\/([\d-]+)\.csv$/.exec(path)?.[1] ?? []);
}
