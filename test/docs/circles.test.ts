import { build } from 'esbuild';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

const FOLDERS = ['gateway', 'generator', 'infra', 'schemas', 'scripts', 'templates', 'test'];

/** Returns the modules that each module of the repository imports when it runs. */
async function readImports(): Promise<Map<string, string[]>> {
  const files = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((file) => path.join(folder, file)),
    ),
  );
  const modules = files.flat().filter((file) => file.endsWith('.ts') && !/node_modules|cdk\.out/.test(file));
  const { metafile } = await build({
    stdin: { contents: modules.map((file) => `import './${file}';`).join('\n'), resolveDir: '.' },
    bundle: true,
    format: 'esm',
    packages: 'external',
    platform: 'node',
    metafile: true,
    write: false,
  });
  return new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [file, imports.map(({ path: to }) => to)]),
  );
}

/** Returns each import that leads back to a module on the way to it, as that way. */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file]);
    else if (!done.has(file)) for (const to of imports.get(file) ?? []) follow(to, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) follow(file, []);
  return circles;
}

it('no module imports itself through others', async () => {
  const imports = await readImports();
  expect(imports.size).toBeGreaterThan(1_000);
  expect(findCircles(imports)).toEqual([]);
});

it('finds a circle of two modules, and one behind another module', () => {
  const imports = { a: ['b', 'd'], b: ['c'], c: ['b'], d: ['a'], e: ['c', 'd'] };
  expect(findCircles(new Map(Object.entries(imports)))).toEqual([
    ['b', 'c', 'b'],
    ['a', 'd', 'a'],
  ]);
});
