/** Returns whether a text contains every word of a query, in any order and regardless of case. */
export function matchesQuery(text: string, query: string): boolean {
  const own = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => own.includes(word));
}

/** Returns the number of results in words; an empty text without a query. */
export function countWords(found: number, all: number, query: string): string {
  if (query.trim() === '') return '';
  if (found === 0) return `Nothing found. Try another word.`;
  return `${found} of ${all} entries`;
}
