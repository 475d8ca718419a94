/**
 * Runs Jest's suites without a sandbox. Each worker process imports its suites one after the other, so that it loads the
 * product once. What a suite changes in its process it must restore.
 */
import { createEmptyTestResult } from '@jest/test-result';
import { CallbackTestRunner } from 'jest-runner';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import { Worker } from 'jest-worker';
import pMap from 'p-map';

const SUITE = new URL('jest-suite.js', import.meta.url);

const count = (results, status) => results.filter((result) => result.status === status).length;

/** Returns what Jest reports of a suite. */
function toTestResult({ path, context }, globalConfig, { testResults, unhandledErrors, ...times }) {
  const { config } = context;
  const failures = formatResultsErrors(testResults, config, globalConfig, path) ?? '';
  const others = unhandledErrors.map((stack) => formatExecError({ stack }, config, globalConfig));
  return {
    ...createEmptyTestResult(),
    displayName: config.displayName,
    failureMessage: [failures, ...others].join('\n') || null,
    numFailingTests: count(testResults, 'failed'),
    numPassingTests: count(testResults, 'passed'),
    numPendingTests: count(testResults, 'pending'),
    numTodoTests: count(testResults, 'todo'),
    skipped: count(testResults, 'pending') === testResults.length,
    perfStats: { ...times, runtime: times.end - times.start, slow: false },
    testExecError: others.length > 0 ? { message: '', stack: unhandledErrors.join('\n') } : undefined,
    testFilePath: path,
    testResults,
  };
}

function startWorkers(numWorkers) {
  const exposedMethods = ['runSuite'];
  return new Worker(SUITE, { exposedMethods, forkOptions: { stdio: 'inherit' }, maxRetries: 0, numWorkers });
}

export default class extends CallbackTestRunner {
  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const { maxWorkers, testNamePattern, testTimeout } = this._globalConfig;
    const inBand = maxWorkers === 1; // --runInBand
    const workers = inBand ? undefined : startWorkers(Math.min(maxWorkers, tests.length));
    const { runSuite } = workers ?? (await import(SUITE));
    const run = async (test) => {
      if (watcher.isInterrupted()) return; // by --bail
      await onStart(test);
      try {
        const outcome = await runSuite(test.path, { testNamePattern, testTimeout });
        await onResult(test, toTestResult(test, this._globalConfig, outcome));
      } catch (error) {
        await onFailure(test, error);
      }
    };
    await pMap(tests, run, { concurrency: maxWorkers });
    await workers?.end();
  }
}
