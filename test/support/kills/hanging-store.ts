import { startFlakyS3, type FlakyS3, type SeenRequest } from '../s3/flaky-s3.js';
import type { TestBucket } from '../s3/s3-bucket.js';
import type { PublishScenario, TestStore, TestStores } from './publish-scenario.js';

/**
 * Decides what the server does with a request: `silence` ignores it, `unanswered` carries it out without an answer,
 * `undefined` answers it. A promise delays it. `isHanging` is true after the first request that was not answered.
 */
export type Behaviour = (
  request: SeenRequest,
  isHanging: boolean,
) => 'silence' | 'unanswered' | undefined | Promise<undefined>;

/** A store behind an S3 server that stops answering. */
export type HangingStore = {
  /** The same store without that server in between. */
  readonly direct: TestStore;
  /** Arguments that publish to the store through that server. */
  readonly args: readonly string[];
  /** Resolves when a request is not answered immediately; if it is carried out without an answer, after that. */
  readonly hanging: Promise<void>;
  readonly dispose: FlakyS3['dispose'];
};

/** Options for `createHangingStore`. */
export type HangingStoreOptions = {
  readonly bucket: TestBucket;
  readonly stores: TestStores;
  readonly scenario: PublishScenario;
  readonly name: string;
  readonly behave: Behaviour;
};

/** Copies the store of a scenario, and starts a server in front of it. */
export async function createHangingStore(options: HangingStoreOptions): Promise<HangingStore> {
  const { bucket, stores, scenario, name, behave } = options;
  const direct = await stores.copy(scenario.base, name);
  const state = { isHanging: false, report: (): void => undefined };
  const hanging = new Promise<void>((resolve) => (state.report = resolve));
  const choose = (request: SeenRequest): ReturnType<Behaviour> => {
    const fate = behave(request, state.isHanging);
    if (fate === undefined) return undefined;
    state.isHanging = true;
    if (fate !== 'unanswered') state.report();
    return fate;
  };
  const { endpoint, dispose } = await startFlakyS3(bucket.endpoint, choose, state.report);
  const { input, asOf } = scenario.publication;
  const store = bucket.address(name, endpoint);
  return { direct, args: ['publish', '--input', input, '--store', store, '--as-of', asOf], hanging, dispose };
}
