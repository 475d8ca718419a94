import { CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import type { MetaDay, Methodology } from '../../../schemas/types.generated.js';
import { methodologyInputs } from '../methodology/signals.js';
import { shareWords } from '../text/number-words.js';
import type { Narrator } from './narrator.js';

/** Replaces the usual meaning of `strained` when demand is low. */
const STRAINED_WITH_LOW_DEMAND = 'block space scarce despite less use than usual';
const SINCE = { fact: 'meta.regime.since' };
const DATE = { fact: 'meta.date' };
const RUN = { fact: 'meta.regime.run_days' };

function meaningOf({ regime: { label, axes } }: MetaDay): string {
  return label === 'strained' && axes.demand.level === 'low'
    ? STRAINED_WITH_LOW_DEMAND
    : LABEL_MEANINGS[label];
}

/** Returns the state of the day in one sentence. */
export function headlineOf({ records: { meta }, say }: Narrator): string[] {
  const { label, run_days: run, previous_label: previous } = meta.regime;
  const chain = { word: CHAINS[meta.chain].name };
  if (meta.status === 'missing') return say('headline.missing', { chain, date: DATE });
  if (label === 'indeterminate') return say('headline.unlabelled', { chain, date: DATE });
  const state = { chain, label: { word: label }, date: DATE, meaning: { word: meaningOf(meta) } };
  return run === 1 && previous !== null
    ? say('headline.turned', state)
    : say('headline.unchanged', { ...state, since: SINCE });
}

/** Returns the sentences on the current label, how long it has lasted, and the label before it. */
export function stateSection(narrator: Narrator, methodology: Methodology): string[] {
  const isLabelled = narrator.records.meta.regime.label !== 'indeterminate';
  return isLabelled ? sayLabel(narrator) : [...sayNoLabel(narrator), ...sayWhyNot(narrator, methodology)];
}

function sayLabel(narrator: Narrator): string[] {
  const {
    records: { meta },
    say,
  } = narrator;
  const { label, run_days: run, previous_label: previous } = meta.regime;
  const state = { label: { word: label }, meaning: { word: meaningOf(meta) } };
  const before = { previous: { word: previous } };
  const wasLabelled = previous !== 'indeterminate';
  if (run === 1) {
    const dayBefore = wasLabelled ? say('state.before_turn', before) : say('state.regained');
    return [...say('state.turned', state), ...dayBefore, ...sayAxes(narrator)];
  }
  const current =
    run === 2
      ? say('state.second', state)
      : [...say('state.unchanged', state), ...say('state.since', { run: RUN, since: SINCE })];
  const earlier = wasLabelled ? say('state.before', before) : say('state.before_unlabelled');
  return [...current, ...earlier, ...sayAxes(narrator)];
}

function sayNoLabel({ records: { meta }, say }: Narrator): string[] {
  const { run_days: run, previous_label: previous } = meta.regime;
  const before = { previous: { word: previous } };
  if (run === 1) {
    return previous === null
      ? say('state.begins', { chain: { word: CHAINS[meta.chain].name } })
      : say('state.lost', before);
  }
  return [
    ...say('state.unlabelled', { run: RUN, since: SINCE }),
    ...(previous === null ? say('state.never') : say('state.last_label', before)),
  ];
}

function sayWhyNot(narrator: Narrator, methodology: Methodology): string[] {
  const {
    records: { meta, gold },
    say,
  } = narrator;
  const { axes } = meta.regime;
  if (meta.status === 'missing') return say('unlabelled.no_row');
  if (methodologyInputs(methodology, meta.chain).every((metric) => (gold.metrics[metric] ?? null) === null))
    return say('unlabelled.no_input');
  const { minimum } = methodology.data_quality;
  const quality = {
    quality: { fact: 'meta.confidence.data_quality' },
    minimum: { word: shareWords(minimum) },
  };
  return [
    ...(axes.demand.z === null ? say('unlabelled.no_demand') : []),
    ...(axes.pressure.z === null ? say('unlabelled.no_pressure') : []),
    ...(meta.confidence.data_quality < minimum ? say('unlabelled.quality', quality) : []),
    ...sayAxes(narrator),
  ];
}

function sayAxes({ records: { meta }, say }: Narrator): string[] {
  const { demand, pressure } = meta.regime.axes;
  const first = { demand: { word: demand.level }, demand_z: { fact: 'meta.regime.axes.demand.z' } };
  const second = { pressure: { word: pressure.level }, pressure_z: { fact: 'meta.regime.axes.pressure.z' } };
  if (pressure.z === null) return say('state.demand_only', first);
  return demand.z === null ? say('state.pressure_only', second) : say('state.axes', { ...first, ...second });
}
