import path from 'node:path';
import { CHAIN_IDS, CHAINS } from '../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chainPagePath,
  chartDataPath,
  dayPath,
  regimesPath,
  summaryPath,
  weeklyArchivePath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type {
  BriefDay,
  Bundle,
  Chain,
  Chart,
  Landing,
  MetaDay,
  Summary,
} from '../../../schemas/types.generated.js';
import type { LabelStatistics } from '../../../generator/core/artifacts/regimes.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { serveStore, type ServedRelease } from '../../support/gateway/served-release.js';
import { startNotebookRunner, tablesOf, type NotebookRunner } from '../../support/clients/notebook-runner.js';
import { CLIENT_SOURCES, installClients } from '../../support/clients/python-clients.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { publishSample } from '../../support/release/published-sample.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
/** The files of every date with this distance from the last are read, and of all the latest dates. */
const STEP = 60;
const LATEST = 8;

/** Every frame of the client that states something about a date, as rows of JSON. */
const FRAMES = `
import json, sys
import pandas as pd
import crd

client = crd.Client(progress=lambda _: None)
for chain in sys.argv[1:]:
    history = client.history("meta", chain)
    calendar = client.calendar(chain)
    own = pd.DataFrame({"date": calendar["date"] + pd.Timedelta(days=1)})
    joined = client.regimes_on(own, chain=chain).assign(date=calendar["date"]).dropna()  # the latest were not yet known
    recomputed = pd.DataFrame(client.recompute(chain).rows)
    frames = {"calendar frame": calendar, "history frame": history, "joined": joined, "recomputation": recomputed}
    for name, frame in frames.items():
        for row in json.loads(frame.to_json(orient="records", date_format="iso")):
            print(json.dumps([name, {**row, "chain": chain, "date": row["date"][:10]}]))
`;

let python: string;
let runner: NotebookRunner;
let folder: TemporaryFolder;
let release: ServedRelease;
let gateway: GatewayProcess;
beforeAll(async () => {
  python = installClients();
  folder = await createTemporaryFolder();
  const accounts = `file:${path.join(folder.path, 'accounts')}`;
  [runner, release] = await Promise.all([
    startNotebookRunner(),
    serveStore({ store: `file:${await publishSample()}`, accounts }),
  ]);
  gateway = await startGatewayProcess(release.env);
}, INSTALL_MS);
afterAll(async () => {
  await Promise.all([gateway.stop(), runner.dispose()]);
  await folder.dispose();
}, SLOW_MS);

/** What a place states about a fact of a date: a text, a number, or a number as people read it ("86.6 %"). */
type Statement = readonly [
  place: string,
  date: string,
  fact: string,
  value: string | number | null | undefined,
];
type Value = Statement[3];

const COLUMNS = {
  label: 'regime',
  confidence: 'confidence',
  since: 'regime_since',
  'days of the label': 'run_days',
  'demand score': 'demand_score',
  'cost score': 'cost_score',
  'capacity score': 'capacity_score',
  'level of demand': 'demand_level',
  'level of pressure': 'pressure_level',
};

/**
 * Returns what a row with the columns of the calendar states; columns that it does not have state nothing. Without a label,
 * the calendar has no confidence and a record the confidence 0.
 */
function* ofRow(place: string, row: Readonly<Record<string, unknown>>): Generator<Statement> {
  for (const [fact, column] of Object.entries(COLUMNS)) {
    if (!(column in row)) continue;
    const value = row[column] as Value; // a cell
    const isDate = fact === 'since' && typeof value === 'string';
    const isEmpty =
      value === '' || (fact === 'confidence' && value === 0 && row['regime'] === 'indeterminate');
    yield [place, String(row['date']), fact, isEmpty ? null : isDate ? value.slice(0, 10) : value];
  }
}

function* ofRecord(
  place: string,
  record: Pick<MetaDay, 'confidence' | 'date' | 'regime' | 'scorecard'>,
): Generator<Statement> {
  const { date, regime, confidence, scorecard } = record;
  const { demand, pressure } = regime.axes;
  const hasLabel = regime.label !== 'indeterminate';
  yield* ofRow(place, {
    date,
    regime: regime.label,
    confidence: confidence.score,
    regime_since: regime.since,
    run_days: regime.run_days,
    demand_score: scorecard.demand.score,
    cost_score: scorecard.cost.score,
    capacity_score: scorecard.capacity?.score ?? null,
    demand_level: demand.level,
    pressure_level: pressure.level,
  });
  yield [place, date, 'word for the confidence', hasLabel ? confidence.level : undefined];
}

const plain = (text: string): string => text.replaceAll('−', '-');

/** Returns the parts of each match, as statements about a date. */
function* ofText(
  place: string,
  date: string,
  text: string,
  patterns: Readonly<Record<string, RegExp>>,
): Generator<Statement> {
  for (const [fact, pattern] of Object.entries(patterns))
    yield [place, date, fact, pattern.exec(plain(text))?.[1]];
}

const DAY_OF_WEEK = /^(\d{4}-\d\d-\d\d) {2}\w{3} {2}(\w+) +([\d.]+ %|–) /gm;

function* ofWeeks(place: string, text: string): Generator<Statement> {
  for (const [, date = '', label, confidence] of plain(text).matchAll(DAY_OF_WEEK)) {
    yield [place, date, 'label', label];
    yield [place, date, 'confidence', confidence === '–' ? null : confidence];
  }
}

/** The row of a date in a table of a page: the label and, on the page of a chain, the confidence and the scores. */
const ROW = /<tr><th scope="row">(?:<a [^>]*>)?<time>([\d-]{10})<\/time>(?:<\/a>)?<\/th>(.*?)<\/tr>/g;

function* ofTable(place: string, page: string): Generator<Statement> {
  for (const [, date = '', cells = ''] of plain(page).matchAll(ROW)) {
    const [label, ...numbers] = [...cells.matchAll(/<td[^>]*>(?:<span[^>]*><\/span>)?([^<]*)<\/td>/g)].map(
      ([, cell = '']) => (cell === '–' ? null : cell),
    );
    yield [place, date, 'label', label];
    if (numbers.length < 4) continue;
    for (const [i, fact] of ['confidence', 'demand score', 'cost score', 'capacity score'].entries()) {
      yield [place, date, fact, numbers[i]];
    }
  }
}

/** Reads every place that states the label, a level or a score of dates of a chain. The calendar is the first. */
async function* statementsOf(
  chain: Chain,
  frames: readonly (readonly [string, Record<string, unknown>])[],
): AsyncGenerator<Statement> {
  const headers = { 'X-API-Key': release.key };
  const read = async (file: string): Promise<string> => {
    const response = await fetch(gateway.url + file, { headers });
    if (!response.ok) throw new Error(`${file}: ${response.status} ${await response.text()}`);
    return response.text();
  };
  const json = async <T>(file: string): Promise<T> => JSON.parse(await read(file)) as T; // our own file, of this schema

  const [head = '', ...lines] = (await read(calendarPath(chain))).trim().split('\n');
  const rows = lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(head.split(',').map((name, i) => [name, cells[i] ?? '']));
  });
  for (const row of rows) yield* ofRow('calendar', row);
  const dates = rows.map(({ date }) => date ?? '');
  const last = dates.at(-1) ?? '';

  for (const [name, row] of frames) yield* ofRow(name, row);

  for (const [i, date] of dates.entries()) {
    const age = dates.length - 1 - i;
    if (age >= LATEST && age % STEP !== 0) continue;
    yield* ofRecord('file of a day', await json<MetaDay>(dayPath('meta', chain, date)));
    yield* ofText('brief', date, (await json<BriefDay>(dayPath('briefs', chain, date))).body, {
      label: /The label, (\w+)[ ,(]/,
      confidence: /confidence was ([\d.]+ %), /,
      'word for the confidence': /confidence was [\d.]+ %, (\w+)/,
      since: /had held for [\d,]+ days?, since ([\d-]{10})/,
      'days of the label': /had held for ([\d,]+) days?, since/,
    });
  }
  const { days } = await json<Bundle>(bundlePath('meta', chain, '90d'));
  for (const day of days) yield* ofRecord('bundle', day as MetaDay); // none of the sample is withdrawn
  yield* ofRecord('summary', await json<Summary>(summaryPath(chain)));
  const { chains } = await json<Landing>('/api/v1/landing');
  for (const { date, label } of chains[chain]?.labels ?? []) yield ['landing', date, 'label', label];
  const headline = {
    label: /has been (\w+) for/,
    'days of the label': /for ([\d,]+) days?/,
    since: /since ([\d-]{10})/,
  };
  yield* ofText('headline', last, chains[chain]?.headline ?? '', headline);

  const chart = await json<Chart>(chartDataPath(chain));
  for (const [i, date] of dates.entries()) {
    const [label, confidence] = [chart.days.label[i], chart.days.confidence[i]];
    yield ['chart', date, 'label', typeof label === 'number' ? chart.labels[label] : label];
    if (label !== chart.labels.indexOf('indeterminate'))
      yield [
        'chart',
        date,
        'confidence',
        typeof confidence === 'number' ? `${(100 * confidence).toFixed(1)} %` : null,
      ];
  }

  const page = await read(chainPagePath(chain));
  yield* ofTable('page of the chain', page);
  yield* ofText('page of the chain', last, page, {
    label: /<p class="regime [^>]*><span>(\w+)</,
    confidence: /<dt>Confidence<\/dt><dd>([\d.]+ %), /,
    'word for the confidence': /<dt>Confidence<\/dt><dd>[\d.]+ %, (\w+)</,
    'days of the label': /<dt>Since<\/dt><dd>[^<,]*, ([\d,]+) days?</,
  });
  const card = new RegExp(`<h3><a href="[^"]*">${CHAINS[chain].name}</a></h3>.*?</article>`, 's');
  yield* ofText('front page', last, card.exec(await read('/'))?.[0] ?? '', {
    label: /<p class="regime [^>]*><span>(\w+)</,
    confidence: /· confidence ([\d.]+ %), /,
    'word for the confidence': /· confidence [\d.]+ %, (\w+)</,
    'days of the label': />since [^<,]*, ([\d,]+) days?/,
  });

  const weekly = await read(weeklySummaryPath(chain));
  yield* ofWeeks('weekly summary', weekly);
  yield* ofText('weekly summary', last, weekly, {
    confidence: /\nConfidence {2}([\d.]+ %), /,
    'word for the confidence': /\nConfidence {2}[\d.]+ %, (\w+)/,
    'days of the label': /\nRegime +\w+ for ([\d,]+) days?, since/,
    since: /\nRegime .* since ([\d-]{10})/,
  });
  for (const year of new Set(dates.map((date) => date.slice(0, 4)))) {
    yield* ofWeeks('archived weeks', await read(weeklyArchivePath(chain, year)));
  }
  const { current_run: run } = await json<LabelStatistics>(regimesPath(chain));
  yield* ofRow('statistics', {
    date: last,
    regime: run.label,
    regime_since: run.since,
    run_days: run.run_days,
  });

  const notebook = await runner.run({ CRD_BASE_URL: gateway.url, CRD_API_KEY: release.key, CHAIN: chain });
  expect(notebook.error).toBeNull();
  for (const cells of notebook.cells
    .flatMap(({ id }) => tablesOf(notebook, id))
    .filter((table) => [...table.values()].some((row) => 'run_days' in row))) {
    for (const { date, regime, run_days, confidence } of cells.values())
      yield* ofRow('notebook', { date, regime, run_days, confidence });
  }
}

const ALL = Object.keys(COLUMNS);
const BASIC = ['label', 'confidence'];
const RUN = ['label', 'since', 'days of the label'];
const WORD = 'word for the confidence';

/** What each place must state: a pattern that never matches would compare nothing. */
const STATED = Object.entries({
  calendar: ALL,
  'calendar frame': ALL,
  'history frame': ALL,
  joined: ['label'],
  recomputation: BASIC,
  'file of a day': [...ALL, WORD],
  bundle: [...ALL, WORD],
  summary: [...ALL, WORD],
  brief: [...RUN, 'confidence', WORD],
  landing: ['label'],
  headline: RUN,
  chart: BASIC,
  'page of the chain': [...BASIC, WORD, 'days of the label', 'demand score', 'cost score', 'capacity score'],
  'front page': [...BASIC, WORD, 'days of the label'],
  'weekly summary': [...BASIC, WORD, 'since', 'days of the label'],
  'archived weeks': BASIC,
  statistics: RUN,
  notebook: [...BASIC, 'days of the label'],
}).flatMap(([place, facts]) => facts.map((fact) => `${place}, ${fact}`));

const NUMBER = /^(-?[\d,]*\.?\d+)( %)?$/;

/** Returns whether two values are the same number, where one or both are rounded for people, or else the same text. */
function agree(a: Value, b: Value): boolean {
  const [left, right] = [a, b].map((value) => {
    const [, digits, percent] = NUMBER.exec(String(value)) ?? [];
    if (digits === undefined) return undefined;
    const places = (digits.split('.')[1]?.length ?? 0) + (percent === undefined ? 0 : 2);
    return { value: Number(digits.replaceAll(',', '')) / (percent === undefined ? 1 : 100), places };
  });
  if (left === undefined || right === undefined) return a === b;
  return Math.abs(left.value - right.value) <= 0.5000001 * 10 ** -Math.min(left.places, right.places);
}

it(
  'pages, briefs, the calendar, the API, the client and the notebook state the same label, levels, scores and confidence',
  async () => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder.path,
      PYTHONPATH: CLIENT_SOURCES,
      CRD_BASE_URL: gateway.url,
      CRD_API_KEY: release.key,
    };
    const printed = assertSuccess(
      await runProgram(python, ['-c', FRAMES, ...CHAIN_IDS], env, folder.path),
    ).stdout;
    const frames = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, Record<string, unknown>]);
    const faults: string[] = [];
    const counts: Record<string, number> = {};
    for (const chain of CHAIN_IDS) {
      const first = new Map<string, readonly [string, Value]>();
      for await (const [place, date, fact, value] of statementsOf(
        chain,
        frames.filter(([, row]) => row['chain'] === chain),
      )) {
        if (value === undefined) continue;
        const [before, stated] = first.get(`${date} ${fact}`) ?? [];
        if (before === undefined) first.set(`${date} ${fact}`, [place, value]);
        else if (!agree(stated, value))
          faults.push(`${chain} ${date} ${fact}: ${stated}, ${before}; ${value}, ${place}`);
        counts[`${place}, ${fact}`] = (counts[`${place}, ${fact}`] ?? 0) + 1;
      }
    }
    expect(faults).toEqual([]);
    const seldom = Object.entries(counts).filter(([, count]) => count < CHAIN_IDS.length);
    expect(seldom).toEqual([]);
    expect(new Set(Object.keys(counts))).toEqual(new Set(STATED));
  },
  SLOW_MS,
);
