import type { InputSeries } from '../../generator/core/input/input-series.js';
import { createDayWriters } from '../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { CHAIN_IDS, metricsOf } from '../../schemas/catalog.js';
import type { BriefDay, Chain } from '../../schemas/types.generated.js';
import { MOST_WORDS, QUANTITIES, sentencesIn } from '../support/release/brief-judge.js';
import { AS_OF, readHistory, seriesOf } from './history-data.js';

const texts = await readProductTexts();
const history = await readHistory();

/** Returns the brief of each date of a series. */
function writeAll(series: InputSeries): BriefDay[] {
  const { write } = createDayWriters(series, texts);
  const provenance = { revision: `${AS_OF}.000001`, updatedThrough: series.dates.at(-1) ?? '' };
  return series.dates.map((_, t) => write('brief-day/1', t, provenance) as BriefDay); // of that schema
}

const briefs = new Map(history.map((series) => [series.chain, writeAll(series)]));

function briefsOf(chain: Chain): readonly BriefDay[] {
  return briefs.get(chain) ?? [];
}

function proseOf({ headline, body }: BriefDay): string[] {
  return [headline, ...sentencesIn(body)];
}

/** Number of consecutive dates over which repetition is measured. */
const SPAN = 60;

/**
 * Returns the largest mean share, over consecutive dates, of sentences that are those of the day before, except for their
 * numbers and dates.
 */
function mostRepetition(all: readonly BriefDay[]): number {
  const masked = all.map((brief) =>
    proseOf(brief).map((sentence) => sentence.replace(/\d[\d,.-]*\d|\d/g, '#')),
  );
  const shares = masked.map((sentences, t) => {
    const before = new Set(masked[t - 1]);
    return sentences.filter((sentence) => before.has(sentence)).length / sentences.length;
  });
  const means = shares.map((_, t) => shares.slice(t - SPAN + 1, t + 1).reduce((sum, x) => sum + x, 0) / SPAN);
  return Math.max(...means.slice(SPAN - 1));
}

type Extreme = { readonly name: string; readonly word: 'highest' | 'lowest' };

/** Returns the metrics whose value is beyond all earlier ones, or all others of the year, by date. */
function recordsOf(series: InputSeries): Extreme[][] {
  const found = series.dates.map((): Extreme[] => []);
  for (const metric of metricsOf(series.chain)) {
    const column = series.metrics[metric] ?? [];
    const name = Object.keys(QUANTITIES).find((each) => QUANTITIES[each] === metric) ?? '';
    column.forEach((value, t) => {
      const month = column.slice(Math.max(0, t - 29), t + 1).filter((each) => each !== null);
      const mean = month.reduce((sum, each) => sum + each, 0) / month.length;
      if (value === null || month.length < 15 || !(Math.abs(value / mean - 1) > 0.010_001)) return;
      const isBeyond = (from: number, least: number): Extreme['word'] | undefined => {
        const others = column.slice(Math.max(0, from), t).filter((each) => each !== null);
        if (others.length < least) return undefined;
        if (others.every((each) => each < value)) return 'highest';
        return others.every((each) => each > value) ? 'lowest' : undefined;
      };
      const word = isBeyond(t - 364, 179) ?? isBeyond(0, 365);
      if (word !== undefined) found[t]?.push({ name, word });
    });
  }
  return found;
}

describe('the briefs of the real history', () => {
  it.each(['bitcoin', 'ethereum'] as const)(
    `repeat at most 40 %% of the sentences of the day before, over any ${SPAN} dates of %s`,
    (chain) => {
      expect(mostRepetition(briefsOf(chain))).toBeLessThanOrEqual(0.4);
    },
  );

  it.each(CHAIN_IDS)(`have at most ${MOST_WORDS} words on every date of %s`, (chain) => {
    const long = briefsOf(chain).filter((brief) => proseOf(brief).join(' ').split(/\s+/).length > MOST_WORDS);
    expect(long.map(({ date }) => date)).toEqual([]);
  });

  it.each(CHAIN_IDS)('mention each record of all history or of a year in any metric of %s', (chain) => {
    const records = recordsOf(seriesOf(history, chain));
    const silent = briefsOf(chain).flatMap((brief, t) =>
      (records[t] ?? [])
        .filter(({ name, word }) => {
          const sentences = proseOf(brief).map((sentence) => sentence.toLowerCase());
          return !sentences.some((each) => each.includes(name.toLowerCase()) && each.includes(`the ${word}`));
        })
        .map(({ name }) => `${brief.date} ${name}`),
    );
    expect(silent).toEqual([]);
    expect(records.flat().length).toBeGreaterThan(30);
  });
});

/** What briefs of known dates must mention, found in the data of the date, and what happened then. */
const KNOWN_DATES: readonly (readonly [
  chain: Chain,
  date: string,
  event: string,
  mentions: readonly RegExp[],
])[] = [
  [
    'bitcoin',
    '2012-11-29',
    'first whole day after a halving',
    [/issuance \(4,150 BTC\) was the lowest since 2009/],
  ],
  [
    'bitcoin',
    '2016-07-10',
    'first whole day after a halving',
    [/issuance \(1,950 BTC\) was the lowest since 2009/],
  ],
  ['bitcoin', '2017-12-22', 'fees', [/fees \(1,496 BTC\) were the highest of all 3,276 days/, /congested/]],
  [
    'bitcoin',
    '2020-05-12',
    'first whole day after a halving',
    [/issuance \(913 BTC\) was the lowest/, /fell 49 %/],
  ],
  [
    'bitcoin',
    '2021-04-21',
    'a fall of the hash rate',
    [/mean fee \(0\.0011 BTC\) was the highest since 2018/],
  ],
  [
    'bitcoin',
    '2021-06-27',
    'mining ban in China',
    [/hash rate .* number of blocks .* lowest in more than a year/, /dormant/],
  ],
  [
    'bitcoin',
    '2023-05-07',
    'inscriptions',
    [
      /fees \(422 BTC\) were the highest since 2018-01-19/,
      /The mean fee \(0\.00069 BTC\) .* since 2021-04-26/,
    ],
  ],
  [
    'bitcoin',
    '2023-05-08',
    'inscriptions',
    [/fees \(628 BTC\) were the highest since 2018-01-18/, /congested/],
  ],
  ['bitcoin', '2023-12-16', 'inscriptions', [/fees \(569 BTC\) .* second-highest in 365 days/]],
  [
    'bitcoin',
    '2024-04-20',
    'halving',
    [
      /fees \(1,206 BTC\) were the second-highest of all 5,587 days .* since 2017-12-22/,
      /fees rose 571 %/,
      /Issuance \(406 BTC\) was the lowest since 2021-06-27/,
    ],
  ],
  [
    'bitcoin',
    '2024-04-23',
    'after the halving',
    [/transactions \(928,131\) .* highest of all days on record/i],
  ],
  [
    'bitcoin',
    '2025-08-31',
    'a quiet Sunday',
    [/stayed slack/, /active addresses were in the lowest tenth of the year \(rank 1\.51 %\)/],
  ],
  [
    'ethereum',
    '2017-12-12',
    'games',
    [/transactions \(872,340\), gas used .* were the highest of all days/i],
  ],
  [
    'ethereum',
    '2020-06-11',
    'mistaken fees',
    [/mean gas price \(710 gwei\) was the second-highest of all 1,771 days/],
  ],
  [
    'ethereum',
    '2020-09-17',
    'airdrop',
    [
      /^Ethereum on 2020-09-17: transactions \(1\.41 million\) were the highest/,
      /mean gas price .* rose|gas price rose 252 %/,
    ],
  ],
  [
    'ethereum',
    '2021-08-05',
    'London',
    [/mean gas limit \(21\.4 million\) was the highest/, /mean gas limit rose 43 %/],
  ],
  [
    'ethereum',
    '2021-09-07',
    'a congested day',
    [/mean gas price rose 72 % to 214 gwei/, /fees were in the highest tenth of the year \(rank 96\.2 %\)/],
  ],
  [
    'ethereum',
    '2022-05-01',
    'a sale of land',
    [
      /fees \(82,377 ETH\) .* were the highest of all 486 days/,
      /mean gas price \(47\d gwei\) was the highest since 2020-09-17/,
      /The label describes the week; on this day alone, .* at odds with it/,
    ],
  ],
  [
    'ethereum',
    '2022-09-15',
    'Merge',
    [/gas used \(103 billion\) was the highest/, /number of blocks \(6,727\) was the third-highest/],
  ],
  ['ethereum', '2024-03-13', 'Dencun', [/stayed congested/, /Missing on this day: blocks/]],
  [
    'ethereum',
    '2024-08-05',
    'a crash',
    [/mean gas price rose 601 % to 51\.7 gwei/, /mean gas price was in the highest tenth of the year/],
  ],
  [
    'arbitrum',
    '2022-06-29',
    'Odyssey',
    [/fees \(413 ETH\) and active addresses \(56,986\) were the highest of all 397 days/],
  ],
  [
    'arbitrum',
    '2023-03-23',
    'airdrop',
    [/fees \(1,033 ETH\), active addresses .* transactions .* were the highest of all days on record/],
  ],
  ['base', '2023-08-10', 'public launch', [/transactions rose 51 % to 757,294/, /without a label/]],
  ['base', '2024-01-15', 'a usual day', [/stayed steady/, /active addresses rose 29 %/]],
];

describe('the brief of a known date', () => {
  it.each(KNOWN_DATES)('mentions on %s %s (%s) what a reader expects', (chain, date, _event, mentions) => {
    const brief = briefsOf(chain).find((each) => each.date === date);
    const prose = brief === undefined ? '' : `${brief.headline} ${brief.body}`;
    for (const mention of mentions) expect(prose).toMatch(mention);
  });
});
