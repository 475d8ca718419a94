import { ALIASES_KEY, POINTER_KEY, RELEASES_PREFIX } from '../../../schemas/paths.js';
import type { Pointer } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError } from '../../core/generator-error.js';
import {
  readAliasSequence,
  type ReadPointer,
  recordKeysOf,
  type StoredRelease,
} from '../../state/published-state.js';
import { isStore } from '../../state/store-mark.js';
import { readStoredJson, withStoreAddress } from '../../state/stored-json.js';

/**
 * Reads the pointer of the target; `undefined` for an empty address, after an interrupted copy, and for a store that
 * lost its pointer.
 * @throws GeneratorError 'usage' if the address contains anything other than a store, 'damaged' if its pointer or
 * aliases.json is not valid.
 */
export function readTargetPointer(to: ObjectStore): Promise<ReadPointer | undefined> {
  return withStoreAddress(to, async () => {
    if (!(await isStore(to))) return undefined;
    await readAliasSequence(to); // fails now if aliases.json is damaged, not in the refresh after the commit
    return readStoredJson(to, POINTER_KEY, 'pointer');
  });
}

/**
 * Returns the index in the source's releases of the release that the target's pointer names; -1 if it has no pointer.
 * @throws GeneratorError 'usage' if the target contains a release that the source does not have.
 */
export async function indexOfTarget(
  from: ObjectStore,
  to: ObjectStore,
  releases: readonly StoredRelease[],
  targetPointer: Pointer | undefined,
): Promise<number> {
  if (targetPointer === undefined) {
    await assertOnlySourceRecords(from, to, releases);
    await assertAliasesNotAhead(from, to, releases);
    return -1;
  }
  const index = releases.findIndex(({ sha256 }) => sha256 === targetPointer.sha256);
  if (index < 0) {
    const { record } = releases[0] ?? {};
    throw refused(
      from,
      to,
      `release ${targetPointer.revision} (sequence ${targetPointer.sequence}, ${targetPointer.sha256})`,
      `, whose current release is ${record?.revision ?? ''} (sequence ${record?.sequence ?? 0})`,
    );
  }
  return index;
}

/** Passes if the target contains only records of the source, as after an interrupted copy. */
async function assertOnlySourceRecords(
  from: ObjectStore,
  to: ObjectStore,
  releases: readonly StoredRelease[],
): Promise<void> {
  const sourceKeys = recordKeysOf(releases);
  for await (const { key } of to.list(RELEASES_PREFIX)) {
    if (!sourceKeys.has(key) && (await from.head(key)) === undefined) throw refused(from, to, key);
  }
}

/** Passes unless the target, which may have lost its pointer, has public copies of a release that the source lacks. */
async function assertAliasesNotAhead(
  from: ObjectStore,
  to: ObjectStore,
  [current]: readonly StoredRelease[],
): Promise<void> {
  const aliases = await readStoredJson(to, ALIASES_KEY, 'aliases');
  if (aliases === undefined || aliases.value.sequence <= (current?.record.sequence ?? 0)) return;
  throw refused(from, to, `public copies of sequence ${aliases.value.sequence}`);
}

function refused(from: ObjectStore, to: ObjectStore, what: string, more = ''): GeneratorError {
  return new GeneratorError(
    'usage',
    `${to.address} contains ${what}, which is not in the history of ${from.address}${more}. Nothing was written. Choose another target.`,
  );
}
