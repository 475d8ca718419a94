import type { Driver, MetaDay, Methodology } from '../../../schemas/types.generated.js';
import { SIGNAL_WORDS } from '../text/signal-words.js';
import type { ClaimValue, Narrator } from './narrator.js';

/** Number of drivers that are told of. */
const DRIVERS = 3;

/** Which signals move the axes most, and where the scores stand. */
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
  const [lately, usually] = [`meta.drivers.${i}.smoothed`, `meta.drivers.${i}.baseline`];
  const place = i === 0 ? 'first' : 'next';
  const driver = { signal: { word: SIGNAL_WORDS[signal] ?? signal }, lately: { fact: lately } };
  if (words(lately) === words(usually)) return say(`drivers.${place}_near`, driver);
  return say(`drivers.${place}_${direction === 'up' ? 'above' : 'below'}`, {
    ...driver,
    usually: { fact: usually },
  });
}

/** How sure the label is, and why. */
export function confidenceSection(narrator: Narrator, methodology: Methodology): string[] {
  const { say, records } = narrator;
  const { label } = records.meta.regime;
  if (label === 'indeterminate') return [...say('confidence.none'), ...sayEvidence(narrator)];
  return [
    ...say(`confidence.${records.meta.confidence.level}`, { score: { fact: 'meta.confidence.score' } }),
    ...sayReasons(narrator, methodology),
    ...sayEvidence(narrator),
  ];
}

function sayReasons({ say, records: { meta } }: Narrator, methodology: Methodology): string[] {
  const { run_limit_days: grown } = methodology.confidence;
  return [
    ...say('confidence.margin', { margin: { fact: 'meta.confidence.margin' } }),
    ...say(meta.regime.run_days < grown ? 'confidence.young' : 'confidence.grown'),
    ...saySpeed(say, meta, methodology),
  ];
}

/** The speed is of the axes that both days have; a trend is there when both have the dimension that its axis needs. */
function saySpeed(
  say: Narrator['say'],
  { scorecard, confidence }: MetaDay,
  methodology: Methodology,
): string[] {
  if (scorecard.demand.trend === null || scorecard.cost.trend === null) return say('confidence.incomparable');
  const isCalm = confidence.speed < methodology.scorecard.trend_threshold;
  return say(isCalm ? 'confidence.calm' : 'confidence.moved', { speed: { fact: 'meta.confidence.speed' } });
}

/** How complete the data are that the conclusions rest on. */
function sayEvidence({ say, records: { meta } }: Narrator): string[] {
  const { completeness, depth, density } = meta.confidence;
  const share = (member: string): { share: ClaimValue } => ({ share: { fact: `meta.confidence.${member}` } });
  return [
    ...(completeness === 1
      ? say('confidence.week_whole')
      : say('confidence.week_part', share('completeness'))),
    ...(density === 1 ? [] : say('confidence.month_part', share('density'))),
    ...(depth === 1 ? [] : say('confidence.history', share('depth'))),
  ];
}
