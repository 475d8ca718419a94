/** Replaces the hyphen before a number with the typographic minus sign. Hyphens within dates and names stay. */
export function withMinusSigns(text: string): string {
  return text.replace(/(?<![\w.-])-(?=\d)/g, '−');
}
