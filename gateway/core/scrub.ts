/** What a secret looks like wherever it stands: an API key, a JSON Web Token, the query of a signed URL. */
const SECRETS = [
  /crd_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]+/g,
  /eyJ[\w-]{1,8000}\.[\w-]+\.[\w-]*/g,
  /\?[^\s"'?]*(?:X-Amz-|signature=)[^\s"']*/gi,
];
const HIDDEN = '[hidden]';

/**
 * Takes secrets out of a text for the log: keys, tokens, signed URLs, and the names and secrets that are given, such as
 * that of a bucket. Each is found wherever it stands, also where it overlaps another. Other text stays as it is.
 */
export function createScrubber(names: readonly string[]): (text: string) => string {
  const given = names.filter((name) => name !== '');
  return (text) => {
    const spans = [
      ...given.flatMap((name) => findName(text, name)),
      ...SECRETS.flatMap((each) => find(text, each)),
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

function findName(text: string, name: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + 1)) {
    spans.push({ start, end: start + name.length });
  }
  return spans;
}

function find(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}
