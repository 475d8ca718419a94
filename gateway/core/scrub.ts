/**
 * Patterns of an API key, a JSON Web Token, and the query of a signed URL. The limit of 8000 characters for a token's
 * header bounds the search in a long text that repeats `eyJ`.
 */
const SECRET_PATTERNS = [
  /crd_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g,
  /eyJ[\w-]{1,8000}\.[\w-]+\.[\w-]*/g,
  /\?[^\s"'?]*(?:X-Amz-|signature=)[^\s"']*/gi,
];
const HIDDEN = '[hidden]';

/**
 * Creates a function that replaces secrets in a text with `[hidden]`: `secrets` themselves (configured secrets, names of
 * buckets), and every API key, token and signed query. Overlapping secrets are all replaced.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const literals = secrets.filter((secret) => secret !== '');
  return (text) => {
    const spans = [
      ...literals.flatMap((literal) => findLiteral(text, literal)),
      ...SECRET_PATTERNS.flatMap((pattern) => findPattern(text, pattern)),
    ];
    let scrubbed = '';
    let end = 0;
    for (const span of spans.sort((one, other) => one.start - other.start)) {
      if (span.start >= end) scrubbed += text.slice(end, span.start) + HIDDEN;
      end = Math.max(end, span.end);
    }
    return scrubbed + text.slice(end);
  };
}

type Span = { readonly start: number; readonly end: number };

function findLiteral(text: string, literal: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(literal); start >= 0; start = text.indexOf(literal, start + 1)) {
    spans.push({ start, end: start + literal.length });
  }
  return spans;
}

function findPattern(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}
