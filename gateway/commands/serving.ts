import type { DestinationStream } from 'pino';
import type { BillingSettings } from '../core/billing/billing-settings.js';
import type { BillingPort } from '../io/billing/billing-port.js';

/** Opens whoever takes the money; `onError` is told of each failure there. */
export type OpenBilling = (
  settings: BillingSettings,
  terms: { readonly now: () => number; readonly onError: (error: unknown) => void },
) => BillingPort;

/** What serving needs of the outside world, beyond what every command does. */
export type ServingTerms = {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** A new id of a request. */
  readonly newId: () => string;
  readonly fetch: typeof fetch;
  /** Opens whoever takes the money. */
  readonly openBilling: OpenBilling;
  /** Where the log goes. */
  readonly logDestination: DestinationStream;
};
