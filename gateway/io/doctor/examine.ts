import { RENEWAL_MS } from '../signing/s3-url-signer.js';
import { createKeySet } from '../identity/key-set.js';
import { PLAN_IDS } from '../../../schemas/catalog.js';
import { findPriceFaults } from '../../core/billing/price-faults.js';
import { findWebhookFaults } from '../../core/billing/webhook-faults.js';
import {
  endpointOf,
  findDiscoveryAdvice,
  findDiscoveryFaults,
} from '../../core/configuration/discovery-faults.js';
import { PROVIDER_LIMIT_MS } from '../timing/time-limit.js';
import { ACCOUNT_PATHS, ACCOUNTS_PREFIX, POINTER_KEY, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { assertValid } from '../../../schemas/validate.js';
import { openStore } from '../../../infra/store/open-store.js';
import { toWords } from '../../../infra/store/store-safety.js';
import { readS3Address } from '../../../infra/store/s3/s3-address.js';
import type { S3Signing } from '../../../infra/store/s3/s3-signing.js';
import type { S3Address } from '../../../schemas/store-address.js';
import { openAccountsStore } from '../accounts/accounts-store.js';
import type { BillingSettings } from '../../core/billing/billing-settings.js';
import type { Configuration } from '../../core/configuration/configuration.js';
import type { SignInSettings } from '../../core/configuration/session-settings.js';
import type { BillingPort } from '../billing/billing-port.js';

/** Options for `examine`. */
type ExaminationOptions = {
  readonly configuration: Configuration;
  readonly fetch: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly openBilling: (
    settings: BillingSettings,
    onError: (error: unknown) => void,
  ) => BillingPort | Promise<BillingPort>;
  /** Time limit for the retries of a request to a store; `PROVIDER_LIMIT_MS` by default. */
  readonly storeLimitMs?: number;
  /** The version of Stripe's API that this program is written for. */
  readonly apiVersion: string;
};

/** Checks everything that a gateway of this configuration needs, and changes no data. An error becomes a finding. */
export async function* examine(options: ExaminationOptions): AsyncGenerator<Finding> {
  yield { what: 'configuration', ...fine('every variable is valid') };
  yield await runCheck('store', () => examineStore(options));
  yield await runCheck('links', () => examineLinks(options));
  yield await runCheck('public files', () => examinePublicFiles(options));
  yield await runCheck('accounts store', () => examineAccounts(options));
  yield await runCheck('clock', () => examineClock(options));
  yield await runCheck('signer', () => examineSigner(options));
  yield await runCheck('identity provider', () => examineIdentity(options));
  yield await runCheck('account page', () => examineSignIn(options));
  yield* examineBilling(options);
}

/** The audience of the access tokens of all clients of a realm, by default. */
const KEYCLOAK_AUDIENCE = 'account';

async function examineIdentity({ configuration, fetch, now }: ExaminationOptions): Promise<Verdict> {
  const { sessions } = configuration;
  if (sessions === undefined) return skipped('CRD_JWKS is not set: there are no dashboard sessions');
  const errors: unknown[] = [];
  const keySet = createKeySet({ address: sessions.jwks, fetch, now, onError: (error) => errors.push(error) });
  await keySet.prepare();
  const [error] = errors;
  if (error !== undefined) return fault(`its keys cannot be read: ${describeError(error)}`);
  return sessions.audience === KEYCLOAK_AUDIENCE
    ? advise(
        `its keys can be read; Keycloak gives tokens of every client the audience ${KEYCLOAK_AUDIENCE}: use another CRD_JWT_AUDIENCE`,
      )
    : fine('its keys can be read');
}

/** Checks the prices, the permissions of the secret key, and the webhook at Stripe. */
async function* examineBilling(options: ExaminationOptions): AsyncGenerator<Finding> {
  const { billing: settings, keyMode } = options.configuration;
  if (settings === undefined) {
    yield { what: 'Stripe', ...skipped('CRD_STRIPE_SECRET_KEY is not set, so nothing is sold') };
    return;
  }
  const errors: unknown[] = [];
  const billing = await options.openBilling(settings, (error) => errors.push(error));
  const isLive = keyMode === 'live';
  const verdictOf = async (findFaults: () => Promise<string[]>, ifFine: string): Promise<Verdict> => {
    try {
      const faults = await findFaults();
      return faults.length === 0 ? fine(ifFine) : fault(faults.join('; '));
    } catch (error) {
      return fault(describeError(errors.at(-1) ?? error));
    }
  };
  for (const plan of PLAN_IDS) {
    for (const [i, price] of settings.prices[plan].entries()) {
      const findFaults = async (): Promise<string[]> =>
        findPriceFaults(plan, await billing.readPrice(price), { isSold: i === 0, isLive });
      yield { what: `price ${price}`, ...(await verdictOf(findFaults, `valid price of ${plan}`)) };
    }
  }
  const findMissingPermissions = async (): Promise<string[]> =>
    (await billing.findMissingPermissions()).map(
      (what) => `CRD_STRIPE_SECRET_KEY has no permission to read ${what}; grant it at Stripe`,
    );
  yield {
    what: 'Stripe key',
    ...(await verdictOf(findMissingPermissions, 'can read everything that is needed; writing was not tried')),
  };
  const findFaultsOfWebhooks = async (): Promise<string[]> =>
    findWebhookFaults(await billing.listWebhooks(), { isLive, version: options.apiVersion });
  const ifFine =
    'Stripe sends every event that is needed; to check the secret, send a test event from Stripe';
  yield { what: 'webhook', ...(await verdictOf(findFaultsOfWebhooks, ifFine)) };
}

/** Path of the document about an issuer, below it (OpenID Connect Discovery 1.0 §4). */
const DISCOVERY = '/.well-known/openid-configuration';
/** Answers of a sign-out that takes no form of another site: Django answers 403. */
const SIGN_OUT_REFUSALS = [403, 404, 405];

/** Checks that the account page can sign in: what the provider says about itself fits the configuration. */
async function examineSignIn({ configuration, fetch }: ExaminationOptions): Promise<Verdict> {
  const { signIn } = configuration;
  if (signIn === undefined) {
    return skipped('CRD_OIDC_CLIENT_ID is not set: nobody can sign in on the account page');
  }
  const origin = pageOriginOf(configuration);
  const ask = async (url: string, init: RequestInit): Promise<Response> =>
    fetch(url, { redirect: 'error', ...init, signal: AbortSignal.timeout(PROVIDER_LIMIT_MS) }).catch(
      (error: unknown) => {
        throw new Error(`${url} cannot be read: ${describeError(error)}`);
      },
    );
  const url = `${signIn.issuer.replace(/\/$/, '')}${DISCOVERY}`;
  const response = await ask(url, { headers: { Origin: origin } });
  if (!response.ok) return fault(`${url} answers ${response.status}`);
  const document: unknown = await response.json().catch(() => undefined);
  const faults = findDiscoveryFaults(document, signIn);
  const endpoint = endpointOf(document, 'token_endpoint');
  if (endpoint !== undefined) {
    const answers = [
      { what: 'its discovery document', response },
      { what: 'its token endpoint', response: await ask(endpoint, toTokenRequest(signIn, origin)) },
    ];
    const closed = answers.filter((each) => !isReadableBy(origin, each.response));
    if (closed.length > 0) {
      const names = closed.map((each) => `${each.what} (answer ${each.response.status})`).join(' and ');
      faults.push(`pages of ${origin} cannot read ${names}; allow that origin (CORS) at the provider`);
    }
  }
  const advice = findDiscoveryAdvice(document, signIn);
  const signOut = endpointOf(document, 'end_session_endpoint');
  if (signOut !== undefined && signIn.signOut === 'post') {
    const body = new URLSearchParams({ client_id: signIn.clientId });
    const answer = await ask(signOut, { method: 'POST', body, redirect: 'manual' }).catch(describeError);
    if (typeof answer === 'string') advice.push(answer);
    else if (SIGN_OUT_REFUSALS.includes(answer.status))
      advice.push(
        `its sign-out answers ${answer.status} to POST; allow it at the provider, or set CRD_OIDC_SIGN_OUT=get`,
      );
  }
  if (faults.length > 0) return fault([...faults, ...advice].join('; '));
  if (advice.length > 0) return advise(advice.join('; '));
  return fine(`its provider offers what the page needs, to pages of ${origin} too; signing in was not tried`);
}

/** Returns the origin of the account page: that of the dashboard if it is this page, or of the public files. */
function pageOriginOf({ billing, publicBaseUrl, host, port }: Configuration): string {
  const dashboard = billing === undefined ? undefined : new URL(billing.dashboardUrl);
  if (dashboard?.pathname === ACCOUNT_PATHS.page) return dashboard.origin;
  return publicBaseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the request by which the page exchanges a code for tokens. The code is none, so it is refused, but only its answer
 * shows whether the page could read one: providers answer a preflight for clients and origins that they do not know yet.
 */
function toTokenRequest({ clientId }: SignInSettings, origin: string): RequestInit {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code: 'gateway-doctor',
    redirect_uri: `${origin}${ACCOUNT_PATHS.page}`,
    code_verifier: 'gateway-doctor'.padEnd(43, '-'),
  });
  return { method: 'POST', headers: { Origin: origin, Accept: 'application/json' }, body };
}

function isReadableBy(origin: string, { headers }: Response): boolean {
  const allowed = headers.get('Access-Control-Allow-Origin');
  return allowed === '*' || allowed === origin;
}

/** Maximum clock skew between this machine and the store: signatures and links expire by the clock. */
const MAX_SKEW_MS = 30_000;

/** Checks that the pointer to the current release can be read. */
async function examineStore({
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

/** Checks that nobody reads the store without a valid link. */
async function examineLinks({
  configuration: { store, s3 },
  storeLimitMs = PROVIDER_LIMIT_MS,
}: ExaminationOptions): Promise<Verdict> {
  if (store.kind !== 's3') return skipped('CRD_STORE is a directory: the gateway checks its links itself');
  const opened = await openStore(store.address, { s3, retryPeriodMs: storeLimitMs });
  if ((await opened.get(POINTER_KEY)) === undefined) return skipped('nothing is published there yet');
  const { checkStrangers } = await import('../../../infra/store/s3/check-s3.js');
  const rows = await checkStrangers(readS3Address(store.address, s3), POINTER_KEY);
  const open = rows.filter(({ result }) => result !== 'holds').map(toWords);
  return open.length === 0
    ? fine('nobody reads without a signature, with a wrong one, or after its time')
    : fault(`${open.join('; ')}; paid files are not protected: close the bucket, or use another server`);
}

/** Checks that the public address does not redirect to itself, as a gateway behind a proxy that hides its host does. */
async function examinePublicFiles({ configuration, fetch }: ExaminationOptions): Promise<Verdict> {
  const { store, publicBaseUrl, servesPublicFiles = false } = configuration;
  if (store.kind !== 's3' || publicBaseUrl === undefined)
    return skipped('CRD_STORE is a directory: the gateway serves them');
  if (servesPublicFiles) return skipped('CRD_PUBLIC_FILES is serve: the gateway serves them');
  const url = `${publicBaseUrl}${PUBLIC_PATHS.status}`;
  const signal = AbortSignal.timeout(PROVIDER_LIMIT_MS);
  const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(
    (error: unknown) => error,
  );
  if (!(response instanceof Response)) return advise(`${url} cannot be read: ${describeError(response)}`);
  const { status, headers } = response;
  if (headers.get('Location') === url)
    return fault(`${url} redirects to itself: set CRD_PUBLIC_FILES=serve, or put a CDN there`);
  return status < 400 ? fine(`${url} answers ${status}`) : advise(`${url} answers ${status}`);
}

/** Checks that the accounts can be listed, and one of them read, and that the server loses no writes. */
async function examineAccounts({
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
async function examineClock({ configuration, fetch, now }: ExaminationOptions): Promise<Verdict> {
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

/** Checks that there are credentials that sign URLs, and that they last as long as URLs must be valid. */
async function examineSigner({ configuration, now }: ExaminationOptions): Promise<Verdict> {
  const { store, s3, signerRole, urlTtlSeconds } = configuration;
  if (store.kind !== 's3') return skipped('CRD_STORE is a directory: CRD_LINK_SECRET signs its links');
  const { getCredentials } = await resolveS3Signing(readS3Address(store.address, s3), signerRole);
  const isOwn = signerRole === undefined;
  const { expiration, sessionToken } = await getCredentials().catch((error: unknown) => {
    const what = isOwn ? "the gateway's own credentials cannot be read" : `${signerRole} cannot be assumed`;
    throw new Error(`${what}: ${describeError(error)}`);
  });
  const signs = isOwn
    ? 'CRD_SIGNER_ROLE is not set: the gateway signs with its own credentials'
    : 'its role can be assumed';
  if (expiration === undefined)
    return fine(`${signs}, ${sessionToken === undefined ? 'which do not end' : 'of which no end is known'}`);
  const minutes = Math.floor((expiration.getTime() - now()) / 60_000);
  const seconds = minutes * 60 - RENEWAL_MS / 1000; // the signer renews credentials before URLs would be cut short
  const says = isOwn ? `${signs}, which end in ${minutes} minutes` : `${signs}, for ${minutes} minutes`;
  if (urlTtlSeconds <= seconds) return fine(says);
  // New sessions of the role last as long as this one, but other credentials may be renewed for longer than is left of them.
  return isOwn
    ? advise(
        `${says}; no URL outlives them, so URLs that are signed now end before CRD_URL_TTL_SECONDS (${urlTtlSeconds})`,
      )
    : fault(
        `${says}, and no URL can live longer with time to renew it: set CRD_URL_TTL_SECONDS to ${seconds} or less`,
      );
}

/**
 * The result of one check: a `fault` has to be fixed, `advice` may be right as it is, and a check is `skipped` when the
 * configuration does not need it.
 */
export type Finding = {
  readonly what: string;
  readonly verdict: 'fine' | 'advice' | 'fault' | 'skipped';
  readonly says: string;
};

/** A finding without the name of its check. */
type Verdict = Omit<Finding, 'what'>;

/** Creates the verdict of a check that passed. */
const fine = (says: string): Verdict => ({ verdict: 'fine', says });

/** Creates the verdict of a check that failed. */
const fault = (says: string): Verdict => ({ verdict: 'fault', says });

/** Creates the verdict of a check that found something to look at. */
const advise = (says: string): Verdict => ({ verdict: 'advice', says });

/** Creates the verdict of a check that does not apply. */
const skipped = (says: string): Verdict => ({ verdict: 'skipped', says });

/** Runs a check. An error that it throws becomes a fault. */
async function runCheck(what: string, check: () => Promise<Verdict>): Promise<Finding> {
  try {
    return { what, ...(await check()) };
  } catch (error) {
    return { what, ...fault(describeError(error)) };
  }
}

/** Returns the message of an error, with the cause of a failed `fetch`. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed without a message';
  const { message, cause } = error;
  return message === 'fetch failed' && cause instanceof Error ? `no answer (${cause.message})` : message;
}

/** Loads the SDK, which takes longer than the other checks of a directory. */
async function resolveS3Signing(address: S3Address, role?: string): Promise<S3Signing> {
  const signing = await import('../../../infra/store/s3/s3-signing.js');
  return signing.resolveS3Signing(address, role);
}
