import type { RequestHandler, Router } from 'express';
import { ENDPOINTS } from '../../schemas/paths.js';
import type { BillingService } from '../io/billing/billing-service.js';
import { GatewayError } from '../core/problems.js';
import type { Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { readRawBody } from '../http/request-body.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createWebhookRouter`. */
export type WebhookRouterOptions = {
  readonly authentication: Pick<Authentication, 'limitFailures'>;
  /** Handles events; without it the route answers `billing-not-configured`. */
  readonly billingService: BillingService | undefined;
};

/**
 * Returns the route that receives Stripe's events. Stripe's signature authenticates them: an event without it counts
 * towards the limit of failed credentials of its address.
 */
export function createWebhookRouter({ authentication, billingService }: WebhookRouterOptions): Router {
  const router = createRouter();
  router
    .route(ENDPOINTS.webhook)
    .all(...beginRoute({ template: ENDPOINTS.webhook, methods: ['POST'], origins: [] }))
    .post(
      rejectQuery,
      ...(billingService === undefined
        ? [refuse]
        : [readRawBody, handleEvent(authentication, billingService)]),
    );
  return router;
}

const refuse: RequestHandler = () => {
  throw new GatewayError('billing-not-configured');
};

function handleEvent(
  authentication: WebhookRouterOptions['authentication'],
  billingService: BillingService,
): RequestHandler {
  return async (req, res) => {
    const body: unknown = req.body;
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    const { 'stripe-signature': sent } = req.headers;
    const signature = typeof sent === 'string' ? sent : undefined;
    const outcome = await authentication.limitFailures(req, res, () =>
      billingService.handleEvent(bytes, signature),
    );
    contextOf(res).decision = `event-${outcome}`;
    sendJson(res, 200, { received: true, outcome });
  };
}
