import type { RequestHandler, Router } from 'express';
import { ENDPOINTS } from '../../schemas/paths.js';
import { parsePurchase } from '../core/billing/checkout-request.js';
import { GatewayError } from '../core/problems.js';
import type { BillingService } from '../io/billing/billing-service.js';
import type { Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { parseJsonBody, readMembers } from '../http/request-body.js';
import { accountOf, contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createCheckoutRouter`. */
export type CheckoutRouterOptions = {
  /** Talks to Stripe; without it the routes answer `billing-not-configured`. */
  readonly billingService: BillingService | undefined;
  readonly authentication: Pick<Authentication, 'requireSession'>;
  readonly dashboardOrigins: readonly string[];
};

/** Returns the routes by which the owner of a dashboard session buys a plan, and pays, changes or cancels the subscription in Stripe's portal. */
export function createCheckoutRouter(options: CheckoutRouterOptions): Router {
  const { billingService, authentication, dashboardOrigins: origins } = options;
  const begin = (template: string) =>
    beginRoute({
      template,
      methods: ['POST'],
      origins,
      requestHeaders: ['Authorization', 'Content-Type'],
    });
  const authorize = [rejectQuery, authentication.requireSession];
  const router = createRouter();
  router
    .route(ENDPOINTS.checkout)
    .all(...begin(ENDPOINTS.checkout))
    .post(
      ...authorize,
      ...(billingService === undefined ? [refuse] : [parseJsonBody, openCheckout(billingService)]),
    );
  router
    .route(ENDPOINTS.portal)
    .all(...begin(ENDPOINTS.portal))
    .post(
      ...authorize,
      ...(billingService === undefined ? [refuse] : [parseJsonBody, openPortal(billingService)]),
    );
  return router;
}

const refuse: RequestHandler = () => {
  throw new GatewayError('billing-not-configured');
};

function openCheckout(billingService: BillingService): RequestHandler {
  return async (req, res) => {
    const purchase = parsePurchase(readMembers(req.body, 'plan', 'chain'));
    const { id, url } = await billingService.openCheckout(accountOf(res), purchase);
    contextOf(res).decision = 'checkout-opened';
    sendJson(res, 201, { checkout_url: url, session_id: id });
  };
}

function openPortal(billingService: BillingService): RequestHandler {
  return async (req, res) => {
    readMembers(req.body);
    const url = await billingService.openPortal(accountOf(res));
    contextOf(res).decision = 'portal-opened';
    sendJson(res, 201, { portal_url: url });
  };
}
