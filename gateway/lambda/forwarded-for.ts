import type { TrustProxy } from '../http/address-limit.js';
import type { EventRequest } from './events.js';

/** Appends the address of the peer to `X-Forwarded-For`, as a proxy does. */
export function withForwardedFor(request: EventRequest): EventRequest {
  return { ...request, headers: [...request.headers, ['X-Forwarded-For', request.sourceIp]] };
}

/** Adds the function's own connection on loopback to the trusted proxies. */
export function trustLoopback(trustProxy: TrustProxy): TrustProxy {
  if (typeof trustProxy === 'number') return trustProxy + 1;
  return trustProxy === false ? 1 : [...trustProxy, 'loopback'];
}
