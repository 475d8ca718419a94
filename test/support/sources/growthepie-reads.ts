import type { CollectedDay } from '../../../generator/core/collection/day-values.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { FIRST, LAST, type GrowthepieScene } from './growthepie-scene.js';

const SIGNAL = new AbortController().signal;
const SPAN = { first: FIRST, last: LAST };

/** Reads of the source of a scene, each by a new collection if no source is given. */
export type GrowthepieReads = {
  readonly days: (chain: Chain, source?: Source) => Promise<ReadonlyMap<string, string>>;
  readonly day: (chain: Chain, date: string, source?: Source) => Promise<CollectedDay>;
  /** Returns the values of all offered dates that have any. */
  readonly valuesOf: (chain: Chain) => Promise<Map<string, CollectedDay['values']>>;
  /** Returns the error of the newest date. */
  readonly failureOf: (chain: Chain) => Promise<unknown>;
  /** Returns the paths of the requests since the last call. */
  readonly paths: () => string[];
};

/** Creates the reads of the scene that `scene` returns. */
export function createReads(scene: () => GrowthepieScene): GrowthepieReads {
  const days: GrowthepieReads['days'] = (chain, source = scene().create()) =>
    source.days(chain, SPAN, SIGNAL);
  const day: GrowthepieReads['day'] = (chain, date, source = scene().create()) =>
    source.day(chain, date, SIGNAL);
  return {
    days,
    day,
    async valuesOf(chain) {
      const source = scene().create();
      const found = new Map<string, CollectedDay['values']>();
      for (const date of (await days(chain, source)).keys()) {
        const read = await day(chain, date, source).catch(ignoreNotYet);
        if (read !== undefined) found.set(date, read.values);
      }
      return found;
    },
    failureOf: (chain) => day(chain, LAST).catch((error: unknown) => error),
    paths: () =>
      scene()
        .service.takeRequests()
        .map(({ url }) => url),
  };
}

function ignoreNotYet(error: unknown): undefined {
  if (!(error instanceof SourceError) || error.code !== 'not-yet') throw error;
}
