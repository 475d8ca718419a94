import type { RequestHandler, Router } from 'express';
import { ENDPOINTS } from '../../schemas/paths.js';
import type { BillingService } from '../io/billing/billing-service.js';
import { GatewayError } from '../core/problems.js';
import { rejectQuery } from '../http/path-guard.js';
import { readRawBody } from '../http/request-body.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createWebhookRouter`. */
export type WebhookRouterOptions = {
  /** Handles events; without it the route answers `billing-not-configured`. */
  readonly billingService: BillingService | undefined;
};

/** Returns the route that receives Stripe's events. Stripe's signature authenticates them. */
export function createWebhookRouter({ billingService }: WebhookRouterOptions): Router {
  const router = createRouter();
  router
    .route(ENDPOINTS.webhook)
    .all(...beginRoute({ template: ENDPOINTS.webhook, methods: ['POST'], origins: [] }))
    .post(
      rejectQuery,
      ...(billingService === undefined ? [refuse] : [readRawBody, handleEvent(billingService)]),
    );
  return router;
}

const refuse: RequestHandler = () => {
  throw new GatewayError('billing-not-configured');
};

function handleEvent(billingService: BillingService): RequestHandler {
  return async (req, res) => {
    const body: unknown = req.body;
    const signature = req.headers['stripe-signature'];
    const outcome = await billingService.handleEvent(
      body instanceof Uint8Array ? body : new Uint8Array(),
      typeof signature === 'string' ? signature : undefined,
    );
    contextOf(res).decision = `event-${outcome}`;
    sendJson(res, 200, { received: true, outcome });
  };
}
