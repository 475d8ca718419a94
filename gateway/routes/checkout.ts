import { parsePurchase } from '../core/billing/checkout-request.js';
import { GatewayError } from '../core/problems.js';
import type { BillingDesk } from '../io/billing/billing-desk.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { readJsonBody, readMembers } from './json-body.js';
import { assertNoQuery } from './path-guard.js';
import { sendDocument } from './send-document.js';

/** What selling over HTTP needs; without a desk nothing is sold. */
export type CheckoutTerms = {
  readonly desk: BillingDesk | undefined;
  readonly doorkeeper: Doorkeeper;
  readonly dashboardOrigins: readonly string[];
};

const CHECKOUT_PATH = '/api/v1/checkout';
const PORTAL_PATH = '/api/v1/checkout/portal';

/** Where a session begins to buy. */
export function checkoutEndpoint({ desk, doorkeeper, dashboardOrigins }: CheckoutTerms): Endpoint {
  return {
    template: CHECKOUT_PATH,
    has: (path) => path === CHECKOUT_PATH,
    crossOrigin: { origins: dashboardOrigins, headers: ['Authorization', 'Content-Type'] },
    answers: {
      async POST(req, res) {
        assertNoQuery(res);
        const { account } = await doorkeeper.admitSession(req, res);
        if (desk === undefined) throw new GatewayError('billing-not-configured');
        const wanted = parsePurchase(readMembers(await readJsonBody(req, res), ['plan', 'chain']));
        const { id, url } = await desk.openCheckout(account, wanted);
        exchangeOf(res).decision = 'checkout-opened';
        sendDocument(res, 201, { checkout_url: url, session_id: id });
      },
    },
  };
}

/** Where a session changes, pays and cancels what it has bought. */
export function portalEndpoint({ desk, doorkeeper, dashboardOrigins }: CheckoutTerms): Endpoint {
  return {
    template: PORTAL_PATH,
    has: (path) => path === PORTAL_PATH,
    crossOrigin: { origins: dashboardOrigins, headers: ['Authorization', 'Content-Type'] },
    answers: {
      async POST(req, res) {
        assertNoQuery(res);
        const { account } = await doorkeeper.admitSession(req, res);
        if (desk === undefined) throw new GatewayError('billing-not-configured');
        readMembers(await readJsonBody(req, res), []);
        const url = await desk.openPortal(account);
        exchangeOf(res).decision = 'portal-opened';
        sendDocument(res, 201, { portal_url: url });
      },
    },
  };
}
