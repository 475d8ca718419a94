import { LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import type { ChainLanding, RegimeLabel } from '../../../../schemas/types.generated.js';
import { escapeHtml, trustHtml, type TrustedHtml } from '../../text/html-template.js';

/** A run of days. */
export const runWords = (days: number): string => (days === 1 ? '1 day' : `${days} days`);

/** What stands where there is no value. */
export const ABSENT = '–';

/** A number with so many decimals, a sign that is a minus, and no negative zero. */
export function fixed(x: number | null | undefined, decimals: number): string {
  if (x === null || x === undefined) return ABSENT;
  const text = x.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** A sentence whose dates are not broken over two lines. */
export function toDatedText(sentence: string): TrustedHtml {
  return trustHtml(escapeHtml(sentence).replace(/\b\d{4}-\d{2}-\d{2}\b/g, '<time>$&</time>'));
}

/** The labels of the last dates as a bar, and in the words that stand for it. Precondition: there is a date. */
export function toRibbon(labels: ChainLanding['labels']): object {
  const counts = (Object.keys(LABEL_MEANINGS) as RegimeLabel[]) // keys of a closed literal
    .map((label) => ({ label, days: labels.filter((each) => each.label === label).length }))
    .filter(({ days }) => days > 0);
  const words = counts.map(({ label, days }) => `${label} ${runWords(days)}`).join(', ');
  const [first, last] = [labels[0]?.date ?? '', labels.at(-1)?.date ?? ''];
  return { days: labels, words: `Labels from ${first} to ${last}: ${words}.` };
}
