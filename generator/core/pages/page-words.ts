import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import type { ChainLanding, RegimeLabel } from '../../../schemas/types.generated.js';
import { escapeHtml, trustHtml, type TrustedHtml } from '../text/html-template.js';

/** Returns a number of days in words. */
export const dayCount = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

/** Placeholder for a missing value. */
export const ABSENT = '–';

/** Formats a number with fixed decimals, a typographic minus sign and no negative zero. */
export function fixed(x: number | null | undefined, decimals: number): string {
  if (x === null || x === undefined) return ABSENT;
  const text = x.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** Escapes a sentence and marks its dates, so that no date breaks across two lines. */
export function toDatedText(sentence: string): TrustedHtml {
  return trustHtml(escapeHtml(sentence).replace(/\b\d{4}-\d{2}-\d{2}\b/g, '<time>$&</time>'));
}

/** Returns the labels of the last dates as a ribbon, a bar with one part per date, and its text alternative. Precondition: at least one date. */
export function toRibbon(labels: ChainLanding['labels']): object {
  const counts = (Object.keys(LABEL_MEANINGS) as RegimeLabel[]) // Object.keys loses the key type
    .map((label) => ({ label, days: labels.filter((each) => each.label === label).length }))
    .filter(({ days }) => days > 0);
  const words = counts.map(({ label, days }) => `${label} ${dayCount(days)}`).join(', ');
  const [first, last] = [labels[0]?.date ?? '', labels.at(-1)?.date ?? ''];
  return { days: labels, words: `Labels from ${first} to ${last}: ${words}.` };
}
