import path from 'node:path';
import { formatDiff } from '../../../generator/collect/inspect-sources.js';
import { toChartPoint } from '../../../generator/core/artifacts/chart-data.js';
import { toChainFacts } from '../../../generator/core/artifacts/chain-facts.js';
import { toHeadline } from '../../../generator/core/artifacts/summary.js';
import { weeklySummaryFile } from '../../../generator/core/artifacts/weekly-summary.js';
import { signalWords } from '../../../schemas/words.js';
import { chainChartFile } from '../../../generator/core/charts/chart-files.js';
import { drawRatioChart } from '../../../generator/core/charts/ratio-chart.js';
import { compareSeries } from '../../../generator/core/collection/compare-series.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { chainPage } from '../../../generator/core/pages/chain-page.js';
import { frontPage } from '../../../generator/core/pages/front-page.js';
import { createDayWriters } from '../../../generator/core/records/day-writers.js';
import { readInput } from '../../../generator/input/read-input.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { toDirectory } from '../../../generator/input/input-folder.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { BriefDay, MetaDay } from '../../../schemas/types.generated.js';
import { randomSeries } from '../../support/release/random-series.js';
import { seriesStatistics } from '../../support/release/series-statistics.js';

const texts = await readProductTexts();
const { methodology } = texts;
const SAMPLE = path.join(import.meta.dirname, '../../../scripts/sample');
const STAMP = { revision: '2026-01-01.000001', sequence: 1, publishedAt: '2026-01-01T06:00:00Z' };
const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '12') / 12);
/** Texts are written for every third date, and charts drawn for every 21st, because that takes longer than all other texts. */
const STEP = 3;
const CHART_STEP = 21;

/** The texts about a date, by place. Pages and charts have the hyphen for the minus sign here. */
type Texts = Readonly<Record<'brief' | 'chart' | 'front' | 'headline' | 'page' | 'weekly', string>>;

/** Returns the texts about each date of a series, with the record that they state. */
function* textsOf(series: InputSeries): Generator<readonly [MetaDay, Texts]> {
  const { chain, dates } = series;
  const { meta, write } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: dates.at(-1) ?? '' };
  const statistics = seriesStatistics(series, methodology); // of all its dates: it states nothing about one of them
  const records: MetaDay[] = [];
  for (const t of dates.keys()) {
    const latest = meta(t, provenance);
    records.push(latest);
    if (records.length > 8) records.shift();
    if (t % STEP !== 0) continue;
    const points = records.map(toChartPoint);
    const shown = { records, points, statistics, lastAvailable: null, sources: [], methodology };
    const facts = [toChainFacts(chain, [], { lastRecords: records, points }, [])];
    const text = (file: ReturnType<typeof chainPage>): string =>
      file.content(STAMP).text.replaceAll('−', '-');
    yield [
      latest,
      {
        brief: (write('brief-day/1', t, provenance) as BriefDay).body,
        chart: t % CHART_STEP === 0 ? text(chainChartFile(chain, points, methodology)) : '',
        front: text(frontPage(texts.site, { facts, methodologyVersion: 'v1' })),
        headline: toHeadline(chain, latest.regime),
        page: text(chainPage(texts.site, chain, shown)),
        weekly: text(
          weeklySummaryFile(chain, {
            ...shown,
            derived: undefined,
            template: texts.weeklySummary,
            address: '',
          }),
        ),
      },
    ];
  }
}

type Patterns = { readonly [place in keyof Texts]?: RegExp };

const NUMBER = String.raw`(-?\d(?:[\d.,]*\d)?)`;
const AMOUNT = String.raw`(-?\d(?:[\d.,]*\d)?(?: (?:million|billion|trillion))?(?: (?:BTC|ETH|gwei|%))?)`;
const cells = (name: string, ...others: string[]): RegExp =>
  new RegExp(`<th scope="row">${name}</th>${others.join('')}<td class="number">${AMOUNT}</td>`);
const ANY = '<td[^>]*>[^<]*</td>';

/** How each place states the facts of a record. */
function patternsOf({ regime, scorecard, drivers: [driver] }: MetaDay): Readonly<Record<string, Patterns>> {
  const signal = signalWords(driver?.signal ?? '');
  const isAxis = scorecard.demand.z === regime.axes.demand.z;
  return {
    'demand z': {
      chart: new RegExp(`Demand: [^.]*\\.\\d+ to [^,]*, ${NUMBER} on the last date`),
      ...(isAxis ? { page: cells('demand', ANY) } : {}),
    },
    'demand score': {
      page: cells('demand'),
      weekly: new RegExp(`\\n  demand +${NUMBER} `),
    },
    'cost score': {
      page: cells('cost'),
      weekly: new RegExp(`\\n  cost +${NUMBER} `),
    },
    'capacity score': {
      page: cells('capacity'),
      weekly: new RegExp(`\\n  capacity +${NUMBER} `),
    },
    confidence: {
      brief: /confidence was ([\d.]+ %), /,
      front: /· confidence ([\d.]+ %), /,
      page: /<dt>Confidence<\/dt><dd>([\d.]+ %), /,
      weekly: /\nConfidence {2}([\d.]+ %), /,
    },
    'data quality': {
      brief: /data quality was ([\d.]+ %)/,
      page: /<dt>Data quality<\/dt><dd>([\d.]+ %)[<,]/,
      weekly: /\nQuality {5}([\d.]+ %) /,
    },
    'days of the label': {
      brief: /had held for ([\d,]+ days?), since/,
      front: />since [^<,]*, ([\d,]+ days?) ·/,
      headline: /for ([\d,]+ days?), since/,
      page: /<dt>Since<\/dt><dd>[^<,]*, ([\d,]+ days?)</,
      weekly: /for ([\d,]+ days?), since/,
    },
    'recent value of the first driver': {
      page: cells(signal, ANY, ANY, ANY),
      weekly: new RegExp(`\\n  ${signal} +(?:up|down) +${AMOUNT} `),
    },
    'usual value of the first driver': {
      page: cells(signal, ANY, ANY, ANY, ANY),
      weekly: new RegExp(`\\n  ${signal} +(?:up|down) +\\S.*? {2,}${AMOUNT}\\n`),
    },
  };
}

/** Returns the facts of all dates that have different forms, and counts for each fact and place how often it was stated. */
function compareForms(series: InputSeries, stated: Map<string, number>): string[] {
  const faults: string[] = [];
  for (const [record, places] of textsOf(series)) {
    for (const [fact, patterns] of Object.entries(patternsOf(record))) {
      const forms = new Set<string>();
      for (const [place, pattern] of Object.entries(patterns)) {
        const form = pattern.exec(places[place as keyof Texts])?.[1]; // a key of `Patterns`
        if (form === undefined) continue;
        forms.add(form);
        stated.set(`${fact}, ${place}`, (stated.get(`${fact}, ${place}`) ?? 0) + 1);
      }
      if (forms.size > 1) faults.push(`${record.chain} ${record.date} ${fact}: ${[...forms].join(' | ')}`);
    }
  }
  return faults;
}

/** Expects that each fact was found in each of its places: a pattern that never matches would compare nothing. */
function expectAllStated(stated: ReadonlyMap<string, number>): void {
  const record = { regime: { axes: { demand: {} } }, scorecard: { demand: {} }, drivers: [] };
  const all = Object.entries(patternsOf(record as unknown as MetaDay)).flatMap(([fact, patterns]) =>
    Object.keys(patterns).map((place) => `${fact}, ${place}`),
  );
  expect(all.filter((each) => (stated.get(each) ?? 0) < 20)).toEqual([]);
}

it('each fact of the sample has one form on pages, charts, in briefs, headlines and weekly summaries', async () => {
  const { series } = await readInput({
    folder: toDirectory(SAMPLE),
    asOfMs: Date.parse('2023-09-27T06:00:00Z'),
  });
  expect(series.map(({ chain }) => chain)).toEqual(CHAIN_IDS);
  const stated = new Map<string, number>();
  expect(series.flatMap((each) => compareForms(each, stated))).toEqual([]);
  expectAllStated(stated);
});

it('each fact of drawn histories has one form', () => {
  const stated = new Map<string, number>();
  for (let seed = 0; seed < SEEDS; seed += 1) {
    for (const chain of CHAIN_IDS) {
      const series = randomSeries({ chain, seed, days: 460, missingCells: 0.05, missingRows: 0.02 });
      expect(compareForms(series, stated)).toEqual([]);
    }
  }
  expectAllStated(stated);
});

it('a ratio of two sources has one form in the table and on the chart', () => {
  const dates = Array.from({ length: 50 }, (_, i) => addDays('2025-01-01', i));
  const source = (factor: number): ReadonlyMap<string, { tx_count: string }> =>
    new Map(dates.map((date, i) => [date, { tx_count: String(1_000 + Math.round(factor * i * i)) }]));
  const lines = compareSeries(source(1), source(0.97));
  const inTable = formatDiff(lines, { a: 'one', b: 'other' }).match(/\d\.\d+/g) ?? [];
  const onChart = drawRatioChart({ title: 'one / other', lines }).match(
    /median ([\d.]+), from ([\d.]+) .* to ([\d.]+) \(/,
  );
  expect(inTable).toEqual(inTable.filter((ratio) => onChart?.includes(ratio)));
  expect(inTable.length).toBeGreaterThan(0);
});
