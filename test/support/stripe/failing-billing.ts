import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { GatewayError } from '../../../gateway/core/problems.js';

/** Wraps billing so that every call except `verifyEvent` throws while `failure` returns an error. */
export function failBilling<B extends BillingPort>(billing: B, failure: () => Error | undefined): B {
  return new Proxy(billing, {
    get(target, name): unknown {
      const error = failure();
      if (error === undefined || name === 'verifyEvent' || !(name in target))
        return Reflect.get(target, name);
      return () => {
        throw error;
      };
    },
  });
}

/** Errors of billing. They contain the given text in every place where an SDK may put its input. */
export const BILLING_FAILURES: readonly (readonly [name: string, fail: (words: string) => Error])[] = [
  ['a Stripe refusal', (words) => new GatewayError('billing-unavailable', { cause: new Error(words) })],
  ['an SDK error', (words) => Object.assign(new Error(words), { code: words, raw: { message: words, headers: { authorization: words } } })],
  ['an error with another name', (words) => Object.assign(new TypeError('no'), { name: words, cause: { message: words } })],
]; // prettier-ignore
