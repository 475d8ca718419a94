import { calendarPath, PAGE_PATHS } from '../../../schemas/paths.js';
import { CHAINS } from '../../../schemas/catalog.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import type { Chain, Site, SourceSegment } from '../../../schemas/types.generated.js';
import { CALENDAR_FIELDS } from '../artifacts/regime-calendar.js';

/** A node of JSON-LD, or the members of one. */
export type Markup = Readonly<Record<string, unknown>>;

/** What a page says about the dataset that it shows. */
type DatasetOptions = {
  readonly name: string;
  /** 50 to 5,000 characters, as search engines for datasets want it. */
  readonly description: string;
  readonly path: string;
  readonly chains: readonly Chain[];
  readonly sources: readonly SourceSegment[];
  /** The first and the last date; absent for chains that begin on different dates. */
  readonly dates?: readonly [string, string];
};

/**
 * Returns a page's dataset in the words of schema.org, for a data block of JSON-LD. A data block is no script: browsers do not
 * run it, so a Content-Security-Policy does not concern it. Members with an address are absent without a `site.json`.
 */
export function datasetMarkup(site: Site | undefined, options: DatasetOptions): Markup {
  const { name, description, path, chains, sources, dates } = options;
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name,
    description,
    isAccessibleForFree: true,
    measurementTechnique: 'Classification of daily on-chain metrics by published thresholds',
    variableMeasured: CALENDAR_FIELDS.map(({ title }) => title),
    ...(dates === undefined ? {} : { temporalCoverage: dates.join('/') }),
    ...(site === undefined
      ? {}
      : {
          url: site.base_url + path,
          distribution: chains.map((chain) => ({
            '@type': 'DataDownload',
            name: calendarTitle(chain),
            encodingFormat: 'text/csv',
            contentUrl: site.base_url + calendarPath(chain),
          })),
        }),
    ...publisherMarkup(site),
    ...sourcesMarkup(sources),
  };
}

/** Returns the title of the calendars of all chains. */
export const datasetTitle = (site: Site | undefined): string =>
  `${site?.name ?? SITE_NAME}: regime calendars`;

/** Returns the title of a chain's calendar. */
export const calendarTitle = (chain: Chain): string => `Regime calendar of ${CHAINS[chain].name}`;

/** Returns what a chain's calendar contains, in a sentence. */
export function calendarDescription(chain: Chain): string {
  return `The regime of ${CHAINS[chain].name} on each UTC date, its confidence, and what drives it. No prices, no forecasts.`;
}

/** Returns the members of a dataset for its publisher and the publisher's terms; none without a `site.json`. */
export function publisherMarkup(site: Site | undefined): Markup {
  if (site === undefined) return {};
  const { name, base_url: address, publisher = name, terms_url: terms } = site;
  const organization = { '@type': 'Organization', name: publisher, url: address + PAGE_PATHS.front };
  return {
    creator: organization,
    publisher: organization,
    ...(terms === undefined ? {} : { license: terms }),
  };
}

/**
 * Returns the member of a dataset for its sources, each once, with their own licences. These are not the licence of the
 * dataset, which only the publisher can state.
 */
export function sourcesMarkup(sources: readonly SourceSegment[]): Markup {
  const nodes = sources.map(({ name, licence, attribution, url }) => ({
    '@type': 'CreativeWork',
    name,
    license: licence,
    ...(attribution === undefined ? {} : { creditText: attribution }),
    ...(url !== undefined && isWebAddress(url) ? { url } : {}),
  }));
  const unique = [...new Map(nodes.map((node) => [JSON.stringify(node), node])).values()];
  return unique.length === 0 ? {} : { isBasedOn: unique };
}

/** Returns whether a text of `sources.json` is an http or https URL, which may become a link. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s"<>`\\]+$/i.test(text);

/** Returns JSON for a script element: nothing in it ends the element or begins another one. */
export function toDataBlock(markup: Markup): string {
  return JSON.stringify(markup).replace(
    /[<>&]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
