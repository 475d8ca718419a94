import {
  CHAINS,
  GENRE_WORDS,
  GENRES,
  PLAN_IDS,
  type PlanDefinition,
  PLANS,
  WINDOWS,
} from '../../../schemas/catalog.js';
import { PAGE_PATHS, type SampleFile, samplePath } from '../../../schemas/paths.js';
import { siteLinks } from '../../../schemas/site-links.js';
import type { Genre, Site } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import type { PublishedSample } from '../artifacts/sample-week.js';
import { bytesWords, dateWords, joinWords } from '../../../schemas/words.js';
import { planCards } from './front-page.js';
import { pageFile, type SiteTexts } from './page.js';

type Row = { readonly what: string; readonly free: string; readonly of: (plan: PlanDefinition) => string };

const ROWS: readonly Row[] = [
  { what: 'Regime and confidence of every day (calendar)', free: 'all chains', of: () => 'all chains' },
  { what: 'Metrics as charts, with the values now in force', free: 'all chains', of: () => 'all chains' },
  {
    what: 'Metrics, signals and scores as daily files',
    free: 'no',
    of: ({ chains }) => (chains === 'all' ? 'all chains' : 'one chain of your choice'),
  },
  {
    what: 'Longest single JSON file',
    free: 'no',
    of: ({ windows }) => `last ${Math.max(...windows.map((window) => WINDOWS[window]))} days`,
  },
  {
    what: 'Whole history as Parquet and CSV, with every correction',
    free: 'no',
    of: ({ archive }) => (archive ? 'yes' : 'no'),
  },
  {
    what: 'Daily briefs',
    free: 'latest 30 days on pages, weekly summary',
    of: ({ briefs }) => (briefs === 'all' ? 'every day' : 'latest day as a file'),
  },
];

/** Questions that only the publisher can answer. */
const ANSWERS = [
  { name: 'refunds', question: 'Can I get my money back?' },
  { name: 'invoices', question: 'Do I get invoices, and is VAT included?' },
  { name: 'redistribution', question: 'What may I pass on to others?' },
] as const satisfies readonly { readonly name: keyof Site; readonly question: string }[];

function contactOf(site: Site): object[] {
  const links = siteLinks(site).filter(({ name }) => name === 'Contact');
  return links.map(({ href }) => ({ publisher: site.publisher ?? site.name, href, address: site.contact }));
}

/** Returns the page with the plans, what each includes, the sample if there is one, and answers for buyers. */
export function pricingPage(site: SiteTexts, sample: PublishedSample | undefined): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.pricing,
    template: 'pricing',
    title: 'Pricing',
    description:
      'Free regime calendars, one chain, or all chains with their whole history: what each plan includes and costs.',
    values: () => ({
      plans: planCards(site, `${PAGE_PATHS.front}#free`),
      planLevel: 2,
      // With a sign-up page of the publisher's own, that page says how to pay and cancel.
      checkout: site.details?.sign_up_url === undefined ? [true] : [],
      answers: ANSWERS.flatMap(({ question, name }) => {
        const answer = site.details?.[name];
        return answer === undefined ? [] : [{ question, answer }];
      }),
      contact: site.details === undefined ? [] : contactOf(site.details),
      rows: ROWS.map(({ what, free, of }) => ({
        what,
        cells: [free, ...PLAN_IDS.map((plan) => of(PLANS[plan]))],
      })),
      sample: sample === undefined ? [] : [toSample(sample)],
    }),
  });
}

/** The columns of the sample: what its files are, and their formats. */
const SAMPLE_COLUMNS: readonly {
  readonly head: string;
  /** Whether only a plan with the whole history has these files. */
  readonly isArchive: boolean;
  readonly files: readonly (readonly [format: string, file: SampleFile])[];
}[] = [
  { head: 'Days in one file', isArchive: false, files: [['JSON', 'bundle.json']] },
  {
    head: 'History as a table',
    isArchive: true,
    files: [
      ['CSV', 'volume.csv'],
      ['Parquet', 'volume.parquet'],
    ],
  },
  { head: 'File of a day', isArchive: true, files: [['JSON', 'day.json']] },
  { head: 'Manifest', isArchive: true, files: [['JSON', 'manifest.json']] },
];

function toSample({ chain, week, sizes }: PublishedSample): object {
  return {
    chain: CHAINS[chain].name,
    first: dateWords(week.first),
    last: dateWords(week.last),
    heads: SAMPLE_COLUMNS.map(({ head, isArchive }) => ({ head, plans: plansWith(isArchive) })),
    rows: GENRES.filter((genre) => sizes.has(samplePath(genre, 'day.json'))).map((genre) => ({
      genre,
      words: GENRE_WORDS[genre],
      cells: SAMPLE_COLUMNS.map(({ files, isArchive }) => ({
        only: plansWith(isArchive, genre) === plansWith(isArchive) ? [] : [plansWith(isArchive, genre)],
        files: files.flatMap(([format, file]) => {
          const path = samplePath(genre, file);
          const size = sizes.get(path);
          return size === undefined
            ? []
            : [{ format, path, size: bytesWords(size), as: `${chain}-${genre}-${week.first}-${file}` }];
        }),
      })),
    })),
  };
}

/** Returns the names of the plans with files of a week, or of the whole history; of briefs, those with the brief of every day. */
function plansWith(isArchive: boolean, genre?: Genre): string {
  const has = ({ archive, briefs }: PlanDefinition): boolean =>
    (archive || !isArchive) && (genre !== 'briefs' || briefs === 'all');
  return joinWords(PLAN_IDS.filter((plan) => has(PLANS[plan])).map((plan) => PLANS[plan].name));
}
