import { grantsOf } from '../core/account.js';
import { describeSubscription } from '../core/billing/describe-subscription.js';
import { describeEntitlements } from '../core/entitlements.js';
import { readCurrentAccount, type CurrentAccountTerms } from '../io/billing/current-account.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Endpoint } from './endpoint.js';
import { assertNoQuery } from './path-guard.js';
import { sendDocument } from './send-document.js';

/** What telling of entitlements needs. */
export type EntitlementsTerms = CurrentAccountTerms & {
  readonly doorkeeper: Doorkeeper;
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
          const account = await readCurrentAccount(terms, session.account);
          const entitlements = describeEntitlements(grantsOf(account), now());
          sendDocument(res, 200, { ...entitlements, subscription: describeSubscription(account, now()) });
          return;
        }
        let caller = await doorkeeper.refresh(await doorkeeper.admitKey(req, res));
        if (await terms.renewals.onLapse(caller.account, caller.grants)) {
          caller = await doorkeeper.refresh(caller, 0);
        }
        sendDocument(res, 200, describeEntitlements(caller.grants, now()));
      },
    },
  };
}
