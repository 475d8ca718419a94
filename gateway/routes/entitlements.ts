import type { Account } from '../../schemas/types.generated.js';
import { createAccount, grantsOf } from '../core/account.js';
import { describeSubscription } from '../core/billing/describe-subscription.js';
import { describeEntitlements } from '../core/entitlements.js';
import type { Accounts } from '../io/accounts.js';
import type { Renewals } from '../io/billing/renewals.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Endpoint } from './endpoint.js';
import { assertNoQuery } from './path-guard.js';
import { sendDocument } from './send-document.js';

/** What telling of entitlements needs. */
export type EntitlementsTerms = {
  readonly doorkeeper: Doorkeeper;
  readonly accounts: Accounts;
  readonly renewals: Renewals;
  readonly now: () => number;
  readonly dashboardOrigins: readonly string[];
};

const PATH = '/api/v1/entitlements';

/** What a key or a session may read, before any download. */
export function entitlementsEndpoint(terms: EntitlementsTerms): Endpoint {
  const { doorkeeper, now, dashboardOrigins } = terms;
  return {
    template: PATH,
    has: (path) => path === PATH,
    crossOrigin: { origins: dashboardOrigins, headers: ['Authorization', 'X-API-Key'] },
    answers: {
      async GET(req, res) {
        assertNoQuery(res);
        if (req.headers['x-api-key'] === undefined && req.headers.authorization !== undefined) {
          const session = await doorkeeper.admitSession(req, res);
          const account = await readCurrent(terms, session.account);
          const entitlements = describeEntitlements(grantsOf(account), now());
          sendDocument(res, 200, { ...entitlements, subscription: describeSubscription(account) });
          return;
        }
        const caller = await doorkeeper.refresh(await doorkeeper.admitKey(req, res));
        sendDocument(res, 200, describeEntitlements(caller.grants, now()));
      },
    },
  };
}

/** The account as it is, after a look at Stripe where an event may have been lost. */
async function readCurrent({ accounts, renewals }: EntitlementsTerms, id: string): Promise<Account> {
  const account = (await accounts.readAccount(id)) ?? createAccount(id);
  const grants = grantsOf(account);
  const looked = (await renewals.onCheckout(account, grants)) || (await renewals.onLapse(id, grants));
  return looked ? ((await accounts.readAccount(id)) ?? account) : account;
}
