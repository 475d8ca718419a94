import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createTemporaryFolder, type TemporaryFolder } from '../process/temporary-folder.js';

const execute = promisify(execFile);
const RUNNER = pathToFileURL(path.resolve('.config/jest-suite.js')).href;
/** Runs the suites that its arguments name, and prints the failures of each. */
const PROGRAM = `
  const { runSuite, teardown } = await import('${RUNNER}');
  for (const suite of process.argv.slice(1)) {
    const outcome = await runSuite(suite, { testTimeout: 200 }).catch((error) => ({ error: error.message }));
    const tests = outcome.testResults?.map(({ fullName, status }) => fullName + ': ' + status) ?? [];
    console.log(JSON.stringify([...tests, ...(outcome.unhandledErrors ?? []), ...(outcome.error ? [outcome.error] : [])]));
  }
  teardown();
`;
const PASSES = `it('passes', () => {});`;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

/** Runs suites with these texts in one process, and returns of each the tests with their states, then other errors. */
async function runSuites(...texts: readonly string[]): Promise<string[][]> {
  const files = texts.map((_, i) => path.join(folder.path, `suite-${i}-${Date.now()}.mjs`));
  await Promise.all(files.map((file, i) => writeFile(file, texts[i] ?? '')));
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', PROGRAM, ...files]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as string[]).map((each) => each.split('\n')[0] ?? ''));
}

/** Suites that fail, and what is reported of each. All run in one process, one after the other. */
const FAILING: readonly (readonly [what: string, text: string, reported: readonly string[]])[] = [
  [
    'in its test if a promise of its last test is rejected later',
    `it('x', () => { void Promise.reject(new Error('a')); });`,
    ['x: failed'],
  ],
  [
    'in its test if an expectation of a promise is not awaited',
    `it('x', () => { void expect(Promise.resolve(1)).resolves.toBe(2); });`,
    ['x: failed'],
  ],
  [
    'in its test if a test has fewer expectations than it said',
    `it('x', () => { expect.assertions(2); });`,
    ['x: failed'],
  ],
  ['in its test if a test does not end', `it('x', () => new Promise(() => {}));`, ['x: failed']],
  [
    'in its test if a hook before its tests fails',
    `beforeAll(() => { throw new Error('a'); }); it('x', () => {});`,
    ['x: failed'],
  ],
  [
    'as a whole if a hook after its tests fails',
    `${PASSES} afterAll(() => { throw new Error('gone'); });`,
    ['passes: passed', 'Error: gone'],
  ],
  [
    'as a whole if a promise is rejected at its import',
    `void Promise.reject(new Error('gone')); ${PASSES}`,
    ['passes: failed'],
  ],
  [
    'as a whole if its import fails with what cannot be copied',
    `throw Object.assign(new Error('gone'), { f: () => 1 });`,
    ['gone'],
  ],
  ['as a whole if it has no test', '', ['The suite has no test.']],
];

describe('a suite fails', () => {
  let reported: string[][];
  beforeAll(async () => {
    reported = await runSuites(...FAILING.map(([, text]) => text));
  });

  it.each(FAILING.map(([what, , expected], i) => [what, i, expected] as const))(
    '%s',
    (_what, i, expected) => {
      expect(reported[i]).toEqual(expected);
    },
  );
});

it('an error after the end of a suite fails the next one', async () => {
  const first = `it('passes', () => { setTimeout(() => { throw new Error('gone'); }, 20); });`;
  const wait = `await new Promise((resolve) => setTimeout(resolve, 50));`;
  const [, second, third] = await runSuites(first, `${wait} ${PASSES}`, PASSES);
  expect([second, third]).toEqual([['passes: passed', 'Error: gone'], ['passes: passed']]);
});

it('a suite gets the environment and the clock as they were before the previous suite', async () => {
  const first = `import { install } from '${import.meta.resolve('@sinonjs/fake-timers')}';
    it('x', () => { install(); process.env = { ...process.env, PLANTED: '1' }; process.env.HOME = '/planted'; return new Promise(() => {}); });`;
  const second = `it('y', () => expect([process.env.PLANTED, process.env.HOME === '/planted', setTimeout.clock]).toEqual([undefined, false, undefined]));`;
  expect((await runSuites(first, second))[1]).toEqual(['y: passed']);
});
