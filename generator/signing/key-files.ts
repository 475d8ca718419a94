import { openFileSigner, openKmsKey, readPublicKey } from './open-signer.js';
import { generateKeyPairSync } from 'node:crypto';
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { readKeySet } from '../../schemas/trust/verify-documents.js';
import type { KeySet } from '../../schemas/types.generated.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import { TrustError } from '../../schemas/trust/trust-error.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import type { NamedKey } from '../core/trust/key-set.js';
import { type Signer } from './signer.js';
import { getSigned, KEY_SET_KEY, readStoredKeySet, unlessFalse } from './signed-history.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { parseInstant } from '../../schemas/dates.js';
import { statementKey } from '../../schemas/paths.js';
import { CLOCK_TOLERANCE_MS, JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { metaOf, unlessDamaged } from '../state/stored-json.js';
import { readPointer } from '../state/published-state.js';
import { isStore, markStore } from '../state/store-mark.js';

/** With `dryRun`, nothing is written, and a new key is in memory only. */
type CreateOptions = { readonly dryRun: boolean };

/** Opens the private key in a file. Creates a missing file with a new Ed25519 key, readable only by its owner. */
export async function openOrCreateKey(file: string, { dryRun }: CreateOptions): Promise<Signer> {
  if (await exists(file)) return openFileSigner(file);
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  if (!dryRun) await writeNew(file, pem.toString());
  return openFileSigner(file, pem.toString());
}

/**
 * Returns the public part of a release key: `kms:KEY-ID`, or a file with the private key, which is created if it does not exist,
 * or with the public key, so that a machine without network can list a key of KMS.
 */
export async function openReleaseKey(address: string, options: CreateOptions): Promise<NamedKey> {
  if (address.startsWith('kms:')) return openKmsKey(address);
  if (!(await exists(address))) return openOrCreateKey(address, options);
  const jwk = await readPublicKey(address);
  return { jwk, kid: await thumbprintOf(jwk) };
}

/** A key set in a file, and its signed text. */
export type KeySetFile = { readonly text: string; readonly value: KeySet };

/** Reads a key set in a file, which must be signed by the root key it contains. @throws GeneratorError 'usage' */
export async function readKeySetFile(file: string): Promise<KeySetFile> {
  let text;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new GeneratorError('usage', `The key set ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  try {
    return { text, value: await readKeySet({ text, subject: file }) };
  } catch (error) {
    if (error instanceof TrustError) throw new GeneratorError('usage', error.message, { cause: error });
    throw error;
  }
}

/** Writes a new file. @throws GeneratorError 'usage' if it exists or cannot be written */
export async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new GeneratorError('usage', `${file} was not written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Replaces a file as a whole. @throws GeneratorError 'usage' if it cannot be written */
export async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.new`;
  try {
    await writeFile(next, text);
    await rename(next, file);
  } catch (error) {
    throw new GeneratorError('usage', `${file} was not written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

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
  const held = await getSigned(store, KEY_SET_KEY);
  const current = await unlessFalse(() => readStoredKeySet(store)); // a damaged one is replaced
  if (current?.text === text) return { value, isNew: false };
  if (current === undefined) await assertNothingUnsigned(store, value);
  else assertFollows(current.value, value);
  if (dryRun) return { value, isNew: true };
  await markStore(store, { now });
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
