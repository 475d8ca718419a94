import { METRICS, metricsOf, type VolumeGenre } from '../../../schemas/catalog.js';
import type {
  Chain,
  DerivedDay,
  Dimension,
  Driver,
  GoldDay,
  MetaDay,
  Methodology,
} from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';
import type { Cell, CellType } from '../text/csv.js';
import { signalWords } from '../../../schemas/words.js';

/** The columns of every volume that come first. */
const IDENTITY: readonly Column<VersionRow>[] = [
  {
    name: 'date',
    type: 'date',
    required: true,
    description: 'UTC day, the half-open interval [00:00, 24:00).',
    read: ({ date }) => date,
  },
  required('chain', 'Chain; with date the join key.', ({ chain }) => chain),
];

/** The columns of every volume that come last. */
const PROVENANCE: readonly Column<VersionRow>[] = [
  required('status', 'Status of the date. Rows of withdrawn dates have no values.', ({ status }) => status),
  {
    name: 'backfilled',
    type: 'boolean',
    required: true,
    description: 'True for values that were published more than seven days after their day.',
    read: ({ backfilled }) => backfilled,
  },
  required(
    'methodology_version',
    'Version of the methodology.',
    ({ methodologyVersion }) => methodologyVersion,
  ),
  required('published_revision', 'Revision that published the values.', ({ revision }) => revision),
  required('in_force_from', 'Revision from which the row holds.', ({ inForceFrom }) => inForceFrom),
  texts(
    'in_force_until',
    'Revision that ended it; empty if it still holds.',
    ({ inForceUntil }) => inForceUntil,
  ),
];

function required(name: string, description: string, read: Column<VersionRow>['read']): Column<VersionRow> {
  return { ...texts(name, description, read), required: true };
}

/** Returns the columns of the volumes of a genre and chain, in order. */
export function columnsOf(genre: VolumeGenre, chain: Chain, methodology: Methodology): Column<VersionRow>[] {
  return [...IDENTITY, ...recordColumns(genre, chain, methodology), ...PROVENANCE];
}

function recordColumns(genre: VolumeGenre, chain: Chain, methodology: Methodology): Column<VersionRow>[] {
  switch (genre) {
    case 'meta':
      return metaColumns(chain, methodology).map(ofRecord<MetaDay>);
    case 'gold':
      return goldColumns(chain).map(ofRecord<GoldDay>);
    case 'derived':
      return derivedColumns(chain, methodology).map(ofRecord<DerivedDay>);
  }
}

/** Returns a column of a record as a column of its versions. */
function ofRecord<R extends DayRecord>({ read, ...column }: Column<R>): Column<VersionRow> {
  return { ...column, read: ({ record }) => (record === null ? null : read(record as R)) }; // all records of a volume have its genre
}

/** A column of a volume. `T` is what its cells are read from. */
export type Column<T> = {
  readonly name: string;
  readonly type: CellType;
  readonly unit?: string;
  readonly description: string;
  /** True if every row has a value. */
  readonly required?: boolean;
  readonly read: (from: T) => Cell;
};

/** A version of a date: its record, and from when to when it was what the service said. */
export type VersionRow = {
  readonly date: string;
  readonly chain: string;
  /** Null while the date is withdrawn. */
  readonly record: DayRecord | null;
  readonly status: string;
  readonly backfilled: boolean;
  readonly methodologyVersion: string;
  readonly revision: string;
  readonly inForceFrom: string;
  /** Null for the version that is in force. */
  readonly inForceUntil: string | null;
};

/** Returns a column of numbers. */
function numbers<T>(name: string, unit: string, description: string, read: Column<T>['read']): Column<T> {
  return { name, type: 'number', unit, description, read };
}

/** Returns a column of texts. */
function texts<T>(name: string, description: string, read: Column<T>['read']): Column<T> {
  return { name, type: 'string', description, read };
}

/** Returns the columns of meta days: regime, axes, confidence, scorecard and drivers. */
function metaColumns(chain: Chain, methodology: Methodology): Column<MetaDay>[] {
  const signals = methodology.signals.filter(({ chains }) => chains.includes(chain));
  const dimensions = [...new Set(signals.map(({ dimension }) => dimension))];
  return [
    ...REGIME,
    ...CONFIDENCE,
    ...dimensions.flatMap(scoreColumns),
    ...signals.flatMap(({ signal }) => driverColumns(signal, methodology.quantities[signal]?.unit ?? '')),
    texts('inputs_sha256', 'Digest of the inputs of the methodology.', (day) => day.inputs_sha256),
    texts(
      'determinism_hash',
      'Equals regime.determinism_hash of the record.',
      ({ regime }) => regime.determinism_hash,
    ),
  ];
}

const REGIME: readonly Column<MetaDay>[] = [
  texts('regime', 'Label of the day.', ({ regime }) => regime.label),
  {
    name: 'regime_since',
    type: 'date',
    description: 'First date of the run of this label.',
    read: ({ regime }) => regime.since,
  },
  {
    name: 'run_days',
    type: 'integer',
    unit: 'days',
    description: 'Consecutive dates with this label.',
    read: ({ regime }) => regime.run_days,
  },
  texts(
    'previous_regime',
    'Label before this run; empty in the first.',
    ({ regime }) => regime.previous_label,
  ),
  ...(['demand', 'pressure'] as const).flatMap((axis): Column<MetaDay>[] => [
    numbers(`${axis}_z`, 'z', `Position on the axis of ${axis}.`, ({ regime }) => regime.axes[axis].z),
    texts(`${axis}_level`, `Level of ${axis}.`, ({ regime }) => regime.axes[axis].level),
  ]),
];

/** The parts of the data quality, and the dates of which they are the share with values. */
const QUALITY = {
  completeness: 'the last 7 dates',
  depth: 'the baseline window',
  density: 'the last 30 dates',
} as const;

const CONFIDENCE: readonly Column<MetaDay>[] = [
  numbers(
    ...(['confidence', 'probability'] as const),
    'Estimated probability that hindsight gives the same label; 0 when indeterminate.',
    ({ confidence }) => confidence.score,
  ),
  texts('confidence_level', 'Level of confidence.', ({ confidence }) => confidence.level),
  numbers(
    'data_quality',
    'fraction',
    'Weighted mean of the next three.',
    ({ confidence }) => confidence.data_quality,
  ),
  ...(Object.keys(QUALITY) as (keyof typeof QUALITY)[]).map((name) =>
    numbers<MetaDay>(
      name,
      'fraction',
      `Share of ${QUALITY[name]} with values, over the signals.`,
      ({ confidence }) => confidence[name],
    ),
  ),
  numbers(
    'margin',
    'z',
    'Distance to the nearest boundary of a level.',
    ({ confidence }) => confidence.margin,
  ),
  numbers('speed', 'z', 'How far the axes moved lately.', ({ confidence }) => confidence.speed),
  texts(
    'missing_signals',
    'Expected signals without a value, separated by spaces.',
    ({ confidence }) => confidence.missing_signals.join(' ') || null,
  ),
];

function scoreColumns(dimension: Dimension): Column<MetaDay>[] {
  return [
    numbers(
      `${dimension}_score`,
      'score',
      '50 is typical of the last year.',
      ({ scorecard }) => scorecard[dimension]?.score ?? null,
    ),
    numbers(
      `${dimension}_score_z`,
      'z',
      'The score before scaling.',
      ({ scorecard }) => scorecard[dimension]?.z ?? null,
    ),
    texts(
      `${dimension}_score_level`,
      'Level of the score.',
      ({ scorecard }) => scorecard[dimension]?.level ?? null,
    ),
    texts(
      `${dimension}_score_trend`,
      'Trend of the score.',
      ({ scorecard }) => scorecard[dimension]?.trend ?? null,
    ),
  ];
}

/** The values of a driver. Without a unit, the value has that of the signal. */
const DRIVER_VALUES = [
  { name: 'z', unit: 'z', words: 'deviation from what is usual' },
  { name: 'contribution', unit: 'z', words: 'how far it moves its axis' },
  { name: 'value', words: 'value of the day' },
  { name: 'smoothed', words: 'smoothed value' },
  { name: 'baseline', words: 'usual value' },
] as const;

/** Returns the columns of a signal that can be a driver. They are empty on a date on which it is none. */
function driverColumns(signal: string, signalUnit: string): Column<MetaDay>[] {
  const find = ({ drivers }: MetaDay): Driver | undefined =>
    drivers.find((driver) => driver.signal === signal);
  return DRIVER_VALUES.map(({ name, words, ...own }) =>
    numbers<MetaDay>(
      `driver_${signal}_${name}`,
      'unit' in own ? own.unit : signalUnit,
      `Driver ${signalWords(signal)}: ${words}.`,
      (day) => find(day)?.[name] ?? null,
    ),
  );
}

/** Returns the columns of gold days: the metrics of the chain and their source. */
function goldColumns(chain: Chain): Column<GoldDay>[] {
  const metrics = metricsOf(chain).map((metric) =>
    numbers<GoldDay>(
      metric,
      METRICS[metric].unit,
      `Metric: ${METRICS[metric].words}.`,
      ({ metrics }) => metrics[metric] ?? null,
    ),
  );
  return [...metrics, texts('source', 'Source of the values.', ({ source }) => source)];
}

/** What is derived from each metric. Without a unit, the value has that of the metric. */
const SUMMARIES = [
  { name: 'ma7', words: 'mean of 7 dates' },
  { name: 'ma30', words: 'mean of 30 dates' },
  { name: 'change_1d', unit: 'fraction', words: 'change against the day before' },
  { name: 'change_7d', unit: 'fraction', words: 'change of the mean of 7 dates within 7 days' },
  { name: 'change_30d', unit: 'fraction', words: 'change of the mean of 7 dates within 30 days' },
  { name: 'percentile_365d', unit: 'fraction', words: 'rank among the last 365 dates' },
] as const;

/** Returns the columns of derived days: the summaries of each metric, and the ratios that the chain has. */
function derivedColumns(chain: Chain, { derived, quantities }: Methodology): Column<DerivedDay>[] {
  const summaries = metricsOf(chain).flatMap((metric) =>
    SUMMARIES.map(({ name, words, ...own }) =>
      numbers<DerivedDay>(
        `${metric}_${name}`,
        'unit' in own ? own.unit : METRICS[metric].unit,
        `Of ${METRICS[metric].words}: ${words}.`,
        ({ metrics }) => metrics[metric]?.[name] ?? null,
      ),
    ),
  );
  const ratios = (Object.keys(RATIO_WORDS) as Ratio[]).filter(
    (name) =>
      derived.ratios.includes(name) && quantities[name]?.forms.some(({ chains }) => chains.includes(chain)),
  );
  return [
    ...summaries,
    ...ratios.map((name) =>
      numbers<DerivedDay>(name, quantities[name]?.unit ?? '', RATIO_WORDS[name], (day) => day[name] ?? null),
    ),
    texts<DerivedDay>(
      'extremes',
      'What was extreme, as quantity:kind:window:rank, separated by spaces.',
      ({ extremes }) =>
        extremes
          .map(({ quantity, kind, window, rank }) => [quantity, kind, window, rank].join(':'))
          .join(' ') || null,
    ),
  ];
}

type Ratio = 'fee_mean' | 'utilization' | 'block_interval_mean' | 'tx_per_active_address';

const RATIO_WORDS: Readonly<Record<Ratio, string>> = {
  fee_mean: 'Fees for each transaction.',
  utilization: 'Used part of the block space.',
  block_interval_mean: 'Mean time between blocks.',
  tx_per_active_address: 'Transactions for each active address.',
};
