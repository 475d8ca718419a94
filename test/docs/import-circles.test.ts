import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDERS = ['gateway', 'generator', 'infra', 'schemas', 'scripts', 'templates', 'test'];

/** An import or a type from another module of the product. */
const IMPORT = /(?:^import|^export|^\}|import\()[^;'"]*['"](\.[^'"]+)\.js['"]/gm;

/** Returns the modules that each module imports, types and those that it loads only when it needs them included. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, name = '']) => `${path.join(path.dirname(file), name)}.ts`);
}

/** Returns the first circle of imports, from a module back to itself; empty without one. */
function findCircle(modules: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const finished = new Set<string>();
  const visit = (module: string, above: readonly string[]): readonly string[] => {
    if (above.includes(module)) return [...above.slice(above.indexOf(module)), module];
    if (finished.has(module)) return [];
    for (const imported of modules.get(module) ?? []) {
      const circle = visit(imported, [...above, module]);
      if (circle.length > 0) return circle;
    }
    finished.add(module);
    return [];
  };
  return [...modules.keys()].map((module) => visit(module, [])).find(({ length }) => length > 0) ?? [];
}

describe('the modules of the repository', () => {
  it('do not import each other in a circle', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !/node_modules|cdk.out/.test(file))
        .map((file) => path.join(folder, file)),
    );
    const modules = new Map(files.map((file) => [file, importsOf(file)]));
    expect([...modules.values()].flat().length).toBeGreaterThan(1_000);
    expect(findCircle(modules)).toEqual([]);
  });

  it('are found in a circle of types', () => {
    const modules = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts', 'a.ts']],
    ]);
    expect(findCircle(modules)).toEqual(['a.ts', 'b.ts', 'a.ts']);
  });
});
