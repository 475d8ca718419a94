import type { Driver, Methodology } from '../../../schemas/types.generated.js';
import { SIGNAL_WORDS } from '../text/signal-words.js';
import type { ClaimValue, Narrator } from './narrator.js';

/** Number of drivers that are told of. */
const DRIVERS = 3;

/** Which signals move the axes most, and where the scores stand. */
export function driversSection({ records: { meta }, say }: Narrator): string[] {
  const score = (dimension: string): ClaimValue => ({ fact: `meta.scorecard.${dimension}.score` });
  const two = { demand: score('demand'), cost: score('cost') };
  return [
    ...meta.drivers
      .slice(0, DRIVERS)
      .flatMap(({ signal, direction }, i) => sayDriver(say, signal, direction, i)),
    ...(meta.scorecard.capacity === undefined
      ? say('drivers.scores_two', two)
      : say('drivers.scores_three', { ...two, capacity: score('capacity') })),
  ];
}

function sayDriver(
  say: Narrator['say'],
  signal: string,
  direction: Driver['direction'],
  i: number,
): string[] {
  return say(`drivers.${i === 0 ? 'first' : 'next'}_${direction === 'up' ? 'above' : 'below'}`, {
    signal: { word: SIGNAL_WORDS[signal] ?? signal },
    lately: { fact: `meta.drivers.${i}.smoothed` },
    usually: { fact: `meta.drivers.${i}.baseline` },
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
  const { trend_threshold: moved } = methodology.scorecard;
  const speed = { speed: { fact: 'meta.confidence.speed' } };
  return [
    ...say('confidence.margin', { margin: { fact: 'meta.confidence.margin' } }),
    ...say(meta.regime.run_days < grown ? 'confidence.young' : 'confidence.grown'),
    ...say(meta.confidence.speed < moved ? 'confidence.calm' : 'confidence.moved', speed),
  ];
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
