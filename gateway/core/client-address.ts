import ipaddr from 'ipaddr.js';

/** Where every address that cannot be read belongs. */
const UNKNOWN = 'unknown';

/**
 * The group of addresses that one caller has: an IPv4 address by itself, an IPv6 address with all of its /64 (a customer
 * gets that much at least). An IPv4 address in IPv6 is the IPv4 address; every other text is one group.
 */
export function toAddressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
