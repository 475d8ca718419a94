import { PLAN_IDS } from '../../../schemas/catalog.js';
import { findPriceFaults } from '../../core/billing/price-faults.js';
import { findWebhookFaults } from '../../core/billing/webhook-faults.js';
import type { ExaminationOptions } from './examination-options.js';
import { describeError, fault, fine, skipped, type Finding, type Verdict } from './finding.js';

/** Checks the prices, the permissions of the secret key, and the webhook at Stripe. */
export async function* examineBilling(options: ExaminationOptions): AsyncGenerator<Finding> {
  const { billing: settings, keyMode } = options.configuration;
  if (settings === undefined) {
    yield { what: 'Stripe', ...skipped('CRD_STRIPE_SECRET_KEY is not set, so nothing is sold') };
    return;
  }
  const errors: unknown[] = [];
  const billing = await options.openBilling(settings, (error) => errors.push(error));
  const isLive = keyMode === 'live';
  const verdictOf = async (findFaults: () => Promise<string[]>, ifFine: string): Promise<Verdict> => {
    try {
      const faults = await findFaults();
      return faults.length === 0 ? fine(ifFine) : fault(faults.join('; '));
    } catch (error) {
      return fault(describeError(errors.at(-1) ?? error));
    }
  };
  for (const plan of PLAN_IDS) {
    for (const [i, price] of settings.prices[plan].entries()) {
      const findFaults = async (): Promise<string[]> =>
        findPriceFaults(plan, await billing.readPrice(price), { isSold: i === 0, isLive });
      yield { what: `price ${price}`, ...(await verdictOf(findFaults, `valid price of ${plan}`)) };
    }
  }
  const findMissingPermissions = async (): Promise<string[]> =>
    (await billing.findMissingPermissions()).map(
      (what) => `CRD_STRIPE_SECRET_KEY has no permission to read ${what}; grant it at Stripe`,
    );
  yield {
    what: 'Stripe key',
    ...(await verdictOf(findMissingPermissions, 'can read everything that is needed; writing was not tried')),
  };
  const findFaultsOfWebhooks = async (): Promise<string[]> =>
    findWebhookFaults(await billing.listWebhooks(), { isLive, version: options.apiVersion });
  const ifFine =
    'Stripe sends every event that is needed; to check the secret, send a test event from Stripe';
  yield { what: 'webhook', ...(await verdictOf(findFaultsOfWebhooks, ifFine)) };
}
