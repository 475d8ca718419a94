import { createKeySet } from '../identity/key-set.js';
import type { ExaminationOptions } from './examination-options.js';
import { examineBilling } from './examine-billing.js';
import { examineSignIn } from './examine-sign-in.js';
import { examineAccounts, examineClock, examineSigner, examineStore } from './examine-stores.js';
import { describeError, fault, fine, runCheck, skipped, type Finding, type Verdict } from './finding.js';

export type { Finding } from './finding.js';

/** Checks everything that a gateway of this configuration needs, and changes nothing. An error becomes a finding. */
export async function* examine(options: ExaminationOptions): AsyncGenerator<Finding> {
  yield { what: 'configuration', ...fine('every variable is valid') };
  yield await runCheck('store', () => examineStore(options));
  yield await runCheck('accounts store', () => examineAccounts(options));
  yield await runCheck('clock', () => examineClock(options));
  yield await runCheck('signer', () => examineSigner(options));
  yield await runCheck('identity provider', () => examineIdentity(options));
  yield await runCheck('account page', () => examineSignIn(options));
  yield* examineBilling(options);
}

async function examineIdentity({ configuration, fetch, now }: ExaminationOptions): Promise<Verdict> {
  const { sessions } = configuration;
  if (sessions === undefined) return skipped('CRD_JWKS is not set: there are no dashboard sessions');
  const errors: unknown[] = [];
  const keySet = createKeySet({ address: sessions.jwks, fetch, now, onError: (error) => errors.push(error) });
  await keySet.prepare();
  const [error] = errors;
  return error === undefined
    ? fine('its keys can be read')
    : fault(`its keys cannot be read: ${describeError(error)}`);
}
