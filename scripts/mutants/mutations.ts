/** Finds the small changes of a source file that a test should notice, and draws some of them. */
import ts from 'typescript';
import { sha256Hex } from '../../schemas/digest.js';

export const KINDS = [
  'negated condition',
  'swapped && and ||',
  'other comparison',
  'dropped statement',
  'other number',
  'other string',
  'dropped await',
  'early return',
] as const;

/** A change: the text from `start` to `end` is replaced. `line` counts from 1. */
export type Mutation = {
  readonly file: string;
  readonly line: number;
  readonly kind: (typeof KINDS)[number];
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
};

const { SyntaxKind } = ts;

const LOGICAL: Readonly<Record<number, string>> = {
  [SyntaxKind.AmpersandAmpersandToken]: '||',
  [SyntaxKind.BarBarToken]: '&&',
};

const COMPARISONS: Readonly<Record<number, string>> = {
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
};

/** Returns every mutation of a TypeScript file, in the order of its text. */
export function findMutations(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const { kind, at, end = at.getEnd(), replacement } of changesAt(node)) {
      const start = at.getStart();
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ file, line, kind, start, end, replacement });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((a, b) => a.start - b.start);
}

/** A replacement of the node `at`, or of the text from its start to `end`. */
type Change = Pick<Mutation, 'kind' | 'replacement'> & { readonly at: ts.Node; readonly end?: number };

function changesAt(node: ts.Node): Change[] {
  if (ts.isIfStatement(node)) return [negate(node.expression)];
  if (ts.isConditionalExpression(node)) return [negate(node.condition)];
  if (ts.isBinaryExpression(node)) return changeOperator(node.operatorToken);
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node))
    return [{ kind: 'dropped statement', at: node, replacement: ';' }];
  if (ts.isAwaitExpression(node))
    return [{ kind: 'dropped await', at: node, replacement: node.expression.getText() }];
  if (ts.isNumericLiteral(node) && !isName(node))
    return [{ kind: 'other number', at: node, replacement: String(Number(node.text) + 1) }];
  if (ts.isStringLiteralLike(node) && !isName(node))
    return [{ kind: 'other string', at: node, replacement: node.text === '' ? "'mutant'" : "''" }];
  return ts.isBlock(node) && ts.isFunctionLike(node.parent) ? returnEarly(node) : [];
}

function negate(condition: ts.Expression): Change {
  return { kind: 'negated condition', at: condition, replacement: `!(${condition.getText()})` };
}

function changeOperator(operator: ts.BinaryOperatorToken): Change[] {
  const { [operator.kind]: logical } = LOGICAL;
  const { [operator.kind]: comparison } = COMPARISONS;
  if (logical !== undefined) return [{ kind: 'swapped && and ||', at: operator, replacement: logical }];
  return comparison === undefined
    ? []
    : [{ kind: 'other comparison', at: operator, replacement: comparison }];
}

/** Returns before each statement of a function; not before its own `return` and `throw`. */
function returnEarly({ statements }: ts.Block): Change[] {
  return statements
    .filter((at) => !ts.isReturnStatement(at) && !ts.isThrowStatement(at) && !ts.isFunctionDeclaration(at))
    .map((at) => ({ kind: 'early return', at, end: at.getStart(), replacement: 'return; ' }));
}

/** Returns whether a literal is the name of a property or a module, or a part of a tagged template, not a value. */
function isName(literal: ts.Node): boolean {
  const { parent } = literal;
  const isModule = ts.isCallExpression(parent) && parent.expression.kind === SyntaxKind.ImportKeyword;
  const isProperty = ts.isPropertyAssignment(parent) && parent.name === literal;
  return isModule || isProperty || ts.isTaggedTemplateExpression(parent);
}

/** Returns the text of a file with the mutation. */
export function applyMutation(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Describes a mutation in a cell: its kind, and the text before and after. */
export function describeMutation(text: string, { kind, start, end, replacement }: Mutation): string {
  if (kind === 'dropped statement') return `${kind} ${shorten(text.slice(start, end))}`;
  if (kind === 'early return')
    return `${kind} before ${shorten(text.slice(start, text.indexOf('\n', start)))}`;
  return `${kind}: ${shorten(text.slice(start, end))} -> ${shorten(replacement)}`;
}

function shorten(code: string): string {
  const line = code.replace(/\s+/g, ' ');
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
}

/**
 * Draws `count` mutations, the same number of each kind as far as possible. The order depends only on the seed and the
 * mutations themselves, so that nobody can choose them.
 */
export function drawMutations(all: readonly Mutation[], seed: string, count: number): Mutation[] {
  const ranked = all
    .map((mutation) => ({
      mutation,
      rank: sha256Hex(`${seed} ${mutation.file} ${mutation.start} ${mutation.end} ${mutation.kind}`),
    }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutation }) => mutation);
  const queues = KINDS.map((kind) => ranked.filter((mutation) => mutation.kind === kind));
  const drawn: Mutation[] = [];
  for (let round = 0; drawn.length < Math.min(count, all.length); round += 1)
    drawn.push(...queues.flatMap((queue) => queue.slice(round, round + 1)));
  return drawn.slice(0, count);
}

/** Returns the lines that a diff without context (`git diff --unified=0`) adds or changes, by file. */
export function parseChangedLines(diff: string): Map<string, Set<number>> {
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const row of diff.split('\n')) {
    const file = /^\+\+\+ b\/(.+)$/.exec(row)?.[1];
    if (file !== undefined) changed.set(file, (lines = new Set()));
    const [, start, length = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(row) ?? [];
    for (let i = 0; start !== undefined && i < Number(length); i += 1) lines.add(Number(start) + i);
  }
  return changed;
}
