import { grantsOf } from '../core/account.js';
import { describeEntitlements } from '../core/entitlements.js';
import type { Accounts } from '../io/accounts.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Endpoint } from './endpoint.js';
import { assertNoQuery } from './keys.js';
import { sendDocument } from './send-document.js';

/** What telling of entitlements needs. */
export type EntitlementsTerms = {
  readonly doorkeeper: Doorkeeper;
  readonly accounts: Accounts;
  readonly now: () => number;
  readonly dashboardOrigins: readonly string[];
};

const PATH = '/api/v1/entitlements';

/** What a key or a session may read, before any download. */
export function entitlementsEndpoint({
  doorkeeper,
  accounts,
  now,
  dashboardOrigins,
}: EntitlementsTerms): Endpoint {
  return {
    template: PATH,
    has: (path) => path === PATH,
    crossOrigin: { origins: dashboardOrigins, headers: ['Authorization', 'X-API-Key'] },
    answers: {
      async GET(req, res) {
        assertNoQuery(res);
        if (req.headers['x-api-key'] === undefined && req.headers.authorization !== undefined) {
          const session = await doorkeeper.admitSession(req, res);
          const account = await accounts.readAccount(session.account);
          sendDocument(res, 200, describeEntitlements(account === undefined ? [] : grantsOf(account), now()));
          return;
        }
        const caller = await doorkeeper.refresh(await doorkeeper.admitKey(req, res));
        sendDocument(res, 200, describeEntitlements(caller.grants, now()));
      },
    },
  };
}
