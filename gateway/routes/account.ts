import type { RequestHandler, Router } from 'express';
import { toInstant } from '../../schemas/dates.js';
import { ENDPOINTS } from '../../schemas/paths.js';
import { createAccount } from '../core/accounts/account.js';
import { GatewayError } from '../core/problems.js';
import type { Accounts } from '../io/accounts/accounts.js';
import type { BillingService } from '../io/billing/billing-service.js';
import type { Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { parseJsonBody, readMembers } from '../http/request-body.js';
import { accountOf, contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createAccountRouter`. */
export type AccountRouterOptions = {
  readonly authentication: Pick<Authentication, 'requireSession' | 'refuseKey'>;
  readonly accounts: Pick<Accounts, 'readAccount' | 'readUsage' | 'deleteAccount'>;
  /** Closes open checkouts; without it the gateway sells nothing. */
  readonly billingService: Pick<BillingService, 'closeCheckout'> | undefined;
  readonly now: () => number;
  readonly dashboardOrigins: readonly string[];
};

/** Returns the routes with which the owner of a session exports and deletes the account. */
export function createAccountRouter(options: AccountRouterOptions): Router {
  const { authentication, dashboardOrigins: origins } = options;
  const router = createRouter();
  router
    .route(ENDPOINTS.account)
    .all(
      ...beginRoute({
        template: ENDPOINTS.account,
        methods: ['GET', 'DELETE'],
        origins,
        requestHeaders: ['Authorization', 'Content-Type'],
      }),
    )
    .all(rejectQuery, authentication.requireSession)
    .get(exportAccount(options))
    .delete(parseJsonBody, deleteAccount(options));
  return router;
}

function exportAccount({ accounts, now }: AccountRouterOptions): RequestHandler {
  return async (_req, res) => {
    const id = accountOf(res);
    const account = (await accounts.readAccount(id)) ?? createAccount(id);
    const usage = await accounts.readUsage(Object.keys(account.keys));
    contextOf(res).decision = 'account-exported';
    sendJson(res, 200, { exported_at: toInstant(now()), account, last_used: Object.fromEntries(usage) });
  };
}

function deleteAccount({
  accounts,
  authentication,
  billingService,
  now,
}: AccountRouterOptions): RequestHandler {
  return async (req, res) => {
    const { confirm } = readMembers(req.body, 'confirm');
    if (confirm !== 'delete') {
      throw new GatewayError('request-malformed', {
        detail: 'To delete the account, send {"confirm": "delete"}.',
      });
    }
    const id = accountOf(res);
    if (billingService !== undefined) await billingService.closeCheckout(id);
    else if ((await accounts.readAccount(id))?.billing !== undefined) {
      throw new GatewayError('billing-not-configured', {
        detail: 'The account was used to buy, and this gateway cannot ask whether anything is still charged.',
      });
    }
    for (const keyId of await accounts.deleteAccount(id)) authentication.refuseKey(keyId);
    contextOf(res).decision = 'account-deleted';
    sendJson(res, 200, { deleted_at: toInstant(now()) });
  };
}
