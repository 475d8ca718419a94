import fc from 'fast-check';
import { nearestPaths } from '../../../../gateway/core/http/error-page.js';

const KNOWN = [
  '/',
  '/docs',
  '/pricing',
  '/chains/bitcoin',
  '/chains/base',
  '/api/v1/summary/bitcoin',
  '/api/v1/status',
];
const nearest = (path: string): string[] => nearestPaths(path, KNOWN, 3);

it.each([
  ['/doc', '/docs'],
  ['/Docs', '/docs'],
  ['/documentation/docs', '/docs'],
  ['/dcos', '/docs'],
  ['/prices', '/pricing'],
  ['/bitcoin', '/chains/bitcoin'],
  ['/chain/bitcon', '/chains/bitcoin'],
  ['/chains/bitcoin.html', '/chains/bitcoin'],
  ['/api/v1/sumary/bitcoin', '/api/v1/summary/bitcoin'],
  ['/api/v2/status', '/api/v1/status'],
])('finds for %s first %s', (path, expected) => {
  expect(nearest(path)[0]).toBe(expected);
});

it.each(['/wp-login.php', '/.env', '/a', '/zzzzzzzzzzzzzz'])('finds nothing like %s', (path) => {
  expect(nearest(path)).toEqual([]);
});

it('returns each known path for itself, and at most as many as asked for', () => {
  for (const path of KNOWN.slice(1)) expect(nearest(path)[0]).toBe(path);
  expect(nearestPaths('/chains/bitcoin', KNOWN, 1)).toHaveLength(1);
});

it('returns only known paths, each once, for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webPath(), fc.string({ unit: 'binary' })), (path) => {
      const found = nearest(path);
      expect(found.filter((each) => !KNOWN.includes(each))).toEqual([]);
      expect(new Set(found).size).toBe(found.length);
    }),
  );
});
