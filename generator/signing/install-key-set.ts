import { canonicalJson } from '../../schemas/canonical-json.js';
import { parseInstant } from '../../schemas/dates.js';
import { statementKey } from '../../schemas/paths.js';
import { CLOCK_TOLERANCE_MS, JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import type { KeySet } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { metaOf } from '../state/object-meta.js';
import { readPointer } from '../state/published-state.js';
import { isStore, markStore } from '../state/store-mark.js';
import { unlessDamaged } from '../state/unless-damaged.js';
import type { KeySetFile } from './key-files.js';
import { KEY_SET_KEY, readStoredKeySet } from './stored-key-set.js';
import { unlessFalse } from './trust-damage.js';

/** The key set in a store after an installation. `isNew` is true if it was written. */
export type InstalledKeySet = { readonly value: KeySet; readonly isNew: boolean };

/**
 * Installs a key set in a store. It must follow the one that is there: same site and root key, and a later version.
 * @throws GeneratorError 'usage' if it does not, has expired, or the current release should be signed and is not; 'conflict' if another was installed meanwhile
 */
export async function installKeySet(
  store: ObjectStore,
  { text, value }: KeySetFile,
  { dryRun, now }: { readonly dryRun: boolean; readonly now: () => number },
): Promise<InstalledKeySet> {
  await isStore(store); // throws for an address with anything else
  if ((parseInstant(value.expires) ?? 0) <= now())
    throw new GeneratorError(
      'usage',
      `The key set expired on ${value.expires}. Renew it with "generator keys rotate". Nothing was written.`,
      { next: ['keys', 'rotate', '--help'] },
    );
  if ((parseInstant(value.issued_at) ?? 0) > now() + CLOCK_TOLERANCE_MS)
    throw new GeneratorError(
      'usage',
      `The key set is from the future: it was issued at ${value.issued_at}. Compare the clocks of both machines. Nothing was written.`,
      { next: RUN_AGAIN },
    );
  const held = await store.get(KEY_SET_KEY);
  const current = await unlessFalse(() => readStoredKeySet(store)); // a damaged one is replaced
  if (current?.text === text) return { value, isNew: false };
  if (current === undefined) await assertNothingUnsigned(store, value);
  else assertFollows(current.value, value);
  if (dryRun) return { value, isNew: true };
  await markStore(store);
  const meta = metaOf(KEY_SET_KEY, JWS_TYPE);
  const swapped = await store.compareAndSwap(KEY_SET_KEY, Buffer.from(text), held?.etag ?? null, meta);
  if (swapped !== 'conflict') return { value, isNew: true };
  throw new GeneratorError(
    'conflict',
    `Another key set was installed in ${store.address} meanwhile. Run again.`,
  );
}

/** Passes unless the current release needs a statement and has none, because it was published after the key set was made. */
async function assertNothingUnsigned(
  store: ObjectStore,
  { signed_from_sequence: from }: KeySet,
): Promise<void> {
  const pointer = (await unlessDamaged(() => readPointer(store)))?.value;
  if (pointer === undefined || pointer.sequence < from) return;
  if ((await store.head(statementKey(pointer.revision, pointer.sha256))) !== undefined) return;
  throw new GeneratorError(
    'usage',
    `The key set says that releases have been signed since sequence ${from}, but the current one, ${pointer.sequence}, is not signed. Nothing was written. Stop publishing, make the key set again with --from-sequence ${pointer.sequence + 1}, and install it.`,
  );
}

function assertFollows(current: KeySet, next: KeySet): void {
  const fault =
    next.site !== current.site
      ? `it is for ${next.site}, but the store is for ${current.site}`
      : canonicalJson(next.root) !== canonicalJson(current.root)
        ? 'it is signed by a different root key, which no reader trusts'
        : next.version <= current.version
          ? `it has version ${next.version}, but the store has version ${current.version}`
          : next.signed_from_sequence !== current.signed_from_sequence
            ? 'it changes the sequence from which releases must be signed'
            : undefined;
  if (fault !== undefined)
    throw new GeneratorError('usage', `The key set was not installed: ${fault}. Nothing was written.`);
}
