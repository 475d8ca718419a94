import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';

/** The proxies whose `X-Forwarded-For` and `X-Forwarded-Host` are trusted: a number of hops, addresses, or none. */
export type TrustProxy = number | readonly string[] | false;

/** Returns whether a proxy is trusted: by its address, and the number of hops between it and the gateway, 0 for its peer. */
type TrustFunction = (address: string, hops: number) => boolean;

/** Returns the trust of a setting, as Express reads its setting `trust proxy`. */
export function compileTrust(trustProxy: TrustProxy): TrustFunction {
  if (typeof trustProxy === 'number') return (_address, hops) => hops < trustProxy;
  return trustProxy === false ? () => false : proxyAddr.compile([...trustProxy]);
}

/** Returns the hosts that a request may have been sent to, each perhaps with a port. */
export type HostReader = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => readonly string[];

/**
 * Creates a reader of hosts: `Host` and, if the peer is a trusted proxy, `X-Forwarded-Host`. As in Express, the first host of a
 * list counts.
 */
export function createHostReader(trustProxy: TrustProxy): HostReader {
  const trust = compileTrust(trustProxy);
  return ({ headers, socket: { remoteAddress = '' } }) => {
    const [forwarded] = String(headers['x-forwarded-host'] ?? '').split(',');
    const hosts = [headers.host, trust(remoteAddress, 0) ? forwarded : undefined];
    return hosts.flatMap((host = '') => (host.trim() === '' ? [] : [host.trim()]));
  };
}
