import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');

/** An entry of a lock file of npm. One that is `inBundle` has no archive of its own. */
type Locked = { readonly integrity?: string; readonly license?: string; readonly inBundle?: boolean };
type Packages = Readonly<Record<string, Locked>>;

/** The packages whose archives contain others: the digest of the archive covers what it contains. SECURITY.md names them. */
const BUNDLES = ['node_modules/@aws-cdk/cloud-assembly-schema', 'node_modules/aws-cdk-lib'];

const LOCKS = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => path.basename(file) === 'package-lock.json')
  .sort();

async function readPackages(file: string): Promise<[place: string, entry: Locked][]> {
  const { packages } = JSON.parse(await read(file)) as { packages: Packages }; // the format of npm
  return Object.entries(packages).filter(([place]) => place !== '');
}

it('finds the lock files', () => {
  expect(LOCKS).toEqual([
    'infra/aws/package-lock.json',
    'infra/duckdb/package-lock.json',
    'package-lock.json',
    'test/anvil/package-lock.json',
  ]);
});

describe.each(LOCKS)('%s', (file) => {
  it('has a digest and a licence for every package, except in archives of named packages with a digest', async () => {
    const packages = await readPackages(file);
    expect(packages.length).toBeGreaterThan(4);
    const digests = new Map(packages.map(([place, { integrity }]) => [place, integrity]));
    const isCovered = ([place, { integrity, inBundle }]: [string, Locked]): boolean =>
      integrity === undefined
        ? inBundle === true &&
          BUNDLES.some((bundle) => place.startsWith(`${bundle}/`) && digests.get(bundle) !== undefined)
        : /^sha512-[\w+/]{86}==$/.test(integrity);
    expect(packages.filter((each) => !isCovered(each)).map(([place]) => place)).toEqual([]);
    expect(packages.filter(([, { license }]) => license === undefined).map(([place]) => place)).toEqual([]);
  });

  it('is named in SECURITY.md', async () => {
    expect(await read('SECURITY.md')).toContain(`\`${file}\``);
  });
});

it('SECURITY.md names the packages whose archives contain others, and no other packages do', async () => {
  const bundled = (await Promise.all(LOCKS.map(readPackages))).flat().filter(([, entry]) => entry.inBundle);
  const used = BUNDLES.filter((bundle) => bundled.some(([place]) => place.startsWith(`${bundle}/`)));
  expect(used).toEqual(BUNDLES);
  const security = await read('SECURITY.md');
  for (const bundle of BUNDLES) expect(security).toContain(`\`${bundle.replace('node_modules/', '')}\``);
});

it('only npm ci installs packages, in scripts, in the image and in .ci/run', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  const commands = [...Object.values(scripts), await read('infra/Dockerfile'), await read('.ci/run')];
  expect(commands.filter((text) => /npm (i|install|add|exec)\b|npx (-y|--yes)\b/.test(text))).toEqual([]);
});

it('the lock file of DuckDB has the version that package.json asks for', async () => {
  const { peerDependencies } = JSON.parse(await read('package.json')) as {
    peerDependencies: Record<string, string>;
  };
  const { dependencies } = JSON.parse(await read('infra/duckdb/package.json')) as {
    dependencies: Record<string, string>;
  };
  expect(dependencies).toEqual(peerDependencies);
});
