import type { Engine } from '../../engines/engine.js';
import type { Bucket } from './bucket.js';

/** Tools for the reading of a day. */
export type DayReading = {
  /** Id of the source, for messages. */
  readonly source: string;
  readonly bucket: Bucket;
  readonly engine: Engine;
  readonly cacheFolder: string;
  /** Beginning of the names of complete files. */
  readonly namePrefix: string;
  readonly signal: AbortSignal;
};
