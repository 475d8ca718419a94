/** Numbers by their names; undefined without a data point. */
export type Variables = Readonly<Record<string, number | undefined>>;

/**
 * Evaluates an expression of CloudWatch metric math for one period: numbers, names, + - * /, comparisons, IF and FILL. A part
 * without a data point makes the whole undefined, except in FILL and in the branch of IF that is not taken.
 * @throws Error for any other syntax
 */
export function evaluateExpression(expression: string, variables: Variables): number | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|\w+|>=|<=|==|[-+*/<>(),]/g) ?? [];
  let at = 0;
  const take = (expected?: string): string => {
    const token = tokens[at];
    at += 1;
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new Error(`unsupported expression: ${expression}`);
    return token;
  };
  const level = (depth: number): number | undefined => {
    const operators = LEVELS[depth];
    if (operators === undefined) return atom();
    let value = level(depth + 1);
    for (let apply = operators[tokens[at] ?? '']; apply !== undefined; apply = operators[tokens[at] ?? '']) {
      take();
      const other = level(depth + 1);
      value = value === undefined || other === undefined ? undefined : apply(value, other);
    }
    return value;
  };
  const atom = (): number | undefined => {
    const token = take();
    if (token === '(') return closing(level(0));
    if (/^\d/.test(token)) return Number(token);
    if (tokens[at] !== '(') return readVariable(token);
    take('(');
    const values = [level(0)];
    while (tokens[at] === ',') {
      take(',');
      values.push(level(0));
    }
    return closing(call(token, values));
  };
  const closing = <T>(value: T): T => {
    take(')');
    return value;
  };
  const readVariable = (name: string): number | undefined => {
    if (!(name in variables)) throw new Error(`unknown metric ${name}: ${expression}`);
    return variables[name];
  };
  const value = level(0);
  if (at !== tokens.length) throw new Error(`unsupported expression: ${expression}`);
  return value;
}

type Operator = (a: number, b: number) => number;

/** Operators by their precedence, the lowest first. A comparison is 1 or 0. */
const LEVELS: readonly Readonly<Record<string, Operator>>[] = [
  {
    '>=': (a, b) => Number(a >= b),
    '<=': (a, b) => Number(a <= b),
    '==': (a, b) => Number(a === b),
    '>': (a, b) => Number(a > b),
    '<': (a, b) => Number(a < b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
];

function call(name: string, [first, second, third]: readonly (number | undefined)[]): number | undefined {
  if (name === 'FILL') return first ?? second;
  if (name === 'IF') return first === undefined ? undefined : first === 0 ? third : second;
  throw new Error(`unsupported function: ${name}`);
}
