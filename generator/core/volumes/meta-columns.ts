import type { Chain, Dimension, Driver, MetaDay, Methodology } from '../../../schemas/types.generated.js';
import { signalWords } from '../text/signal-words.js';
import { numbers, texts, type Column } from './column.js';

/** Returns the columns of meta days: regime, axes, confidence, scorecard and drivers. */
export function metaColumns(chain: Chain, methodology: Methodology): Column<MetaDay>[] {
  const signals = methodology.signals.filter(({ chains }) => chains.includes(chain));
  const dimensions = [...new Set(signals.map(({ dimension }) => dimension))];
  return [
    ...REGIME,
    ...CONFIDENCE,
    ...dimensions.flatMap(scoreColumns),
    ...signals.flatMap(({ signal }) => driverColumns(signal, methodology.quantities[signal]?.unit ?? '')),
    texts('inputs_sha256', 'Digest of the inputs of the methodology.', (day) => day.inputs_sha256),
    texts('determinism_hash', 'Hash that anchors the record.', ({ regime }) => regime.determinism_hash),
  ];
}

const REGIME: readonly Column<MetaDay>[] = [
  texts('regime', 'Label of the day.', ({ regime }) => regime.label),
  {
    ...{ name: 'regime_since', type: 'date', description: 'First date of the run of this label.' },
    read: ({ regime }) => regime.since,
  },
  {
    ...{ name: 'run_days', type: 'integer', unit: 'days', description: 'Consecutive dates with this label.' },
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
