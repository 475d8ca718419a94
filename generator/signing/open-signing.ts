import { parseInstant } from '../../schemas/dates.js';
import { isValidAt } from '../../schemas/trust/verify-documents.js';
import type { GeneratorBuild, KeySet, ReleaseKey } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { count } from '../core/text/count.js';
import { readClock } from '../state/trusted-clock.js';
import { openSigner, type SigningVariables } from './open-signer.js';
import type { Signer } from './signer.js';
import { readStoredKeySet } from './stored-key-set.js';

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
export type OpenSigningOptions = {
  readonly variables: SigningVariables;
  /** True to return `undefined` if no variable names a key. */
  readonly isOptional?: boolean;
  readonly generator: GeneratorBuild;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
};

/**
 * Opens the signing key of a store. Returns `undefined` if its releases are not signed. Warns before the key or the key set
 * expires.
 * @throws GeneratorError 'usage' if only one of the store and the environment has a key, or the key may not sign now
 */
export async function openSigning(
  store: ObjectStore,
  { variables, generator, now, warn, isOptional = false }: OpenSigningOptions,
): Promise<Signing | undefined> {
  const signer = await openSigner(variables);
  if (signer === undefined && isOptional) return undefined;
  const stored = await readStoredKeySet(store);
  if (stored === undefined && signer === undefined) return undefined;
  if (stored === undefined)
    throw new GeneratorError(
      'usage',
      `${store.address} has no key set, so nobody could verify a signature. Install one with "generator keys install", or unset CRD_SIGNING_KEY_FILE and CRD_SIGNING_KEY.`,
    );
  const { value: keySet } = stored;
  if (signer === undefined)
    throw new GeneratorError(
      'usage',
      `The releases of ${store.address} are signed since sequence ${keySet.signed_from_sequence}. Set CRD_SIGNING_KEY_FILE or CRD_SIGNING_KEY to the release key.`,
    );
  const clock = (): number => readClock(store, now).nowMs;
  const key = assertMaySign(keySet, signer.kid, clock());
  for (const [what, instant] of [
    [`The release key ${key.kid}`, key.valid_until],
    ['The key set', keySet.expires],
  ] as const) {
    const days = Math.floor(((parseInstant(instant) ?? 0) - clock()) / DAY_MS);
    if (days < WARNING_DAYS)
      warn(
        `${what} expires in ${count(days, 'day')}, on ${instant}. After that, readers reject the current release. Renew it with "generator keys rotate" and "generator keys install".`,
      );
  }
  return { signer, keySet, generator, now: clock };
}

/** Returns the key of the key set that may sign now. @throws GeneratorError 'usage' */
function assertMaySign(keySet: KeySet, kid: string, nowMs: number): ReleaseKey {
  const key = keySet.keys.find((each) => each.kid === kid);
  if (key === undefined)
    throw new GeneratorError(
      'usage',
      `The key set of the store does not list the release key ${kid}. Use a listed key, or add this one with "generator keys rotate" and "generator keys install".`,
    );
  if (key.revoked !== null)
    throw new GeneratorError(
      'usage',
      `The release key ${kid} was revoked at ${key.revoked.at}: ${key.revoked.reason}. Use another key.`,
    );
  if (!isValidAt(key, nowMs))
    throw new GeneratorError(
      'usage',
      `The release key ${kid} is not valid now (valid from ${key.valid_from} to ${key.valid_until}). Use another key, or renew this one with "generator keys rotate --release-key KEY" and "generator keys install".`,
    );
  if (nowMs >= (parseInstant(keySet.expires) ?? 0))
    throw new GeneratorError(
      'usage',
      `The key set of the store expired on ${keySet.expires}. Renew it with "generator keys rotate" and "generator keys install".`,
    );
  return key;
}
