import { GatewayError } from '../core/problems.js';
import { serve, type Endpoint, type EndpointServer } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { ANY_ORIGIN, assertPlain } from './path-guard.js';

/** Gives each request to the first endpoint that has its path. @throws GatewayError 'not-found' when none has. */
export function createDispatcher(endpoints: readonly Endpoint[]): EndpointServer {
  const served = endpoints.map((endpoint) => ({ endpoint, answer: serve(endpoint) }));
  return (req, res) => {
    const exchange = exchangeOf(res);
    assertPlain(req, exchange.path);
    for (const { endpoint, answer } of served) {
      if (!endpoint.has(exchange.path)) continue;
      exchange.route = endpoint.template;
      return answer(req, res);
    }
    throw new GatewayError('not-found', { headers: ANY_ORIGIN });
  };
}
