import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** Folders whose suites test a whole surface, not one source file. */
const SURFACES = [
  'aws',
  'cli',
  'deployed',
  'docs',
  'engine',
  'golden',
  'history',
  'http',
  'integration',
  'laws',
  'stacks',
];

const SUITES = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.split(path.sep).join('/'));

/** Returns the files that a suite may test: `a/b.c.test.ts` tests `a/b.c.ts`, or the aspect "c" of `a/b.ts`. */
function sourcesOf(suite: string): string[] {
  const source = suite.replace(/\.test\.ts$/, '');
  const withoutAspect = source.replace(/\.[^./]+$/, '');
  const sources = [`${source}.ts`, `${withoutAspect}.ts`];
  if (suite.startsWith('support/jest/')) return ['.config/jest-suite.js']; // what runs the suites
  return suite.startsWith('support/') ? sources.map((file) => `test/${file}`) : sources;
}

describe('the tests of a source file', () => {
  it('are at the same path under test/', () => {
    const misplaced = SUITES.filter((suite) => {
      const [folder = ''] = suite.split('/');
      if (SURFACES.includes(folder)) return false;
      return !sourcesOf(suite).some((source) => existsSync(path.join(ROOT, source)));
    });
    expect(SUITES.length).toBeGreaterThan(100);
    expect(misplaced).toEqual([]);
  });
});
