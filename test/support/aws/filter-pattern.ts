/**
 * Returns true if a CloudWatch filter pattern for JSON matches a line of a log. Supports only the syntax that the
 * product's filters use. Source: "Filter pattern syntax for metric filters", CloudWatch Logs User Guide.
 * @throws Error for any other syntax.
 */
export function isMatch(pattern: string, line: string): boolean {
  const text = /^\{ (.*) \}$/.exec(pattern)?.[1];
  if (text === undefined) throw new Error(`unsupported pattern: ${pattern}`);
  return holds(text, JSON.parse(line));
}

/** Returns the value that a selector, such as `$.result.age_days`, selects in a document; undefined if there is none. */
export function select(selector: string, document: unknown): unknown {
  if (!/^\$(\.\w+)+$/.test(selector)) throw new Error(`unsupported selector: ${selector}`);
  return selector
    .split('.')
    .slice(1)
    .reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
      document,
    );
}

/** Evaluates conditions in parentheses, joined by && or ||. */
function holds(text: string, document: unknown): boolean {
  const parts = splitParentheses(text);
  const joints = new Set(parts.joints);
  if (joints.size > 1) throw new Error(`unsupported mixture of && and ||: ${text}`);
  if (parts.groups.length === 0) return conditionHolds(text, document);
  const results = parts.groups.map((group) => holds(group, document));
  return joints.has('||') ? results.some(Boolean) : results.every(Boolean);
}

/** Splits `(a) && (b)` into its groups and what joins them. A text without parentheses has no group. */
function splitParentheses(text: string): { readonly groups: string[]; readonly joints: string[] } {
  const groups: string[] = [];
  const joints: string[] = [];
  let [depth, start, end] = [0, 0, 0];
  for (const { 0: sign, index } of text.matchAll(/[()]/g)) {
    if (sign === '(' && depth === 0) {
      if (groups.length > 0) joints.push(text.slice(end, index).trim());
      start = index + 1;
    }
    depth += sign === '(' ? 1 : -1;
    if (depth > 0) continue;
    groups.push(text.slice(start, index));
    end = index + 1;
  }
  return { groups, joints };
}

function conditionHolds(condition: string, document: unknown): boolean {
  const [, selector = '', operator, value = ''] =
    /^(\$[.\w]+) (=|!=|>=) ("[^"]*"|\d+)$/.exec(condition) ?? [];
  if (operator === undefined) throw new Error(`unsupported condition: ${condition}`);
  const found = select(selector, document);
  if (operator === '!=') return `"${String(found)}"` !== value; // the filters compare only with texts without quotes
  if (operator === '>=') return typeof found === 'number' && found >= Number(value);
  if (!value.startsWith('"')) return found === Number(value);
  const [head = '', ...rest] = (JSON.parse(value) as string).split('*');
  if (rest.length === 0) return found === head;
  if (rest.length > 1 || rest[0] !== '')
    throw new Error(`unsupported wildcard, not at the end: ${condition}`);
  return typeof found === 'string' && found.startsWith(head);
}
