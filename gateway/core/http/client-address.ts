import ipaddr from 'ipaddr.js';

/** Group of all addresses that cannot be parsed. */
const UNKNOWN = 'unknown';

/** An IPv4 address, or an IPv6 address in brackets, followed by a port. Some proxies append the port. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\]):\d+$/;

/**
 * Returns the rate-limit group of an address, ignoring the port: an IPv4 address, or the /64 of an IPv6 address, the
 * smallest block that providers assign to a customer. An IPv4 address mapped to IPv6 counts as IPv4.
 */
export function toAddressGroup(address: string): string {
  const [, v4, v6] = WITH_PORT.exec(address) ?? [];
  const withoutPort = v4 ?? v6 ?? address;
  if (!ipaddr.isValid(withoutPort)) return UNKNOWN;
  const parsed = ipaddr.process(withoutPort);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
