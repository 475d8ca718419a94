import type { Router } from 'express';
import { ENDPOINTS } from '../../schemas/paths.js';
import { grantsOf } from '../core/accounts/account.js';
import { describeSubscription } from '../core/billing/subscription.js';
import { describeEntitlements } from '../core/access/entitlements.js';
import { readCurrentAccount, type CurrentAccountOptions } from '../io/billing/current-account.js';
import { readCredential, type Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createEntitlementsRouter`. */
export type EntitlementsRouterOptions = CurrentAccountOptions & {
  readonly authentication: Authentication;
  readonly now: () => number;
  readonly dashboardOrigins: readonly string[];
};

/** Returns the route that lists what a key or a session can read. */
export function createEntitlementsRouter(options: EntitlementsRouterOptions): Router {
  const { authentication, stripeRefresh, now, dashboardOrigins: origins } = options;
  const requestHeaders = ['Authorization', 'X-API-Key'];
  const router = createRouter();
  router
    .route(ENDPOINTS.entitlements)
    .all(...beginRoute({ template: ENDPOINTS.entitlements, methods: ['GET'], origins, requestHeaders }))
    .get(rejectQuery, async (req, res) => {
      if (readCredential(req).session) {
        const session = await authentication.authenticateSession(req, res);
        const account = await readCurrentAccount(options, session.account);
        const entitlements = describeEntitlements(grantsOf(account), now());
        sendJson(res, 200, { ...entitlements, subscription: describeSubscription(account, now()) });
        return;
      }
      let caller = await authentication.refresh(await authentication.authenticateKey(req, res));
      if (await stripeRefresh.refreshIfLapsed(caller.account, caller.grants)) {
        caller = await authentication.refresh(caller, 0);
      }
      sendJson(res, 200, describeEntitlements(caller.grants, now()));
    });
  return router;
}
