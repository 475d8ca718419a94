import fc from 'fast-check';
import { toAddressGroup } from '../../../gateway/http/address-limit.js';
import { anyText } from '../../support/random/any-text.js';

describe('toAddressGroup', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::2%1', 'fe80:0:0:0::/64'],
  ])('returns for %s the group %s', (address, group) => {
    expect(toAddressGroup(address)).toBe(group);
  });

  it.each([
    '',
    'unknown',
    'localhost',
    '192.0.2.256',
    '192.0.2.7:',
    '192.0.2.777:443',
    '2001:db8::1:443:',
    '[::1]',
    '::1::2',
    '2001:db8::g',
    ' ',
    '\0',
  ])('returns the same group for all invalid addresses: %j', (text) => {
    expect(toAddressGroup(text)).toBe('unknown');
  });

  it.each([
    ['192.0.2.7:443', '192.0.2.7'],
    ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['[::ffff:192.0.2.7]:65535', '192.0.2.7'],
  ])('ignores a port: %s', (text, group) => {
    expect(toAddressGroup(text)).toBe(group);
  });

  it('returns the same group within a /64 and different groups outside', () => {
    const parts = (length: number) => fc.array(fc.nat(0xffff), { minLength: length, maxLength: length });
    const text = (groups: readonly number[]): string => groups.map((part) => part.toString(16)).join(':');
    fc.assert(
      fc.property(parts(3), parts(4), parts(4), fc.nat(3), (generated, one, other, at) => {
        const network = [0x2001, ...generated]; // not an IPv4-mapped address
        const group = toAddressGroup(text([...network, ...one]));
        expect(toAddressGroup(text([...network, ...other]))).toBe(group);
        const next = network.map((part, i) => (i === at ? part ^ 2 : part));
        expect(toAddressGroup(text([...next, ...one]))).not.toBe(group);
      }),
    );
  });

  it('returns a short text for any input', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        expect(toAddressGroup(text).length).toBeLessThan(30);
      }),
    );
  });
});
