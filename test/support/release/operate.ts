import { parseInstant } from '../../../schemas/dates.js';
import type { Chain, ReleaseRecord } from '../../../schemas/types.generated.js';
import { nextHeld } from '../../../generator/core/release/held.js';
import { gcStore, type GcResult } from '../../../generator/upkeep/gc-store.js';
import { MIN_GRACE_MS } from '../../../generator/state/gc-policy.js';
import {
  prepareHold,
  prepareRollback,
  type PreparedRelease,
  type RollbackChoice,
} from '../../../generator/publish/prepare-rollback.js';
import { SILENT } from '../../../generator/run/progress.js';
import { publishRelease } from '../../../generator/publish/publish-release.js';
import type { Signing } from '../../../generator/signing/signing.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

const { signal } = new AbortController();

/** Rolls back like the command, and returns the new current release. */
export async function rollBack(
  store: ObjectStore,
  { asOf, signing, ...choice }: RollbackChoice & { readonly asOf: string; readonly signing?: Signing },
): Promise<ReleaseRecord> {
  const asOfMs = parseInstant(asOf) ?? NaN;
  const prepared = await prepareRollback({ store, asOfMs, progress: SILENT, signal }, choice);
  return finish(store, prepared, asOfMs, signing);
}

/** Sets or, with `null`, ends the hold of chains or all like the commands, and returns the new current release. */
export async function setHold(
  store: ObjectStore,
  hold: string | null,
  asOf: string,
  chains?: readonly Chain[],
): Promise<ReleaseRecord> {
  const asOfMs = parseInstant(asOf) ?? NaN;
  const options = { store, asOfMs, progress: SILENT, signal };
  return finish(store, await prepareHold(options, (held) => nextHeld(held, hold, chains)), asOfMs);
}

async function finish(
  store: ObjectStore,
  prepared: PreparedRelease,
  nowMs: number,
  signing?: Signing,
): Promise<ReleaseRecord> {
  await publishRelease(store, prepared, { now: () => nowMs, progress: SILENT, signal, signing });
  return prepared.release?.record ?? prepared.start.state.record;
}

/** Runs garbage collection like the command, with the minimum grace period. */
export function runGc(store: ObjectStore, apply = true): Promise<GcResult> {
  return gcStore(store, { apply, graceMs: MIN_GRACE_MS, progress: SILENT, signal, clock: () => 0 });
}
