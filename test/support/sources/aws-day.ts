import type { Chain } from '../../../schemas/types.generated.js';
import { folderOf, partName, type AwsScene, type WrittenDay } from './aws-scene.js';
import { wholeDay } from './whole-days.js';

/** The date whose objects tests read. */
export const DATE = '2026-03-18';

/** The objects of a date in the bucket of a scene. */
export type AwsDay = {
  /** Removes all objects, and what tests did to requests. */
  readonly reset: () => Promise<void>;
  /** Uploads a whole day of a chain. */
  readonly uploadWhole: (chain: Chain, date?: string) => Promise<WrittenDay>;
  readonly keyOf: (chain: Chain, table: 'blocks' | 'transactions', name?: string) => string;
};

/** Creates the objects of the scene that `scene` returns. */
export function createAwsDay(scene: () => AwsScene): AwsDay {
  return {
    async reset() {
      const { bucket, proxy } = scene();
      for (const key of await bucket.keys()) await bucket.remove(key);
      proxy.beforeRead(() => Promise.resolve());
      proxy.beforeList(() => Promise.resolve());
      proxy.take();
    },
    async uploadWhole(chain, date = DATE) {
      const day = await scene().write(chain, date, wholeDay(chain, 7));
      await scene().upload(chain, date, day);
      scene().proxy.take();
      return day;
    },
    keyOf: (chain, table, name = partName(0)) => `${folderOf(chain, table, DATE)}${name}`,
  };
}
