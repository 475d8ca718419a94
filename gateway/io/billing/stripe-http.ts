import type { IncomingMessage } from 'node:http';
import Stripe from 'stripe';
import { inTime } from '../within-time.js';

/** So much longer than the silence that the SDK allows: where that is the reason, the SDK says so. */
const SLACK_MS = 250;

/**
 * The SDK's own HTTP client, with two things that it lacks: a bound on the whole of an answer and not on silence alone,
 * and that an answer which failed without one of Stripe's errors, such as a proxy's, is a failure.
 */
export function createStripeHttpClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...request) {
      const timeoutMs = request[7] + SLACK_MS;
      const answer = await inTime(client.makeRequest(...request), timeoutMs, 'Stripe');
      const read = answer.toJSON.bind(answer);
      answer.toJSON = async () => {
        const body: unknown = await inTime(Promise.resolve(read()), timeoutMs, 'Stripe').catch(
          (error: unknown) => {
            (answer.getRawResponse() as IncomingMessage).destroy(); // of Node's own client
            throw error;
          },
        );
        const status = answer.getStatusCode();
        if (status >= 300 && !isStripeError(body))
          throw new Error(`HTTP ${status} without an error of Stripe`);
        return body;
      };
      return answer;
    },
  };
}

function isStripeError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body;
}
