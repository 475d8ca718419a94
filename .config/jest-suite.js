/** Runs suites for `jest-runner.js`, one after the other. */
import { jestExpect } from '@jest/expect';
import * as circus from 'jest-circus';
import { pathToFileURL } from 'node:url';
import { register } from 'tsx/esm/api';

const IMPORT_LIMIT_MS = 120_000;
/** The events before which an error that nothing catches has to be known. */
const ENDS = new Set(['test_fn_success', 'test_fn_failure', 'hook_success', 'hook_failure', 'run_finish']);
const { setImmediate } = globalThis; // not that of fake timers

/** The suite that runs, or the last one. */
let current = '';
let isRunning = false;
/** Errors between two suites, which the next one reports. */
let late = [];

register(); // TypeScript can be imported
const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = circus;
Object.assign(globalThis, {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  it,
  test,
  expect: jestExpect,
});

circus.addEventHandler(async ({ name, test: { errors } = {} }) => {
  if (ENDS.has(name)) await new Promise((resolve) => setImmediate(resolve)); // for unhandled rejections
  if (name === 'test_done')
    errors.push(...jestExpect.extractExpectedAssertionsErrors().map(({ error }) => error));
});

/** An error that nothing catches fails the test that runs, or else the suite. */
function fail(error) {
  const { currentlyRunningTest, unhandledErrors } = circus.getState();
  if (isRunning) (currentlyRunningTest?.errors ?? unhandledErrors).push([error, error]);
  else {
    late.push(`After ${current}: ${error?.stack ?? error}`);
    console.error(late.at(-1)); // there may be no next suite
  }
}
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

/** Ends a worker: when its work is done, and when the process that started it is gone. */
export const teardown = () => process.exit();
if (process.send !== undefined) process.once('disconnect', teardown);

/** Returns the result of a test in Jest's form. */
function toAssertionResult({ testPath, status, duration, errors, invocations }) {
  const [, ...titles] = testPath; // the first names the whole file
  return {
    ancestorTitles: titles.slice(0, -1),
    duration,
    failureDetails: [],
    failureMessages: errors,
    fullName: titles.join(' '),
    invocations,
    location: null,
    numPassingAsserts: 0,
    status: { done: errors.length > 0 ? 'failed' : 'passed', skip: 'pending', todo: 'todo' }[status],
    title: titles.at(-1),
  };
}

/** Imports a suite. One that does not end ends the process, because its tests could appear in another suite. */
async function importSuite(suite) {
  const limit = setTimeout(() => {
    console.error(`${suite} took longer than ${IMPORT_LIMIT_MS} ms to import.`);
    process.exit(1);
  }, IMPORT_LIMIT_MS);
  await import(pathToFileURL(suite).href).finally(() => clearTimeout(limit));
}

/** Undoes what a suite can leave: variables of the environment, and fake timers of a test that took too long. */
function restore(env, variables) {
  process.env = env;
  for (const name of Object.keys(env)) if (!(name in variables)) delete env[name];
  Object.assign(env, variables);
  globalThis.setTimeout.clock?.uninstall();
}

const failExit = () => {
  process.exitCode = 1;
};

/** Runs the tests of a suite whose names match the pattern. Times are in milliseconds. */
export async function runSuite(suite, { testNamePattern, testTimeout = 5_000 }) {
  const { env } = process;
  const variables = { ...env };
  circus.resetState();
  const state = circus.getState();
  state.testTimeout = testTimeout;
  state.testNamePattern = testNamePattern ? new RegExp(testNamePattern, 'i') : null;
  jestExpect.setState({ testPath: suite });
  [current, isRunning] = [suite, true];
  const start = Date.now();
  process.once('exit', failExit); // a suite that ends the process fails
  try {
    await importSuite(suite);
    const { testResults, unhandledErrors } = await circus.run();
    if (testResults.length === 0) throw new Error('The suite has no test.');
    const results = testResults.map(toAssertionResult);
    return {
      testResults: results,
      unhandledErrors: [...late.splice(0), ...unhandledErrors],
      start,
      end: Date.now(),
    };
  } catch (error) {
    const { message = String(error), stack } = error ?? {}; // other members may not be sent between processes
    throw Object.assign(new Error(message), { stack });
  } finally {
    process.off('exit', failExit);
    isRunning = false;
    restore(env, variables);
  }
}
