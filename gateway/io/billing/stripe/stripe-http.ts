import type { IncomingMessage } from 'node:http';
import Stripe from 'stripe';
import { noAnswerFrom, withTimeLimit } from '../../timing/time-limit.js';

/** Added to the timeout of the SDK, so that the SDK reports its own timeout first. */
const SLACK_MS = 250;

/**
 * Returns the SDK's HTTP client with two additions: time limits for the headers and for the body of a response, because the
 * SDK limits only the time without data, and an error for a failed response that is not a Stripe error, such as that of a proxy.
 */
export function createStripeHttpClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const noAnswer = noAnswerFrom('Stripe');
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...request) {
      const [, , , , , , , sdkTimeoutMs] = request;
      const timeoutMs = sdkTimeoutMs + SLACK_MS;
      const answer = await withTimeLimit(client.makeRequest(...request), timeoutMs, noAnswer);
      const read = answer.toJSON.bind(answer);
      answer.toJSON = async () => {
        const body: unknown = await withTimeLimit(Promise.resolve(read()), timeoutMs, noAnswer).catch(
          (error: unknown) => {
            (answer.getRawResponse() as IncomingMessage).destroy(); // the response of Node's HTTP client
            throw error;
          },
        );
        const status = answer.getStatusCode();
        if (status >= 300 && !isStripeError(body))
          throw new Error(`HTTP ${status}, but the response is not a Stripe error`);
        return body;
      };
      return answer;
    },
  };
}

function isStripeError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body;
}
