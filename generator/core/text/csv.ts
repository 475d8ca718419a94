import type { FeatureField } from '../../../schemas/types.generated.js';

/** A value of a table; null if it is missing. */
export type Cell = string | number | boolean | null;

export type CellType = FeatureField['type'];

/**
 * The form of numbers in columns of type `number`. `point` is the form of new files. Earlier builds wrote the `shortest`
 * form, which has a decimal point only where it needs one; their files are still verified.
 */
export type NumberForm = 'point' | 'shortest';

/**
 * Returns a line of CSV, without its end: RFC 4180, quotes only where needed, an empty cell for a missing value.
 * A number has a decimal point if and only if the type of its column is `number`. Readers that infer types then find the
 * same type in every file, whatever its values are.
 */
export function csvLine(
  columns: readonly { readonly type: CellType }[],
  cells: readonly (Cell | undefined)[],
  form: NumberForm = 'point',
): string {
  return columns
    .map(({ type }, i) => csvCell(cells[i] ?? '', form === 'point' && type === 'number'))
    .join(',');
}

function csvCell(cell: string | number | boolean, isPointed: boolean): string {
  const text = String(cell);
  if (isPointed) return text.replace(/^-?\d+(?=e|$)/, '$&.0'); // 100, and the 1 of 1e+21
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
