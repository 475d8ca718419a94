import { createHash } from 'node:crypto';
import { sha256 } from '../../../../templates/browser/verify/sha256.js';

it('returns the digest of exactly these bytes, in lowercase hex', async () => {
  const all = new TextEncoder().encode('--abc--');
  const hex = createHash('sha256').update('abc').digest('hex');
  expect(await sha256(all.subarray(2, 5))).toBe(hex);
});
