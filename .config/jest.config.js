/** Jest's projects. All share these settings; each names the folders of its tests. */
import { availableParallelism } from 'node:os';
import path from 'node:path';

const rootDir = path.resolve(import.meta.dirname, '..');
const SLOW = ['history', 'laws', 'golden', 'integration', 'aws', 'deployed', 'engine'];

/** What builds and installations leave in the repository. */
const IGNORED = [
  'dist',
  '.ci',
  '.anvil',
  '.debian',
  '.duckdb',
  '.localstack',
  '.python',
  '.trino',
  'infra/aws/cdk.out',
].map((folder) => `<rootDir>/${folder}/`);

/** Synthesizes the stacks once for all suites. */
const globalSetup = '<rootDir>/test/support/aws/synthesize-example.mjs';

/** Bundles the script of the pages, which the generator reads. */
const BUNDLE = { globalSetup: '<rootDir>/test/support/pages/bundle-script.mjs' };

function project(displayName, folders, settings = {}) {
  return {
    displayName,
    rootDir,
    runner: `${rootDir}/.config/jest-runner.js`,
    testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
    modulePathIgnorePatterns: IGNORED,
    ...settings,
  };
}

export default {
  rootDir,
  maxWorkers: Math.ceil(1.5 * availableParallelism()), // suites wait for timers and sockets too
  testTimeout: 60_000, // a busy machine is slow
  testSequencer: `${rootDir}/.config/jest-sequencer.js`,
  projects: [
    project('fast', ['test'], { ...BUNDLE, testPathIgnorePatterns: [`<rootDir>/test/(${SLOW.join('|')})/`] }),
    project('history', ['test/history'], BUNDLE),
    project('integration', ['test/laws', 'test/golden', 'test/integration'], BUNDLE),
    project('aws', ['test/aws'], { globalSetup }),
    project('deployed', ['test/deployed'], { globalSetup }),
    project('engine', ['test/engine']),
  ],
};
