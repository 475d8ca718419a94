import { parseInstant, toInstant } from '../../../schemas/dates.js';
import type { KeySet, PublicKey, ReleaseKey } from '../../../schemas/types.generated.js';
import { GeneratorError } from '../generator-error.js';

const DAY_MS = 86_400_000;
/** How long a key set and a release key are valid, unless they are renewed. */
export const VALID_DAYS = 400;
/** How long the previous release keys stay valid after a new one is added. */
export const OVERLAP_DAYS = 7;

/** A public key and its thumbprint. */
export type NamedKey = { readonly kid: string; readonly jwk: PublicKey };

/** Options of `createKeySet`. */
type CreateKeySetOptions = {
  readonly site: string;
  readonly root: PublicKey;
  readonly release: NamedKey;
  readonly signedFromSequence: number;
};

/** Returns the first key set of a site. @throws GeneratorError 'usage' if the root key is to sign releases too */
export function createKeySet(
  { site, root, release, signedFromSequence }: CreateKeySetOptions,
  nowMs: number,
): KeySet {
  assertNotRoot(release, root);
  return {
    schema: 'key-set/1',
    site,
    version: 1,
    ...validity(nowMs),
    signed_from_sequence: signedFromSequence,
    root,
    keys: [newKey(release, nowMs)],
  };
}

/**
 * Returns the key set with a new release key. The keys before it stay valid for a week, so that a run that has begun can end.
 * Without a new key, those in force are renewed, except for keys in their last week if there are others: they are being replaced.
 * @throws GeneratorError 'usage' for a key that was revoked, for the root key, or if no key is in force
 */
export function rotateKeys(before: KeySet, added: NamedKey | undefined, nowMs: number): KeySet {
  const known = before.keys.find(({ kid }) => kid === added?.kid);
  if (added !== undefined) assertNotRoot(added, before.root);
  if (known !== undefined && known.revoked !== null)
    throw new GeneratorError(
      'usage',
      `The key ${known.kid} was revoked: ${known.revoked.reason}. Use a new key.`,
    );
  const until = toInstant(nowMs + VALID_DAYS * DAY_MS);
  const overlap = toInstant(nowMs + OVERLAP_DAYS * DAY_MS);
  const isRetiring = ({ valid_until: end }: ReleaseKey): boolean => end <= overlap;
  const areAllRetiring = before.keys.filter((key) => isInForce(key, nowMs)).every(isRetiring);
  const keys = before.keys.map((key) => {
    if (!isInForce(key, nowMs)) return key;
    if (added === undefined) return isRetiring(key) && !areAllRetiring ? key : { ...key, valid_until: until };
    if (key.kid === added.kid) return { ...key, valid_until: until };
    return { ...key, valid_until: key.valid_until < overlap ? key.valid_until : overlap };
  });
  const rest = keys.filter(({ kid }) => kid !== added?.kid || isInForce(known, nowMs));
  const all = added === undefined || isInForce(known, nowMs) ? keys : [...rest, newKey(added, nowMs)];
  return assertUsable({ ...before, version: before.version + 1, ...validity(nowMs), keys: all }, nowMs);
}

/** Returns the key set in which a key is revoked. @throws GeneratorError 'usage' for an unknown key, or the last one in force */
export function revokeReleaseKey(before: KeySet, kid: string, reason: string, nowMs: number): KeySet {
  const key = before.keys.find((each) => each.kid === kid);
  if (key === undefined)
    throw new GeneratorError(
      'usage',
      `The key set does not list ${kid}. It lists ${before.keys.map((each) => each.kid).join(', ')}.`,
    );
  const revoked = key.revoked ?? { at: toInstant(nowMs), reason };
  const keys = before.keys.map((each) => (each.kid === kid ? { ...each, revoked } : each));
  return assertUsable({ ...before, version: before.version + 1, ...validity(nowMs), keys }, nowMs);
}

/** Returns whether a key may sign at this time. */
export function isInForce(key: ReleaseKey | undefined, nowMs: number): boolean {
  return key !== undefined && key.revoked === null && nowMs < (parseInstant(key.valid_until) ?? 0);
}

function validity(nowMs: number): Pick<KeySet, 'issued_at' | 'expires'> {
  return { issued_at: toInstant(nowMs), expires: toInstant(nowMs + VALID_DAYS * DAY_MS) };
}

function newKey({ kid, jwk }: NamedKey, nowMs: number): ReleaseKey {
  const valid = { valid_from: toInstant(nowMs), valid_until: toInstant(nowMs + VALID_DAYS * DAY_MS) };
  return { kid, jwk, ...valid, revoked: null };
}

function assertNotRoot({ jwk }: NamedKey, root: PublicKey): void {
  if (jwk.crv !== root.crv || jwk.x !== root.x) return;
  throw new GeneratorError(
    'usage',
    'The root key cannot sign releases too: it stays offline. Pass another file with --release-key.',
  );
}

function assertUsable(keySet: KeySet, nowMs: number): KeySet {
  if (keySet.keys.some((key) => isInForce(key, nowMs))) return keySet;
  throw new GeneratorError(
    'usage',
    'No release key would be in force. Add one first with "generator keys rotate --release-key NEW".',
    { next: ['keys', 'rotate', '--help'] },
  );
}
