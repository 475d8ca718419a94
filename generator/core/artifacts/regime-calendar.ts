import { CHAIN_IDS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import { calendarPath } from '../../../schemas/paths.js';
import type {
  Chain,
  FeatureField,
  LabelRun,
  MetaDay,
  Methodology,
  RegimeCalendarRow,
  RegimeLabel,
} from '../../../schemas/types.generated.js';
import { expectedSignals } from '../methodology/signals.js';
import { type Cell, csvLine, type NumberForm } from '../text/csv.js';
import { signalWords } from '../../../schemas/words.js';
import { CSV_TYPE, type FileTemplate } from './artifact.js';

/** The columns of the calendar, in order. The feature schema publishes this table. */
export const CALENDAR_FIELDS: readonly CalendarField[] = [
  {
    name: 'date',
    type: 'date',
    format: '%Y-%m-%d',
    title: 'Observation date',
    description: 'UTC day, the half-open interval [00:00, 24:00).',
    constraints: { required: true },
  },
  {
    name: 'chain',
    type: 'string',
    title: 'Chain',
    description: 'Chain name; with date the join key.',
    constraints: { required: true, enum: [...CHAIN_IDS] },
  },
  {
    name: 'regime',
    type: 'string',
    title: 'Regime',
    description: 'Label of the day; indeterminate when there is not enough evidence.',
    constraints: { required: true, enum: Object.keys(LABEL_MEANINGS) },
  },
  {
    name: 'confidence',
    type: 'number',
    unit: 'probability',
    title: 'Confidence',
    description: 'Estimated probability that hindsight gives the same label; empty when indeterminate.',
    constraints: { minimum: 0, maximum: 1 },
  },
  {
    name: 'status',
    type: 'string',
    title: 'Status',
    description:
      'available: label decided; degraded: row present, label indeterminate; missing: no input row.',
    constraints: { required: true, enum: ['available', 'degraded', 'missing'] },
  },
  scoreField('demand_score', 'Demand score', '50 is typical of the last year; empty when missing.'),
  scoreField('cost_score', 'Cost score', '50 is typical of the last year; empty when missing.'),
  scoreField(
    'capacity_score',
    'Capacity score',
    '50 is typical of the last year; empty when missing, always on arbitrum.',
  ),
  {
    name: 'regime_since',
    type: 'date',
    format: '%Y-%m-%d',
    title: 'Regime since',
    description: 'First date of the run of this label.',
    constraints: { required: true },
  },
  {
    name: 'run_days',
    type: 'integer',
    unit: 'days',
    title: 'Run length',
    description: 'Consecutive dates with this label, this one included.',
    constraints: { required: true, minimum: 1 },
  },
  {
    name: 'top_driver',
    type: 'string',
    title: 'Top driver',
    description: 'Signal that contributes most to the axes; empty when there is none.',
    constraints: { pattern: '[a-z0-9_]+' },
  },
  {
    name: 'methodology_version',
    type: 'string',
    title: 'Methodology version',
    description: 'Version of the methodology of the row.',
    constraints: { required: true, pattern: 'v[1-9][0-9]*' },
  },
  {
    name: 'published_revision',
    type: 'string',
    title: 'Published revision',
    description: 'Revision that published the meta record of the row.',
    constraints: { required: true, pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}\\.[0-9]{6}' },
  },
  {
    name: 'determinism_hash',
    type: 'string',
    title: 'Determinism hash',
    description:
      'Equals regime.determinism_hash of the meta record with the chain, date and published_revision of the row.',
    constraints: { required: true, pattern: '[0-9a-f]{64}' },
  },
  levelField('demand_level', 'Demand level', 'Level of the demand axis'),
  levelField('pressure_level', 'Pressure level', 'Level of the pressure axis'),
];

/** A column of the calendar, as a field of the feature schema. */
type CalendarField = FeatureField & { readonly name: keyof RegimeCalendarRow };

function scoreField(name: keyof RegimeCalendarRow, title: string, description: string): CalendarField {
  const constraints = { minimum: 0, maximum: 100 };
  return { name, type: 'number', unit: 'score', title, description, constraints };
}

function levelField(name: keyof RegimeCalendarRow, title: string, what: string): CalendarField {
  const description = `${what}: with the other level, it decides a regime that is not indeterminate; empty when the axis is missing.`;
  return { name, type: 'string', title, description, constraints: { enum: ['low', 'normal', 'high'] } };
}

export function toCalendarRow(record: MetaDay): RegimeCalendarRow {
  const { demand, cost, capacity } = record.scorecard;
  const { label, axes } = record.regime;
  return {
    date: record.date,
    chain: record.chain,
    regime: label,
    confidence: label === 'indeterminate' ? null : record.confidence.score,
    status: record.status,
    demand_score: demand.score,
    cost_score: cost.score,
    capacity_score: capacity?.score ?? null,
    regime_since: record.regime.since,
    run_days: record.regime.run_days,
    top_driver: record.drivers[0]?.signal ?? null,
    methodology_version: record.methodology_version,
    published_revision: record.published_revision,
    determinism_hash: record.regime.determinism_hash,
    demand_level: axes.demand.level,
    pressure_level: axes.pressure.level,
  };
}

/**
 * Returns a chain's regime calendar: RFC 4180, LF, dates ascending. With `head`, the text of an earlier calendar,
 * `rows` are appended to it; otherwise a header is written first.
 */
export function calendarFile(chain: Chain, rows: readonly RegimeCalendarRow[], head?: string): FileTemplate {
  return {
    path: calendarPath(chain),
    type: CSV_TYPE,
    content: () => ({
      schema: 'regime-calendar',
      value: rows,
      text: head === undefined ? calendarText(rows) : head + toCsvLines(rows),
    }),
  };
}

/** Returns the text of a calendar, by default in the form of new ones. */
export function calendarText(rows: readonly RegimeCalendarRow[], form?: NumberForm): string {
  return `${CALENDAR_FIELDS.map(({ name }) => name).join(',')}\n${toCsvLines(rows, form)}`;
}

/** Parses the labels of a calendar by date. Precondition: the text was written by `calendarFile`. */
export function labelsOf(calendar: string): Map<string, string> {
  const column = CALENDAR_FIELDS.findIndex(({ name }) => name === 'regime');
  const lines = calendar.trimEnd().split('\n').slice(1);
  return new Map(lines.map((line) => line.split(',')).map((cells) => [cells[0] ?? '', cells[column] ?? '']));
}

function toCsvLines(rows: readonly RegimeCalendarRow[], form?: NumberForm): string {
  const cells = (row: RegimeCalendarRow): Cell[] => CALENDAR_FIELDS.map(({ name }) => row[name]);
  return rows.map((row) => `${csvLine(CALENDAR_FIELDS, cells(row), form)}\n`).join('');
}

/** Number of days in charts and in the runs of the landing snapshot, including the last date. */
export const CHART_DAYS = 730;
/** Number of dates whose records the files of the current state are made from. */
export const RECENT_DAYS = 365;

/** Groups consecutive dates with the same label into runs, ascending. A missing date ends a run. */
export function toLabelRuns(
  days: readonly { readonly date: string; readonly label: RegimeLabel }[],
): LabelRun[] {
  const runs: LabelRun[] = [];
  for (const { date, label } of days) {
    const last = runs.at(-1);
    if (last?.label === label && addDays(last.last, 1) === date) last.last = date;
    else runs.push({ label, first: date, last: date });
  }
  return runs;
}

/** Returns the days to chart: the last `CHART_DAYS` days up to the last date. */
export function inChartWindow<T extends { readonly date: string }>(days: readonly T[]): T[] {
  const last = days.at(-1)?.date;
  return last === undefined ? [] : days.filter(({ date }) => date > addDays(last, -CHART_DAYS));
}

/** Returns why a date has no drivers. */
export function noDriversReason({ chain, confidence }: MetaDay, methodology: Methodology): string {
  const isWithout = confidence.missing_signals.length === expectedSignals(methodology, chain).length;
  return isWithout ? 'no signal was available' : 'nothing stands out';
}

/** Returns the signals that are missing on some of the dates, with the number of those dates, the most frequent first. */
export function countMissingSignals(records: readonly MetaDay[]): { name: string; days: number }[] {
  const days = new Map<string, number>();
  for (const signal of records.flatMap(({ confidence }) => confidence.missing_signals)) {
    days.set(signal, (days.get(signal) ?? 0) + 1);
  }
  return [...days]
    .map(([signal, count]) => ({ name: signalWords(signal), days: count }))
    .sort((a, b) => b.days - a.days || (a.name < b.name ? -1 : 1));
}
