import { POINTER_KEY } from '../../schemas/paths.js';
import { PLAN_IDS } from '../../schemas/catalog.js';
import { assertValid } from '../../schemas/validate.js';
import { openStore } from '../../infra/store/open-store.js';
import { parseS3Address } from '../../infra/store/s3-address.js';
import { resolveS3Signing } from '../../infra/store/s3-signing.js';
import type { BillingSettings } from '../core/billing/billing-settings.js';
import { judgePrice } from '../core/billing/judge-price.js';
import { judgeWebhooks } from '../core/billing/judge-webhooks.js';
import type { Configuration } from '../core/configuration.js';
import { openAccountsStore } from './accounts-store.js';
import type { BillingPort } from './billing/billing-port.js';
import { createKeySet } from './key-set.js';

/** What an examination found: `fault` is what somebody must mend, `skipped` what there is nothing to look at for. */
export type Finding = {
  readonly what: string;
  readonly verdict: 'fine' | 'fault' | 'skipped';
  readonly says: string;
};

/** What examining needs; `now` is in milliseconds since the epoch. */
export type ExaminationTerms = {
  readonly configuration: Configuration;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly openBilling: (settings: BillingSettings, onError: (error: unknown) => void) => BillingPort;
  /** How long a store may stay silent; 5 seconds where absent. */
  readonly patienceMs?: number;
  /** Version of Stripe's API that this program is written for. */
  readonly apiVersion: string;
};

const PATIENCE_MS = 5_000;
/** How far this machine's clock may be from that of a store. */
const CLOCK_MS = 30_000;

/** Looks at everything that a gateway of this configuration needs, and changes nothing. A failure is a finding. */
export async function* examine(terms: ExaminationTerms): AsyncGenerator<Finding> {
  yield { what: 'configuration', verdict: 'fine', says: 'every variable is sound' };
  yield await find('store', () => examineStore(terms));
  yield await find('accounts store', () => examineAccounts(terms));
  yield await find('clock', () => examineClock(terms));
  yield await find('signer', () => examineSigner(terms));
  yield await find('identity provider', () => examineIdentity(terms));
  yield* examineBilling(terms);
}

type Found = Omit<Finding, 'what'>;
const fine = (says: string): Found => ({ verdict: 'fine', says });
const fault = (says: string): Found => ({ verdict: 'fault', says });
const skipped = (says: string): Found => ({ verdict: 'skipped', says });

/** What an error says, and why, as far as it says so. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed without a word';
  const { message, cause } = error;
  return message === 'fetch failed' && cause instanceof Error ? `nobody answers (${cause.message})` : message;
}

async function find(what: string, work: () => Promise<Found>): Promise<Finding> {
  try {
    return { what, ...(await work()) };
  } catch (error) {
    return { what, ...fault(wordsOf(error)) };
  }
}

async function examineStore({
  configuration: { store, s3 },
  patienceMs = PATIENCE_MS,
}: ExaminationTerms): Promise<Found> {
  const opened = await openStore(store.address, { s3, patienceMs });
  const found = await opened.get(POINTER_KEY);
  if (found === undefined) return fault('nothing is published there yet: run "generator publish"');
  try {
    const { revision, sequence } = assertValid('pointer', JSON.parse(Buffer.from(found.bytes).toString()));
    return fine(`release ${revision} is in force, sequence ${sequence}`);
  } catch {
    return fault(`its ${POINTER_KEY} is damaged: run "generator repair"`);
  }
}

async function examineAccounts({
  configuration: { accountsStore, s3 },
  patienceMs = PATIENCE_MS,
}: ExaminationTerms): Promise<Found> {
  const store = await openAccountsStore(accountsStore.address, { s3, patienceMs });
  for await (const _each of store.list('accounts/')) return fine('it has accounts');
  return fine('it has no accounts yet; is its address right?');
}

/** Signatures and links are judged by clocks: that of the store must be near ours. */
async function examineClock({ configuration, fetch, now }: ExaminationTerms): Promise<Found> {
  const { store, s3 } = configuration;
  if (store.kind !== 's3') return skipped('a directory has no clock of its own');
  const { place } = await resolveS3Signing(parseS3Address(store.address, s3));
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(place.origin, { method: 'HEAD', signal }).catch((error: unknown) => {
    throw new Error(`the store does not say what time it is: ${wordsOf(error)}`);
  });
  const theirsMs = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(theirsMs)) return fault('the store does not say what time it is');
  const apartMs = Math.abs(now() - theirsMs);
  const says = `this machine and the store are ${Math.round(apartMs / 1000)} s apart`;
  return apartMs > CLOCK_MS ? fault(`${says}; set this machine's clock`) : fine(says);
}

async function examineSigner({ configuration, now }: ExaminationTerms): Promise<Found> {
  const { store, s3, signerRole } = configuration;
  if (signerRole === undefined) return skipped('CRD_SIGNER_ROLE is not set: no role signs for the gateway');
  const { provide } = await resolveS3Signing(parseS3Address(store.address, s3), signerRole);
  const { expiration } = await provide().catch((error: unknown) => {
    throw new Error(`${signerRole} cannot be assumed: ${wordsOf(error)}`);
  });
  const minutes = Math.floor(((expiration?.getTime() ?? Infinity) - now()) / 60_000);
  return fine(`its role was assumed for ${minutes} minutes`);
}

async function examineIdentity({ configuration, fetch, now }: ExaminationTerms): Promise<Found> {
  const { sessions } = configuration;
  if (sessions === undefined) return skipped('CRD_JWKS is not set: there are no dashboard sessions');
  const errors: unknown[] = [];
  const keySet = createKeySet({ address: sessions.jwks, fetch, now, onError: (error) => errors.push(error) });
  await keySet.prepare();
  const [error] = errors;
  if (error === undefined) return fine('its keys can be read');
  return fault(`its keys cannot be read: ${wordsOf(error)}`);
}

async function* examineBilling(terms: ExaminationTerms): AsyncGenerator<Finding> {
  const { billing: settings, keyMode } = terms.configuration;
  if (settings === undefined) {
    yield { what: 'Stripe', ...skipped('CRD_STRIPE_SECRET_KEY is not set: nothing is sold') };
    return;
  }
  const errors: unknown[] = [];
  const billing = terms.openBilling(settings, (error) => errors.push(error));
  const isLive = keyMode === 'live';
  const tell = async (work: () => Promise<string[]>, good: string): Promise<Found> => {
    try {
      const faults = await work();
      return faults.length === 0 ? fine(good) : fault(faults.join('; '));
    } catch (error) {
      return fault(wordsOf(errors.at(-1) ?? error));
    }
  };
  for (const plan of PLAN_IDS) {
    for (const [i, price] of settings.prices[plan].entries()) {
      const work = async (): Promise<string[]> =>
        judgePrice(plan, await billing.readPrice(price), { isSold: i === 0, isLive });
      yield { what: `price ${price}`, ...(await tell(work, `it is a price of ${plan}`)) };
    }
  }
  const rights = async (): Promise<string[]> =>
    (await billing.findDenied()).map(
      (what) => `CRD_STRIPE_SECRET_KEY may not read ${what}; allow it at Stripe`,
    );
  yield {
    what: 'Stripe key',
    ...(await tell(rights, 'it may read all that is needed; writing was not tried')),
  };
  const work = async (): Promise<string[]> =>
    judgeWebhooks(await billing.listWebhooks(), { isLive, version: terms.apiVersion });
  const good =
    'Stripe sends every event that we need; its secret cannot be read back: send a test event from Stripe';
  yield { what: 'webhook', ...(await tell(work, good)) };
}
