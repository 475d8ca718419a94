import type { ConfidenceLevel, RegimeLabel } from '../../../schemas/types.generated.js';
import { shareWords } from './number-words.js';

type Confidence = { readonly score: number; readonly level: ConfidenceLevel };

/** Returns the confidence in a label in words. Without a label there is nothing to be confident in. */
export function confidenceWords(label: RegimeLabel, { score, level }: Confidence): string {
  return label === 'indeterminate' ? 'none, because there is no label' : `${shareWords(score)}, ${level}`;
}

/** Returns the confidence in a label for a table. */
export function confidenceCell(label: RegimeLabel, score: number, absent: string): string {
  return label === 'indeterminate' ? absent : shareWords(score);
}
