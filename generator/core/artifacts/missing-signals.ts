import type { Methodology, MetaDay } from '../../../schemas/types.generated.js';
import { limitedLevel } from '../methodology/confidence.js';
import { signalWords } from '../text/signal-words.js';

/** Returns what a reader must know about gaps in the evidence of a date, in sentences: none when nothing is missing. */
export function evidenceNotes({ regime, confidence }: MetaDay, methodology: Methodology): string[] {
  const { missing_signals: missing } = confidence;
  const limit = limitedLevel(regime.label, confidence.data_quality, methodology.confidence);
  return [
    ...(missing.length === 0 ? [] : [`Missing signals: ${missing.map(signalWords).join(', ')}.`]),
    ...(limit === null ? [] : [`Data quality allows at most ${limit} confidence.`]),
  ];
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
