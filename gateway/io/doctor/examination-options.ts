import type { BillingSettings } from '../../core/billing/billing-settings.js';
import type { Configuration } from '../../core/configuration/configuration.js';
import type { BillingPort } from '../billing/billing-port.js';

/** Options for `examine`. */
export type ExaminationOptions = {
  readonly configuration: Configuration;
  readonly fetch: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly openBilling: (
    settings: BillingSettings,
    onError: (error: unknown) => void,
  ) => BillingPort | Promise<BillingPort>;
  /** Time limit for the retries of a request to a store; `PROVIDER_LIMIT_MS` by default. */
  readonly storeLimitMs?: number;
  /** The version of Stripe's API that this program is written for. */
  readonly apiVersion: string;
};
