import { LABEL_MEANINGS, CHAIN_IDS } from '../../../schemas/catalog.js';
import { calendarPath } from '../../../schemas/paths.js';
import type { Chain, FeatureField, MetaDay, RegimeCalendarRow } from '../../../schemas/types.generated.js';
import { CSV_TYPE, type FileKind } from './artifact.js';

/** The columns of the calendar, in order; the feature schema publishes this table. */
export const CALENDAR_FIELDS: readonly (FeatureField & { readonly name: keyof RegimeCalendarRow })[] = [
  field(
    'date',
    'date',
    'Observation date',
    'UTC day, the half-open interval [00:00, 24:00).',
    { required: true },
    { format: '%Y-%m-%d' },
  ),
  field('chain', 'string', 'Chain', 'Chain name; with date the join key.', {
    required: true,
    enum: [...CHAIN_IDS],
  }),
  field('regime', 'string', 'Regime', 'Label of the day; indeterminate when there is not enough evidence.', {
    required: true,
    enum: Object.keys(LABEL_MEANINGS),
  }),
  field(
    'confidence',
    'number',
    'Confidence',
    'Estimated probability that hindsight gives the same label; 0 when indeterminate.',
    { required: true, minimum: 0, maximum: 1 },
    { unit: 'probability' },
  ),
  field(
    'status',
    'string',
    'Status',
    'available: label decided; degraded: row present, label indeterminate; missing: no input row.',
    { required: true, enum: ['available', 'degraded', 'missing'] },
  ),
  field(
    'demand_score',
    'number',
    'Demand score',
    '50 is typical of the last year; empty when missing.',
    { minimum: 0, maximum: 100 },
    { unit: 'score' },
  ),
  field(
    'cost_score',
    'number',
    'Cost score',
    '50 is typical of the last year; empty when missing.',
    { minimum: 0, maximum: 100 },
    { unit: 'score' },
  ),
  field(
    'capacity_score',
    'number',
    'Capacity score',
    '50 is typical of the last year; empty when missing, always on arbitrum.',
    { minimum: 0, maximum: 100 },
    { unit: 'score' },
  ),
  field(
    'regime_since',
    'date',
    'Regime since',
    'First date of the run of this label.',
    { required: true },
    { format: '%Y-%m-%d' },
  ),
  field(
    'run_days',
    'integer',
    'Run length',
    'Consecutive dates with this label, this one included.',
    { required: true, minimum: 1 },
    { unit: 'days' },
  ),
  field(
    'top_driver',
    'string',
    'Top driver',
    'Signal that contributes most to the axes; empty when there is none.',
    { pattern: '[a-z0-9_]+' },
  ),
  field('methodology_version', 'string', 'Methodology version', 'Version of the methodology of the row.', {
    required: true,
    pattern: 'v[1-9][0-9]*',
  }),
  field(
    'published_revision',
    'string',
    'Published revision',
    'Revision that published the meta record of the row.',
    { required: true, pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}\\.[0-9]{6}' },
  ),
  field('determinism_hash', 'string', 'Determinism hash', 'Hash that anchors the meta record of the row.', {
    required: true,
    pattern: '[0-9a-f]{64}',
  }),
];

function field(
  name: keyof RegimeCalendarRow,
  type: FeatureField['type'],
  title: string,
  description: string,
  constraints: FeatureField['constraints'],
  more: { readonly unit?: string; readonly format?: string } = {},
): FeatureField & { readonly name: keyof RegimeCalendarRow } {
  return { name, type, title, description, constraints, ...more };
}

/** The calendar row of a meta record. */
export function toCalendarRow(record: MetaDay): RegimeCalendarRow {
  const { demand, cost, capacity } = record.scorecard;
  return {
    date: record.date,
    chain: record.chain,
    regime: record.regime.label,
    confidence: record.confidence.score,
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
  };
}

/**
 * A chain's regime calendar: RFC 4180, LF, dates ascending. `rows` follow the rows that `head`, the text of an
 * earlier calendar, already holds; without one the header is written.
 */
export function calendarFile(chain: Chain, rows: readonly RegimeCalendarRow[], head?: string): FileKind {
  const header = `${CALENDAR_FIELDS.map(({ name }) => name).join(',')}\n`;
  return {
    path: calendarPath(chain),
    type: CSV_TYPE,
    content: () => ({
      schema: 'regime-calendar',
      value: rows,
      text: (head ?? header) + rows.map((row) => `${toCsvLine(row)}\n`).join(''),
    }),
  };
}

/** The rows of a calendar's text by date: label and line. Precondition: the text was written by `calendarFile`. */
export function labelsOf(calendar: string): Map<string, string> {
  const column = CALENDAR_FIELDS.findIndex(({ name }) => name === 'regime');
  const lines = calendar.trimEnd().split('\n').slice(1);
  return new Map(lines.map((line) => line.split(',')).map((cells) => [cells[0] ?? '', cells[column] ?? '']));
}

/** No cell holds a comma, a quote, a line break or a formula: the row's schema allows none. */
function toCsvLine(row: RegimeCalendarRow): string {
  return CALENDAR_FIELDS.map(({ name }) => String(row[name] ?? '')).join(',');
}
