import type { Driver, MetaDay, Methodology } from '../../../schemas/types.generated.js';
import { deniedLevel } from '../methodology/regime-series.js';
import { signalWords } from '../text/signal-words.js';
import type { ClaimValue, Narrator } from './narrator.js';

/** Maximum number of drivers in a brief. */
const DRIVERS = 3;

/** Returns the sentences on the strongest drivers and on the scores. */
export function driversSection(narrator: Narrator): string[] {
  const {
    records: { meta },
    say,
  } = narrator;
  const score = (dimension: string): ClaimValue => ({ fact: `meta.scorecard.${dimension}.score` });
  const two = { demand: score('demand'), cost: score('cost') };
  return [
    ...meta.drivers.slice(0, DRIVERS).flatMap((driver, i) => sayDriver(narrator, driver, i)),
    ...((meta.scorecard.capacity?.score ?? null) === null
      ? say('drivers.scores_two', two)
      : say('drivers.scores_three', { ...two, capacity: score('capacity') })),
  ];
}

function sayDriver({ say, words }: Narrator, { signal, direction }: Driver, i: number): string[] {
  const [recent, usual] = [`meta.drivers.${i}.smoothed`, `meta.drivers.${i}.baseline`];
  const rank = i === 0 ? 'first' : 'next';
  const driver = { signal: { word: signalWords(signal) }, lately: { fact: recent } };
  if (words(recent) === words(usual)) return say(`drivers.${rank}_near`, driver);
  return say(`drivers.${rank}_${direction === 'up' ? 'above' : 'below'}`, {
    ...driver,
    usually: { fact: usual },
  });
}

/** Returns the sentences on the confidence in the label and the reasons for it. */
export function confidenceSection(narrator: Narrator, methodology: Methodology): string[] {
  const { say, records } = narrator;
  const { label } = records.meta.regime;
  if (label === 'indeterminate') return [...say('confidence.none'), ...sayEvidence(narrator)];
  const { score, data_quality: quality, level } = records.meta.confidence;
  const isLimited = deniedLevel(score, quality, methodology.confidence) !== null;
  return [
    ...say(`confidence.${level}`, { score: { fact: 'meta.confidence.score' } }),
    ...say('confidence.limited', {
      quality: { fact: 'meta.confidence.data_quality' },
      limit: { word: isLimited ? level : null },
    }),
    ...sayReasons(narrator, methodology),
    ...sayEvidence(narrator),
  ];
}

function sayReasons({ say, records: { meta } }: Narrator, methodology: Methodology): string[] {
  const { run_limit_days: limitDays } = methodology.confidence;
  return [
    ...say('confidence.margin', { margin: { fact: 'meta.confidence.margin' } }),
    ...say(meta.regime.run_days < limitDays ? 'confidence.young' : 'confidence.grown'),
    ...saySpeed(say, meta, methodology),
  ];
}

/**
 * Returns the sentence on the speed: how far the axes have moved since a week before. It covers only axes with a value on
 * both days. A trend is null if one of the days lacks the dimension that its axis requires, so a null trend means that
 * this axis could not be compared.
 */
function saySpeed(
  say: Narrator['say'],
  { scorecard, confidence }: MetaDay,
  methodology: Methodology,
): string[] {
  if (scorecard.demand.trend === null || scorecard.cost.trend === null) return say('confidence.incomparable');
  const isCalm = confidence.speed < methodology.scorecard.trend_threshold;
  return say(isCalm ? 'confidence.calm' : 'confidence.moved', { speed: { fact: 'meta.confidence.speed' } });
}

function sayEvidence({ say, records: { meta } }: Narrator): string[] {
  const { completeness, depth, density, missing_signals: missing } = meta.confidence;
  const signals = missing.length === 0 ? null : missing.map(signalWords).join(', ');
  const share = (member: string): { share: ClaimValue } => ({ share: { fact: `meta.confidence.${member}` } });
  return [
    ...(completeness === 1
      ? say('confidence.week_whole')
      : say('confidence.week_part', share('completeness'))),
    ...(density === 1 ? [] : say('confidence.month_part', share('density'))),
    ...(depth === 1 ? [] : say('confidence.history', share('depth'))),
    ...say('confidence.missing', { signals: { word: signals } }),
  ];
}
