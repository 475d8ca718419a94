/** Version of Stripe's API that this program is written for. The webhook must be created with the same version. */
export const STRIPE_API_VERSION = '2026-10-28.endive';

/**
 * Returns whether Stripe refused a request. A retry does not help; an operator must fix the cause. Errors of Stripe's SDK are
 * known by their `type`, so that a gateway which sells nothing need not load the SDK.
 */
export function isRefusal(error: unknown): boolean {
  const { type = '', statusCode = 500 } = error instanceof Error ? (error as ErrorFacts) : {};
  if (!type.startsWith('Stripe') || type === 'StripeRateLimitError') return false;
  return statusCode < 500 && statusCode !== 409;
}

/** The members of errors of Stripe's SDK. */
type ErrorFacts = { readonly type?: string; readonly statusCode?: number };
