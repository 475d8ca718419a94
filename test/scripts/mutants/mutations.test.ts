import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import {
  applyMutation,
  describeMutation,
  drawMutations,
  findMutations,
  KINDS,
  parseChangedLines,
  type Mutation,
} from '../../../scripts/mutants/mutations.js';

const ROOT = path.join(import.meta.dirname, '../../..');
/** Sources with all kinds of mutations. */
const FILES = ['generator/state/move-pointer.ts', 'infra/store/s3/s3-retries.ts'];

const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const mutations = FILES.flatMap((file) => findMutations(file, textOf(file)));

/** Returns the mutants of a text: the kind and the whole mutated text of each. */
function mutantsOf(text: string): string[][] {
  return findMutations('file.ts', text).map((mutation) => [mutation.kind, applyMutation(text, mutation)]);
}

describe('the mutations of a source', () => {
  it.each([
    ['if (a) b();', 'negated condition', 'if (!(a)) b();'],
    ['const c = a ? b : d;', 'negated condition', 'const c = !(a) ? b : d;'],
    ['const c = a && b;', 'swapped && and ||', 'const c = a || b;'],
    ['const c = a || b;', 'swapped && and ||', 'const c = a && b;'],
    ['const c = a <= b;', 'other comparison', 'const c = a < b;'],
    ['const c = a !== b;', 'other comparison', 'const c = a === b;'],
    ['work();', 'dropped statement', ';'],
    ['throw error;', 'dropped statement', ';'],
    ['const a = 1_000;', 'other number', 'const a = 1001;'],
    ["const a = 'b';", 'other string', "const a = '';"],
    ["const a = '';", 'other string', "const a = 'mutant';"],
    ['const a = await b;', 'dropped await', 'const a = b;'],
    [
      'function f() { const a = b; return a; }',
      'early return',
      'function f() { return; const a = b; return a; }',
    ],
  ])('of "%s" include the %s "%s"', (text, kind, mutant) => {
    expect(mutantsOf(text)).toContainEqual([kind, mutant]);
  });

  it.each([
    "import a from 'a';",
    "export * from 'a';",
    "type A = 'a' | 1;",
    "let a: 'a' | undefined;",
    'function f() { return a; }',
  ])('are none for "%s"', (text) => {
    expect(mutantsOf(text)).toEqual([]);
  });

  it('leave the names of properties and modules as they are', () => {
    const mutants = mutantsOf("const a = { 'b-c': import('d'), 1: e };");
    expect(mutants).toEqual([]);
  });

  it('have every kind, and each mutant differs from the source and parses', () => {
    expect(new Set(mutations.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    for (const mutation of mutations) {
      const text = textOf(mutation.file);
      const mutant = applyMutation(text, mutation);
      expect(mutant).not.toBe(text);
      const { diagnostics = [] } = ts.transpileModule(mutant, {
        reportDiagnostics: true,
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      const faults = diagnostics.map(({ messageText }) => [mutation, messageText]);
      expect(faults).toEqual([]);
    }
  });

  it('name the line and what changes', () => {
    const text = 'const a = 1;\nconst b = a > 2;\n';
    const [, comparison] = findMutations('file.ts', text);
    expect(comparison?.line).toBe(2);
    expect(describeMutation(text, comparison as Mutation)).toBe('other comparison: > -> >='); // found above
  });
});

describe('drawing', () => {
  it('gives the same mutants for the same seed, in whatever order they were found', () => {
    const drawn = drawMutations(mutations, 'seed', 20);
    expect(drawn).toHaveLength(20);
    expect(drawMutations([...mutations].reverse(), 'seed', 20)).toEqual(drawn);
  });

  it('gives other mutants for another seed', () => {
    expect(drawMutations(mutations, 'other', 20)).not.toEqual(drawMutations(mutations, 'seed', 20));
  });

  it('gives mutants of every kind, each at most once, and all of them when asked for more', () => {
    const drawn = drawMutations(mutations, 'seed', KINDS.length);
    expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    const all = drawMutations(mutations, 'seed', 1_000_000);
    expect(new Set(all)).toEqual(new Set(mutations));
    expect(all).toHaveLength(mutations.length);
  });
});

it('finds the changed lines in a diff, by file', () => {
  const diff = [
    '--- a/gateway/app.ts',
    '+++ b/gateway/app.ts',
    '@@ -3 +3,2 @@ function open() {',
    '+added',
    '@@ -9,2 +10,0 @@',
    '@@ -20,2 +19 @@',
    '--- a/gateway/gone.ts',
    '+++ /dev/null',
    '@@ -1,4 +0,0 @@',
    '--- /dev/null',
    '+++ b/gateway/new.ts',
    '@@ -0,0 +1,3 @@',
  ].join('\n');
  expect(parseChangedLines(diff)).toEqual(
    new Map([
      ['gateway/app.ts', new Set([3, 4, 19])],
      ['gateway/new.ts', new Set([1, 2, 3])],
    ]),
  );
});
