import type { DestinationStream } from 'pino';

/** What serving needs of the outside world, beyond what every command does. */
export type ServingTerms = {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** A new id of a request. */
  readonly newId: () => string;
  readonly fetch: typeof fetch;
  /** Where the log goes. */
  readonly logDestination: DestinationStream;
};
