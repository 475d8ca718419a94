/**
 * Returns true if a CloudWatch filter pattern for JSON matches a line of a log. Supports only the syntax that the
 * product's filters use. Source: "Filter pattern syntax for metric filters", CloudWatch Logs User Guide.
 * @throws Error for any other syntax.
 */
export function isMatch(pattern: string, line: string): boolean {
  const conditions = /^\{ (.*) \}$/.exec(pattern)?.[1]?.split(' && ');
  if (conditions === undefined) throw new Error(`unsupported pattern: ${pattern}`);
  const members = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return conditions.every((condition) => holds(condition, members));
}

function holds(condition: string, members: Readonly<Record<string, unknown>>): boolean {
  const [, name = '', operator, value = ''] = /^\(\$\.(\w+) (=|>=) ("[^"]*"|\d+)\)$/.exec(condition) ?? [];
  const found = members[name];
  if (operator === '>=') return typeof found === 'number' && found >= Number(value);
  if (operator === undefined) throw new Error(`unsupported condition: ${condition}`);
  const [head = '', ...rest] = (JSON.parse(value) as string).split('*');
  if (rest.length === 0) return found === head;
  if (rest.length > 1 || rest[0] !== '')
    throw new Error(`unsupported wildcard, not at the end: ${condition}`);
  return typeof found === 'string' && found.startsWith(head);
}
