import ipaddr from 'ipaddr.js';

/** Where every address that cannot be read belongs. */
const UNKNOWN = 'unknown';

/** An IPv4 address, or an IPv6 address in brackets, with a port: some proxies write it so. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\]):\d+$/;

/**
 * The group of addresses that one caller has: an IPv4 address by itself, an IPv6 address with all of its /64 (a customer
 * gets that much at least), whatever the port. An IPv4 address in IPv6 is the IPv4 address; every other text is one group.
 */
export function toAddressGroup(address: string): string {
  const [, v4, v6] = WITH_PORT.exec(address) ?? [];
  const alone = v4 ?? v6 ?? address;
  if (!ipaddr.isValid(alone)) return UNKNOWN;
  const parsed = ipaddr.process(alone);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
