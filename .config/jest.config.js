/**
 * Jest's projects, one for each folder of tests. `.ci/run` runs those of this file; `jest-long.config.js` has those that run
 * by hand.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';

const rootDir = path.resolve(import.meta.dirname, '..');
/** Folders of `test` that are not of the project `fast`. */
const SLOW = ['cli', 'history', 'laws', 'golden', 'integration', 'aws', 'stacks', 'deployed', 'engine'];

/** What builds and installations leave in the repository. */
const IGNORED = [
  'dist',
  'data',
  '.ci',
  '.anvil',
  '.debian',
  '.duckdb',
  '.localstack',
  '.python',
  '.trino',
  'infra/aws/cdk.out',
].map((folder) => `<rootDir>/${folder}/`);

/** Bundles the script of the pages, which the generator reads. */
export const PAGES = { globalSetup: '<rootDir>/test/support/pages/bundle-script.mjs' };
/** Synthesizes the stacks once for all suites. */
export const STACKS = { globalSetup: '<rootDir>/test/support/aws/synthesize-example.mjs' };
/** Runs LocalStack, which `CRD_TEST_S3_ENDPOINT` names. */
export const S3 = {
  globalSetup: '<rootDir>/test/support/s3/start-s3.mjs',
  globalTeardown: '<rootDir>/test/support/s3/stop-s3.mjs',
};

/** Returns a project with the tests below folders of `test`. */
export function project(displayName, folders, settings = {}) {
  return {
    displayName,
    rootDir,
    runner: `${rootDir}/.config/jest-runner.js`,
    testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
    modulePathIgnorePatterns: IGNORED,
    transform: {}, // the runner imports TypeScript itself
    ...settings,
  };
}

export default {
  rootDir,
  maxWorkers: Math.ceil(1.5 * availableParallelism()), // suites wait for timers and sockets too
  testTimeout: 60_000, // a busy machine is slow
  testSequencer: `${rootDir}/.config/jest-sequencer.js`,
  projects: [
    project('fast', ['**'], { ...PAGES, testPathIgnorePatterns: [`<rootDir>/test/(${SLOW.join('|')})/`] }),
    project('laws', ['laws'], PAGES),
    project('golden', ['golden'], PAGES),
    project('history', ['history'], { ...PAGES, testPathIgnorePatterns: ['/history/records/'] }), // those run by hand
    project('cli', ['cli', 'integration/cli'], PAGES),
    project('s3', ['integration/s3'], S3),
    project('browser', ['integration/browser'], PAGES),
    project('python', ['integration/python'], PAGES),
    project('aws', ['aws'], STACKS),
  ],
};
