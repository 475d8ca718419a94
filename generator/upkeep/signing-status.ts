import { parseInstant } from '../../schemas/dates.js';
import { POINTER_KEY } from '../../schemas/paths.js';
import { TrustError, type TrustFault } from '../../schemas/trust/trust-error.js';
import { currentKey, verifyTimestamp } from '../../schemas/trust/verify-documents.js';
import { openJws } from '../../schemas/trust/verify-jws.js';
import type { KeySet, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { isInForce } from '../core/trust/key-set.js';
import { getSigned, KEY_SET_KEY, readStoredKeySet, toJws } from '../signing/signed-history.js';
import { TIMESTAMP_KEY } from '../signing/signing.js';
import { readRecord, type StoredRelease } from '../state/published-state.js';
import { formatShellCommand } from '../../infra/process/shell-command.js';
import { unholdWords } from '../core/release/held.js';
import type { TrustedClock } from '../state/trusted-clock.js';

const DAY_MS = 86_400_000;

/** State of the signatures of the current release, as readers who verify them see it now. */
export type SigningStatus = {
  /** Version of the key set; null if it is missing or damaged. */
  readonly key_set_version: number | null;
  /** When the key set or the release key expires, whichever is earlier; null if readers refuse one of them. */
  readonly keys_expire: string | null;
  /** Whole days until then; 0 if readers refuse one of them. */
  readonly keys_days_left: number;
  /** Null if readers refuse the timestamp. */
  readonly timestamp_expires: string | null;
  /** The store key of the document that readers refuse, and the reason; null if this check finds none. Only "verify" checks everything. */
  readonly fault: string | null;
  /** What fixes the fault: a run of publish, new keys, a signature of a checked release, the right clock, or an inspection. */
  readonly remedy: Remedy | null;
};

type Remedy = 'publish' | 'keys' | 'sign' | 'clock' | 'verify';

/** The remedy for each fault. For any other it is `verify`, because somebody may have changed the store. */
const REMEDIES: Partial<Record<TrustFault, Remedy>> = {
  'timestamp-expired': 'publish',
  mixed: 'publish',
  'keys-expired': 'keys',
  'key-expired': 'keys',
  'key-revoked': 'sign',
  'timestamp-early': 'clock',
};

/** Reads the state of the signatures of a store; null if its releases are not signed. */
export async function readSigningStatus(
  store: ObjectStore,
  release: StoredRelease,
  nowMs: number,
): Promise<SigningStatus | null> {
  let keySet: KeySet | undefined;
  try {
    keySet = (await readStoredKeySet(store))?.value;
    if (keySet === undefined && (await store.head(TIMESTAMP_KEY)) === undefined) return null;
    return { ...versionOf(keySet), ...(await readExpiry(store, release, { keySet, nowMs })) };
  } catch (error) {
    const nothing = { keys_expire: null, keys_days_left: 0, timestamp_expires: null };
    const hasKey = keySet?.keys.some((key) => isInForce(key, nowMs)) ?? false;
    return { ...versionOf(keySet), ...nothing, ...explain(error, hasKey) };
  }
}

const versionOf = (keySet: KeySet | undefined): Pick<SigningStatus, 'key_set_version'> => ({
  key_set_version: keySet?.version ?? null,
});

/** Verifies the timestamp as a reader does, and returns when it and the keys expire. @throws TrustError */
async function readExpiry(
  store: ObjectStore,
  { record, sha256 }: StoredRelease,
  { keySet, nowMs }: { readonly keySet: KeySet | undefined; readonly nowMs: number },
): Promise<Omit<SigningStatus, 'key_set_version'>> {
  if (keySet === undefined) throw new TrustError('release-unsigned', KEY_SET_KEY);
  if (nowMs >= toMs(keySet.expires))
    throw new TrustError('keys-expired', KEY_SET_KEY, `on ${keySet.expires}`);
  const found = await getSigned(store, TIMESTAMP_KEY);
  if (found === undefined) throw new TrustError('mixed', TIMESTAMP_KEY, 'it is missing');
  const jws = toJws(TIMESTAMP_KEY, found);
  const timestamp = await verifyTimestamp(jws, keySet, { nowMs });
  const detail = `release ${timestamp.sequence} was signed as the current one, not ${record.sequence}`;
  if (timestamp.sequence > record.sequence) throw new TrustError('release-old', POINTER_KEY, detail);
  if (timestamp.sequence < record.sequence) throw new TrustError('mixed', TIMESTAMP_KEY, detail);
  if (timestamp.sha256 !== sha256) throw new TrustError('release-forked', POINTER_KEY);
  const { valid_until: until } = currentKey(keySet, openJws(jws, 'timestamp').kid, {
    subject: jws.subject,
    nowMs,
  });
  const expires = until < keySet.expires ? until : keySet.expires;
  return {
    keys_expire: expires,
    keys_days_left: Math.floor((toMs(expires) - nowMs) / DAY_MS),
    timestamp_expires: timestamp.expires,
    fault: null,
    remedy: null,
  };
}

/** Returns the fault and its remedy. `hasKey` is true if a key in the key set may sign now. */
function explain(error: unknown, hasKey: boolean): Pick<SigningStatus, 'fault' | 'remedy'> {
  if (error instanceof TrustError) {
    const renewed = error.code === 'key-expired' && hasKey;
    return { fault: error.message, remedy: renewed ? 'sign' : (REMEDIES[error.code] ?? 'verify') };
  }
  if (error instanceof GeneratorError && error.fault !== undefined)
    return { fault: `${error.fault.key} ${error.fault.message}`, remedy: 'verify' };
  throw error;
}

const toMs = (instant: string): number => parseInstant(instant) ?? 0;

/** Returns the operator's next step when readers who verify signatures refuse the release. */
export function signingStep(remedy: Remedy, address: string, format: FormatCommand): string {
  const publish = format(['publish', '--input', 'DIR', '--store', address]);
  const steps: Readonly<Record<Remedy, string>> = {
    publish: `its timestamp is missing or not current. Renew it, unless this store is a copy: ${publish}`,
    keys: `the keys have expired; renew them with the root key ("generator keys rotate"; with --release-key if no key is in force), and install them: ${format(['keys', 'install', '--keys', 'keys.jws', '--store', address])}`,
    sign: `its key was revoked or has expired; check that the release is yours, and sign it again with the new key: ${format(['repair', '--sign', '--store', address])}`,
    clock: `its timestamp is from the future. Correct the clock of this machine or of the publisher, whichever is wrong, then run: ${publish}`,
    verify: `signed files are damaged, missing or replaced; to see which: ${format(['verify', '--store', address])}`,
  };
  return `readers who verify signatures refuse this release: ${steps[remedy]}`;
}

/** Formats a command from its words without the program. */
export type FormatCommand = (words: readonly string[]) => string;

export const formatUsually: FormatCommand = (words) => formatShellCommand(['generator', ...words]);

/** What a step depends on besides the status of the store. */
export type StepOptions = {
  readonly clock: TrustedClock;
  /** True if the days of a release from the future are no longer in force. */
  readonly isUndone: boolean;
  readonly format: FormatCommand;
};

/** The store that has a release from the future. */
type Store = {
  readonly address: string;
  readonly hold: string | null;
  readonly published_at: string | null;
};

/** Returns whether the last release that changed days is a rollback. Holds after it are ignored. */
export async function isRolledBack(store: ObjectStore, current: ReleaseRecord): Promise<boolean> {
  let record = current;
  while (record.changes.rollback === null) {
    if (Object.keys(record.changes.chains).length > 0 || record.previous === null) return false;
    record = await readRecord(store, record.previous);
  }
  return true;
}

/** Returns the next step for a release from the future. */
export function futureStep(
  { address, hold, published_at: publishedAt }: Store,
  { clock: { caution }, isUndone, format }: StepOptions,
): string {
  if (isUndone)
    return hold === null
      ? `publish works again after ${publishedAt ?? ''}`
      : `publication is held (${hold}); after ${publishedAt ?? ''}: ${format(unholdWords(address))}`;
  const first = caution === undefined ? '' : `${caution}; otherwise `;
  return `${first}set the clocks, then put the days of the last good release back in force: ${format(['rollback', '--to', 'REVISION', '--reason', 'TEXT', '--store', address])}`;
}
