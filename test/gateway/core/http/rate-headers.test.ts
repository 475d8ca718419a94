import { GatewayError } from '../../../../gateway/core/problems.js';
import { toRateHeaders, toRateProblem } from '../../../../gateway/core/http/rate-headers.js';

const OPEN = { allowed: true, limit: 600, remaining: 599, resetSeconds: 42 };
const SPENT = { allowed: false, limit: 120, remaining: 0, resetSeconds: 1 };

it('describes a limit as in the IETF draft for RateLimit headers: quota and window, remaining requests, seconds until the reset', () => {
  expect(toRateHeaders('key', OPEN)).toEqual([
    ['RateLimit', '"key";r=599;t=42'],
    ['RateLimit-Policy', '"key";q=600;w=60'],
  ]);
  expect(toRateHeaders('address', SPENT)).toEqual([
    ['RateLimit', '"address";r=0;t=1'],
    ['RateLimit-Policy', '"address";q=120;w=60'],
  ]);
});

it('describes a request beyond the limit as a problem with the limit and the time to wait', () => {
  const problem = toRateProblem('address', SPENT);
  expect(problem).toBeInstanceOf(GatewayError);
  expect(problem).toMatchObject({
    code: 'rate-limited',
    message: 'The limit is 120 requests per minute for each address without a valid key. Wait 1 s.',
    headers: { 'Retry-After': '1' },
  });
  expect(toRateProblem('credentials', SPENT).message).toBe(
    'The limit is 120 requests per minute for failed credentials of each address. Wait 1 s.',
  );
  expect(toRateProblem('links', SPENT).message).toBe(
    'The limit is 120 requests per minute for links that each address follows. Wait 1 s.',
  );
  expect(toRateProblem('key', { ...OPEN, allowed: false })).toMatchObject({
    message: 'The limit is 600 requests per minute for each key or session. Wait 42 s.',
    headers: { 'Retry-After': '42' },
  });
});
