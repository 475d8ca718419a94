import { WEBHOOK_PATH } from '../core/billing/judge-webhooks.js';
import type { BillingDesk } from '../io/billing/billing-desk.js';
import { GatewayError } from '../core/problems.js';
import type { Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { readBytes } from './json-body.js';
import { assertNoQuery } from './path-guard.js';
import { sendDocument } from './send-document.js';

/** What taking events needs; without a desk nothing is sold. */
export type WebhookTerms = { readonly desk: BillingDesk | undefined };

/** Where Stripe tells that something happened. The body is read as it came: its signature is over its bytes. */
export function webhookEndpoint({ desk }: WebhookTerms): Endpoint {
  return {
    template: WEBHOOK_PATH,
    has: (path) => path === WEBHOOK_PATH,
    crossOrigin: { origins: [], headers: [] },
    answers: {
      async POST(req, res) {
        assertNoQuery(res);
        if (desk === undefined) throw new GatewayError('billing-not-configured');
        const signature = req.headers['stripe-signature'];
        const outcome = await desk.takeEvent(
          await readBytes(req, res),
          typeof signature === 'string' ? signature : undefined,
        );
        exchangeOf(res).decision = `event-${outcome}`;
        sendDocument(res, 200, { received: true, outcome });
      },
    },
  };
}
