import type { ConfidenceSettings, Methodology, MetaDay } from '../../../schemas/types.generated.js';
import { deniedLevel } from '../methodology/regime-series.js';
import { expectedSignals } from '../methodology/signals.js';
import { shareWords } from '../text/number-words.js';
import { signalWords } from '../text/signal-words.js';

/** Returns what a reader must know about gaps in the evidence of a date, in sentences: none when nothing is missing. */
export function evidenceNotes({ confidence }: MetaDay, methodology: Methodology): string[] {
  const { missing_signals: missing } = confidence;
  const limit = qualityLimit(confidence, methodology.confidence);
  return [
    ...(missing.length === 0 ? [] : [`Missing signals: ${missing.map(signalWords).join(', ')}.`]),
    ...(limit === null ? [] : [limit]),
  ];
}

/** Returns the sentence on the data quality that a higher level needs, or null if the score alone would not give it. */
export function qualityLimit(
  { score, data_quality: quality }: MetaDay['confidence'],
  settings: ConfidenceSettings,
): string | null {
  const denied = deniedLevel(score, quality, settings);
  if (denied === null) return null;
  const minimum = shareWords(denied.min_data_quality);
  return `Data quality is ${shareWords(quality)}; ${denied.level} confidence needs ${minimum}.`;
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
