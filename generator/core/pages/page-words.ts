import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import type { ChainLanding, RegimeLabel } from '../../../schemas/types.generated.js';
import { count } from '../text/count.js';
import { escapeHtml, trustHtml, type TrustedHtml } from '../text/html-template.js';
import { withMinusSigns } from '../text/minus-sign.js';

/** Placeholder for a missing value. */
export const ABSENT = '–';

/** Formats a number for a cell of a page, with a typographic minus sign. */
export function toCell(x: number | null | undefined, toWords: (x: number) => string): string {
  return x === null || x === undefined ? ABSENT : withMinusSigns(toWords(x));
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
  const words = counts.map(({ label, days }) => `${label} ${count(days, 'day')}`).join(', ');
  const [first, last] = [labels[0]?.date ?? '', labels.at(-1)?.date ?? ''];
  return { days: labels, words: `Labels from ${first} to ${last}: ${words}.` };
}
