/**
 * Returns true if an EventBridge pattern matches an event. Supports only the syntax that the product's rules use. Source:
 * "Creating Amazon EventBridge event patterns", EventBridge User Guide.
 * @throws Error for any other syntax.
 */
export function matchesPattern(pattern: Pattern, event: unknown): boolean {
  return Object.entries(pattern).every(([name, expected]) => {
    if (name === '$or') return (expected as Pattern[]).some((each) => matchesPattern(each, event));
    const found = membersOf(event, name);
    if (!Array.isArray(expected)) {
      // A list matches if one of its members does. Without any, only `exists: false` can match.
      return (found.length === 0 ? [undefined] : found).some((each) =>
        matchesPattern(expected as Pattern, each),
      );
    }
    return (found.length === 0 ? [undefined] : found).some((each) =>
      expected.some((value) => holds(value, each)),
    );
  });
}

/** A pattern: the members of an object, each with a list of the values that match or a pattern of its own. */
export type Pattern = { readonly [name: string]: unknown };

/** Returns the values of a member; those of a list one by one. */
function membersOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = (value as Record<string, unknown>)[name];
  return found === undefined ? [] : Array.isArray(found) ? found : [found];
}

function holds(expected: unknown, found: unknown): boolean {
  if (typeof expected === 'string') return found === expected;
  const [[operator, argument] = [], ...others] = Object.entries(expected as object) as [string, unknown][];
  if (others.length > 0) throw new Error(`unsupported: ${JSON.stringify(expected)}`);
  if (operator === 'exists') return (found !== undefined) === argument;
  if (operator === 'anything-but') return found !== undefined && !(argument as unknown[]).includes(found);
  if (operator === 'prefix') return typeof found === 'string' && found.startsWith(argument as string);
  if (operator === 'wildcard') return typeof found === 'string' && isLike(found, argument as string);
  throw new Error(`unsupported: ${JSON.stringify(expected)}`);
}

/** Matches a text against a pattern in which * stands for any characters. */
function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*')}$`, 's').test(text);
}
