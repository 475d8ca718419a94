import { parseInstant, toInstant } from '../../schemas/dates.js';
import { CLOCK_TOLERANCE_MS } from '../../schemas/trust/trust-documents.js';
import { parseTrustAnchor, type TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { TRUST_FAULTS } from '../../schemas/trust/trust-error.js';
import { isValidAt } from '../../schemas/trust/verify-documents.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { GeneratorBuild, KeySet, ReleaseKey } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { count } from '../core/text/count.js';
import { damaged } from '../state/stored-json.js';
import { readClock } from '../state/trusted-clock.js';
import { openSigner, type SigningVariables } from './open-signer.js';
import type { Signer } from './signer.js';
import { readSignedHistory } from './signed-history.js';
import { KEY_SET_KEY, readStoredKeySet } from './stored-key-set.js';
import { assertNotReplaced, readCurrent } from './trust-files.js';

const DAY_MS = 86_400_000;
/** Days before expiry at which runs start to warn. */
const WARNING_DAYS = 21;

/** What is needed to sign the releases of a store. */
export type Signing = {
  readonly signer: Signer;
  readonly keySet: KeySet;
  readonly generator: GeneratorBuild;
  /** Returns the time of signing, in milliseconds since the epoch. */
  readonly now: () => number;
};

/** Options of `openSigning`. */
type OpenSigningOptions = {
  readonly variables: SigningVariables;
  /** True to sign a release although its statement is missing, or its key was revoked or has expired: an operator has checked it. */
  readonly isChecked?: boolean;
  readonly generator: GeneratorBuild;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
};

/**
 * Opens the signing key of a store. Returns `undefined` if its releases are not signed. Warns before the key or the key set
 * expires.
 * @throws GeneratorError 'usage' if only one of the store and the environment has a key, or the key may not sign now; 'damaged'
 * if the key set is not the one that `CRD_SIGNING_TRUST` trusts
 */
export async function openSigning(
  store: ObjectStore,
  { variables, generator, now, warn, isChecked = false }: OpenSigningOptions,
): Promise<Signing | undefined> {
  const anchor = readAnchor(variables);
  const [signer, stored] = await Promise.all([openSigner(variables), readStoredKeySet(store)]);
  if (stored !== undefined && anchor !== undefined) await assertTrusted(stored.value, anchor);
  if (stored === undefined && signer === undefined && anchor === undefined) return undefined;
  if (stored === undefined)
    throw new GeneratorError(
      'usage',
      `${store.address} has no key set, so nobody could verify a signature. Install one with "generator keys install" or, if its releases were never signed, unset CRD_SIGNING_KEY_FILE, CRD_SIGNING_KEY and CRD_SIGNING_TRUST.`,
      { next: ['keys', 'install', '--help'] },
    );
  const { value: keySet } = stored;
  if (signer === undefined)
    throw new GeneratorError(
      'usage',
      `The releases of ${store.address} have been signed since sequence ${keySet.signed_from_sequence}. Set CRD_SIGNING_KEY_FILE or CRD_SIGNING_KEY to the release key.`,
      { next: RUN_AGAIN },
    );
  assertClock(store, now);
  const key = assertMaySign(keySet, signer.kid, now());
  for (const [what, instant] of [
    [`The release key ${key.kid}`, key.valid_until],
    ['The key set', keySet.expires],
  ] as const) {
    const days = Math.floor(((parseInstant(instant) ?? 0) - now()) / DAY_MS);
    if (days < WARNING_DAYS)
      warn(
        `${what} expires in ${count(days, 'day')}, on ${instant}. After that, readers reject the current release. Renew it with "generator keys rotate" and "generator keys install".`,
      );
  }
  const signing = { signer, keySet, generator, now };
  if (!isChecked) await assertSigned(store, signing);
  return signing;
}

/**
 * Passes if the root key is the one that the anchor trusts. Whether the key set has expired is checked with the key.
 * @throws GeneratorError 'damaged'
 */
async function assertTrusted({ site, root }: KeySet, anchor: TrustAnchor): Promise<void> {
  if (site !== anchor.site) throw damaged(KEY_SET_KEY, TRUST_FAULTS['site-wrong']);
  if ((await thumbprintOf(root)) !== anchor.root) throw damaged(KEY_SET_KEY, TRUST_FAULTS['root-untrusted']);
}

/** Returns the trust anchor of the environment. @throws GeneratorError 'usage' if it is not one */
function readAnchor({ CRD_SIGNING_TRUST: text }: SigningVariables): TrustAnchor | undefined {
  const anchor = text === undefined ? undefined : parseTrustAnchor(text);
  if (text === undefined || anchor !== undefined) return anchor;
  throw new GeneratorError(
    'usage',
    'CRD_SIGNING_TRUST is not a trust anchor. Write SITE#THUMBPRINT, as "generator keys show" prints it.',
    { next: RUN_AGAIN },
  );
}

/**
 * Passes if the clocks of this machine and of the store agree. A timestamp of the future would make a frozen copy look current.
 * @throws GeneratorError 'usage'
 */
function assertClock(store: ObjectStore, now: () => number): void {
  const { nowMs, name } = readClock(store, now);
  if (Math.abs(nowMs - now()) <= CLOCK_TOLERANCE_MS) return;
  throw new GeneratorError(
    'usage',
    `This machine's clock shows ${toInstant(now())}, but ${name} shows ${toInstant(nowMs)}. Nothing is signed with a wrong clock: set it, and run again.`,
    { next: RUN_AGAIN },
  );
}

/** Passes if the current release was signed by a key that is trusted. @throws GeneratorError 'damaged' */
async function assertSigned(store: ObjectStore, signing: Signing): Promise<void> {
  const current = await readCurrent(store);
  if (current === undefined) return;
  await readSignedHistory(store, current, signing.keySet);
  await assertNotReplaced(store, signing, current);
}

/** Returns the key of the key set that may sign now. @throws GeneratorError 'usage' */
function assertMaySign(keySet: KeySet, kid: string, nowMs: number): ReleaseKey {
  const key = keySet.keys.find((each) => each.kid === kid);
  if (key === undefined)
    throw new GeneratorError(
      'usage',
      `The key set of the store does not list the release key ${kid}. Use a listed key, or add this one with "generator keys rotate" and "generator keys install".`,
      { next: ['keys', 'rotate', '--help'] },
    );
  if (key.revoked !== null)
    throw new GeneratorError(
      'usage',
      `The release key ${kid} was revoked at ${key.revoked.at}: ${key.revoked.reason}. Use another key.`,
      { next: RUN_AGAIN },
    );
  if (!isValidAt(key, nowMs))
    throw new GeneratorError(
      'usage',
      `The release key ${kid} is not valid now (valid from ${key.valid_from} to ${key.valid_until}). Use another key, or renew this one with "generator keys rotate --release-key KEY" and "generator keys install".`,
      { next: ['keys', 'rotate', '--help'] },
    );
  if (nowMs >= (parseInstant(keySet.expires) ?? 0))
    throw new GeneratorError(
      'usage',
      `The key set of the store expired on ${keySet.expires}. Renew it with "generator keys rotate" and "generator keys install".`,
      { next: ['keys', 'rotate', '--help'] },
    );
  return key;
}
