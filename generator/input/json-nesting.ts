import { createScanner } from 'jsonc-parser';

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The deepest nesting of arrays and objects in a text, and the offset at which it first exceeds a limit. */
type Nesting = { readonly depth: number; readonly excessAt: number | undefined };

/**
 * Measures the nesting of JSON text, valid or not, without recursion and in linear time. For invalid text, it is at least
 * as deep as the recursion of a parser that continues after errors: a closing bracket that does not match is ignored.
 */
export function measureNesting(text: string, limit: number): Nesting {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  let depth = 0;
  let excessAt: number | undefined;
  scanner.scan();
  for (let at = scanner.getTokenOffset(); at < text.length; at = scanner.getTokenOffset()) {
    const token = text.charAt(at);
    const closer = CLOSERS[token];
    if (closer !== undefined) open.push(closer);
    else if (token === open.at(-1)) open.pop();
    depth = Math.max(depth, open.length);
    if (depth > limit) excessAt ??= at;
    scanner.scan();
  }
  return { depth, excessAt };
}
