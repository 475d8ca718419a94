import { count } from '../../core/text/count.js';
import { parseInstant } from '../../../schemas/dates.js';
import { objectKey, POINTER_KEY, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Manifest, Pointer } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError, type NextWords, RUN_AGAIN } from '../../core/generator-error.js';
import { isRetained, type StoredRelease } from '../../state/published-state.js';
import { readClock } from '../../state/trusted-clock.js';
import { checkIndexes, checkListing } from '../../core/verification/check-files.js';
import { damaged, parseStored, readArtifact } from '../../state/stored-json.js';

const HOUR_MS = 3_600_000;

/**
 * The release to copy: the newest one that was published at least this long ago, or the one with this revision. `now` is
 * the machine's clock, which counts only if the source has no clock of its own.
 */
export type Selection =
  { readonly delayHours: number; readonly now: () => number } | { readonly revision: string };

/** Options for `selectRelease`. */
type SelectOptions = {
  readonly from: ObjectStore;
  /** The time up to which the source may have collected garbage. */
  readonly nowMs: number;
  /** The pointer of the target, if it has one. */
  readonly target: Pointer | undefined;
};

/**
 * Returns the index of the release to copy in the source's releases, newest first. A delayed copy keeps a later release that
 * the target already has.
 * @throws GeneratorError 'usage' if there is no such release, garbage collection may have deleted its files, or the
 * target has a later one.
 */
export function selectRelease(
  releases: readonly StoredRelease[],
  selection: Selection | undefined,
  options: SelectOptions,
): number {
  const { nowMs, target } = options;
  const from = options.from.address;
  if (selection === undefined) return 0;
  const current = releases.findIndex(({ sha256 }) => sha256 === target?.sha256);
  const isDelayed = 'delayHours' in selection;
  const index = isDelayed
    ? findDelayed(releases, readClock(options.from, selection.now).nowMs - selection.delayHours * HOUR_MS)
    : releases.findIndex(({ record }) => record.revision === selection.revision);
  if (isDelayed && current >= 0 && (index < 0 || index > current)) return current;
  const release = releases[index];
  if (release === undefined)
    throw isDelayed
      ? usage(
          `${from} has no release that was published ${count(selection.delayHours, 'hour')} ago or earlier and that no rollback undid. Run again later.`,
          RUN_AGAIN,
        )
      : usage(
          `There is no release ${selection.revision} in ${from}. ${PUBLIC_PATHS.changes} lists the releases.`,
        );
  if (current >= 0 && current < index)
    throw usage(
      `The target already has ${target?.revision ?? ''}, a later release than ${release.record.revision}. A copy never goes back: choose another target.`,
    );
  if (!isRetained(release, index, nowMs))
    throw usage(
      `Release ${release.record.revision} is no longer kept in full in ${from}. Choose a later one.`,
    );
  return index;
}

/** Returns the index of the newest release that was published by this time and is not undone; -1 if there is none. */
function findDelayed(releases: readonly StoredRelease[], byMs: number): number {
  const undone = findUndone(releases);
  return releases.findIndex(
    ({ record }, index) => (parseInstant(record.published_at) ?? Infinity) <= byMs && !undone.has(index),
  );
}

/** Returns the indexes of the releases between a rollback and its target. A rollback that is undone itself undoes nothing. */
function findUndone(releases: readonly StoredRelease[]): Set<number> {
  const undone = new Set<number>();
  releases.forEach(({ record: { changes } }, index) => {
    if (changes.rollback === null || undone.has(index)) return;
    const target = releases.findIndex(({ record }) => record.revision === changes.rollback);
    for (let between = index + 1; between < target; between += 1) undone.add(between);
  });
  return undone;
}

function usage(message: string, next?: NextWords): GeneratorError {
  return new GeneratorError('usage', `${message} Nothing was copied.`, { next });
}

/**
 * Checks what a verification checks of the files that list others: the pointer, the manifests of days, and the public lists
 * of files and of changes. Precondition: `releases` begins with the record that the pointer's digest names.
 * @throws GeneratorError 'damaged' for the first fault.
 */
export async function assertStructure(
  store: ObjectStore,
  { revision, sequence }: Pointer,
  releases: readonly StoredRelease[],
): Promise<void> {
  const [current] = releases;
  if (current?.record.revision !== revision || current.record.sequence !== sequence)
    throw damaged(POINTER_KEY, 'does not name the revision and sequence of its record');
  const { record } = current;
  const manifests = new Map<string, Manifest>();
  for (const [path, { sha256, bytes }] of Object.entries(record.manifests)) {
    const body = await readArtifact(store, sha256);
    const key = objectKey(sha256);
    if (body.length !== bytes) throw damaged(key, `has ${body.length} bytes, not the ${bytes} listed`);
    manifests.set(path, parseStored(key, 'manifest', body));
  }
  const changes = releases.map((release) => release.record.changes);
  const [fault] = [...checkListing({ record, manifests }), ...checkIndexes(record, changes)];
  if (fault !== undefined) throw damaged(fault.key, fault.message);
}
