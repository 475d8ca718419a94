import { GatewayError } from '../../gateway/core/problems.js';
import { toRateHeaders, toRateProblem } from '../../gateway/core/rate-headers.js';

const OPEN = { allowed: true, limit: 600, remaining: 599, resetSeconds: 42 };
const SPENT = { allowed: false, limit: 120, remaining: 0, resetSeconds: 1 };

it('a limit is told as the draft has it: quota and window, what remains and until when', () => {
  expect(toRateHeaders('key', OPEN)).toEqual([
    'RateLimit',
    '"key";r=599;t=42',
    'RateLimit-Policy',
    '"key";q=600;w=60',
  ]);
  expect(toRateHeaders('address', SPENT)).toEqual([
    'RateLimit',
    '"address";r=0;t=1',
    'RateLimit-Policy',
    '"address";q=120;w=60',
  ]);
});

it('one request too many is a problem that says whose limit it is and how long to wait', () => {
  const problem = toRateProblem('address', SPENT);
  expect(problem).toBeInstanceOf(GatewayError);
  expect(problem).toMatchObject({
    code: 'rate-limited',
    message: 'calls of this address without a valid key may make 120 requests a minute; wait 1 s',
    headers: { 'Retry-After': '1' },
  });
  expect(toRateProblem('key', { ...OPEN, allowed: false })).toMatchObject({
    message: 'this key or session may make 600 requests a minute; wait 42 s',
    headers: { 'Retry-After': '42' },
  });
});
