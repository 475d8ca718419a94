import { ACCOUNTS_PREFIX, POINTER_KEY } from '../../../schemas/paths.js';
import { assertValid } from '../../../schemas/validate.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { readS3Address } from '../../../infra/store/s3/s3-address.js';
import type { S3Signing } from '../../../infra/store/s3/s3-signing.js';
import { openAccountsStore } from '../accounts/accounts-store.js';
import { PROVIDER_LIMIT_MS } from '../timing/time-limit.js';
import type { ExaminationOptions } from './examination-options.js';
import { describeError, fault, fine, skipped, type Verdict } from './finding.js';

/** Maximum clock skew between this machine and the store: signatures and links expire by the clock. */
const MAX_SKEW_MS = 30_000;

/** Checks that the pointer to the current release can be read. */
export async function examineStore({
  configuration: { store, s3 },
  storeLimitMs = PROVIDER_LIMIT_MS,
}: ExaminationOptions): Promise<Verdict> {
  const opened = await openStore(store.address, { s3, retryPeriodMs: storeLimitMs });
  const found = await opened.get(POINTER_KEY);
  if (found === undefined) return fault('nothing is published there yet: run "generator publish"');
  try {
    const { revision, sequence } = assertValid('pointer', JSON.parse(Buffer.from(found.bytes).toString()));
    return fine(`the current release is ${revision}, sequence ${sequence}`);
  } catch {
    return fault(`its ${POINTER_KEY} is damaged: run "generator repair"`);
  }
}

/** Checks that the accounts can be listed, and one of them read. */
export async function examineAccounts({
  configuration: { accountsStore, s3 },
  storeLimitMs = PROVIDER_LIMIT_MS,
}: ExaminationOptions): Promise<Verdict> {
  const store = await openAccountsStore(accountsStore.address, { s3, retryPeriodMs: storeLimitMs });
  for await (const { key } of store.list(ACCOUNTS_PREFIX)) {
    await store.get(key);
    return fine('it contains accounts');
  }
  return fine('it contains no accounts yet; check CRD_ACCOUNTS_STORE if you expected some');
}

/** Compares this machine's clock with the store's. */
export async function examineClock({ configuration, fetch, now }: ExaminationOptions): Promise<Verdict> {
  const { store, s3 } = configuration;
  if (store.kind !== 's3') return skipped('a directory has no clock of its own');
  const { location } = await resolveS3Signing(readS3Address(store.address, s3));
  const signal = AbortSignal.timeout(PROVIDER_LIMIT_MS);
  const response = await fetch(location.origin, { method: 'HEAD', signal }).catch((error: unknown) => {
    throw new Error(`the clock of the store cannot be read: ${describeError(error)}`);
  });
  const storeMs = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(storeMs)) return fault('the store does not send the time in its Date header');
  const skewMs = Math.abs(now() - storeMs);
  const says = `this machine and the store are ${Math.round(skewMs / 1000)} s apart`;
  return skewMs > MAX_SKEW_MS ? fault(`${says}; set this machine's clock`) : fine(says);
}

/** Checks that the role that signs URLs can be assumed. */
export async function examineSigner({ configuration, now }: ExaminationOptions): Promise<Verdict> {
  const { store, s3, signerRole } = configuration;
  if (signerRole === undefined) {
    return skipped(
      store.kind === 's3'
        ? 'CRD_SIGNER_ROLE is not set: the gateway signs with its own credentials'
        : 'CRD_STORE is a directory: CRD_LINK_SECRET signs its links',
    );
  }
  const { getCredentials } = await resolveS3Signing(readS3Address(store.address, s3), signerRole);
  const { expiration } = await getCredentials().catch((error: unknown) => {
    throw new Error(`${signerRole} cannot be assumed: ${describeError(error)}`);
  });
  const minutes = Math.floor(((expiration?.getTime() ?? Infinity) - now()) / 60_000);
  return fine(`its role can be assumed, for ${minutes} minutes`);
}

/** Loads the SDK, which takes longer than the other checks of a directory. */
async function resolveS3Signing(address: S3Address, role?: string): Promise<S3Signing> {
  const signing = await import('../../../infra/store/s3/s3-signing.js');
  return signing.resolveS3Signing(address, role);
}
