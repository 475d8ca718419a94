import fc from 'fast-check';
import { createRateLimits } from '../../../../gateway/io/operation/rate-limits.js';

/** Limits of three requests per minute for keys and two for addresses, with a clock that the test controls. */
function createScene(keyPerMinute = 3, addressPerMinute = 2) {
  const scene = { nowMs: Date.parse('2026-08-20T12:00:00Z') };
  return { scene, limits: createRateLimits({ keyPerMinute, addressPerMinute, now: () => scene.nowMs }) };
}

describe('a caller', () => {
  it('has its limit in a minute that starts with the first request, and receives the number of remaining requests and the end of the window', () => {
    const { scene, limits } = createScene();
    expect(limits.consumeKey('a')).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
    scene.nowMs += 20_500;
    expect(limits.consumeKey('a')).toEqual({ allowed: true, limit: 3, remaining: 1, resetSeconds: 40 });
    expect(limits.consumeKey('a')).toMatchObject({ allowed: true, remaining: 0 });
    scene.nowMs += 39_499;
    expect(limits.consumeKey('a')).toEqual({ allowed: false, limit: 3, remaining: 0, resetSeconds: 1 });
    scene.nowMs += 1;
    expect(limits.consumeKey('a')).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
  });

  it('has its own limit, as a key and as an address of the same name', () => {
    const { limits } = createScene(1, 1);
    const taken = [
      limits.consumeKey('a'),
      limits.consumeKey('b'),
      limits.consumeAddress('a', 'address'),
      limits.consumeAddress('b', 'address'),
    ];
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, true]);
    expect(
      [limits.consumeKey('a'), limits.consumeAddress('b', 'address')].map(({ allowed }) => allowed),
    ).toEqual([false, false]);
  });

  it('has its full limit in the next minute, regardless of earlier rejections', () => {
    const { scene, limits } = createScene();
    for (let i = 0; i < 1000; i += 1) limits.consumeKey('a');
    scene.nowMs += 60_000;
    const taken = Array.from({ length: 4 }, () => limits.consumeKey('a').allowed);
    expect(taken).toEqual([true, true, true, false]);
  });

  it('has exactly its limit in each window, at any times', () => {
    const step = fc.record({ ms: fc.nat(70_000), times: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (steps, limit) => {
        const { scene, limits } = createScene(limit);
        let window = { endMs: -Infinity, count: 0 };
        for (const { ms, times } of steps) {
          scene.nowMs += ms;
          for (let i = 0; i < times; i += 1) {
            if (scene.nowMs >= window.endMs) window = { endMs: scene.nowMs + 60_000, count: 0 };
            window.count += 1;
            expect(limits.consumeKey('a')).toEqual({
              allowed: window.count <= limit,
              limit,
              remaining: Math.max(0, limit - window.count),
              resetSeconds: Math.ceil((window.endMs - scene.nowMs) / 1000),
            });
          }
        }
      }),
    );
  });

  it('does not wait longer than a minute after the clock was set back', () => {
    const { scene, limits } = createScene(1);
    limits.consumeKey('a');
    scene.nowMs -= 3_600_000;
    expect(limits.consumeKey('a')).toMatchObject({ allowed: true, resetSeconds: 60 });
  });
});

describe('an account', () => {
  it('has the limit of five keys in a minute, apart from its keys', () => {
    const { scene, limits } = createScene(3);
    for (let i = 0; i < 15; i += 1) {
      expect(limits.consumeAccount('a')).toMatchObject({ allowed: true, limit: 15, remaining: 14 - i });
    }
    expect(limits.consumeAccount('a')).toMatchObject({ allowed: false, resetSeconds: 60 });
    expect([limits.consumeAccount('b').allowed, limits.consumeKey('a').allowed]).toEqual([true, true]);
    scene.nowMs += 60_000;
    expect(limits.consumeAccount('a').allowed).toBe(true);
  });
});

describe('an address', () => {
  it('has separate limits for requests without a credential, failed credentials and links', () => {
    const { limits } = createScene(3, 1);
    const policies = ['address', 'credentials', 'links'] as const;
    const take = (): boolean[] => policies.map((policy) => limits.consumeAddress('a', policy).allowed);
    expect([take(), take()]).toEqual([
      [true, true, true],
      [false, false, true],
    ]);
    limits.refundAddress('a', 'credentials');
    expect(take()).toEqual([false, true, true]);
  });

  it('gets back the requests that are refunded, and no more', () => {
    const { limits } = createScene();
    limits.refundAddress('a', 'address');
    for (let i = 0; i < 10; i += 1) {
      expect(limits.consumeAddress('a', 'address')).toMatchObject({ allowed: true, remaining: 1 });
      limits.refundAddress('a', 'address');
    }
    limits.refundAddress('a', 'address');
    const taken = Array.from({ length: 3 }, () => limits.consumeAddress('a', 'address').allowed);
    expect(taken).toEqual([true, true, false]);
  });

  it('can use a refunded request once, regardless of earlier rejections', () => {
    const { limits } = createScene();
    for (let i = 0; i < 50; i += 1) limits.consumeAddress('a', 'address');
    limits.refundAddress('a', 'address');
    const taken = Array.from({ length: 3 }, () => limits.consumeAddress('a', 'address').allowed);
    expect(taken).toEqual([true, false, false]);
  });
});

it('RateLimits counts a limited number of callers, and forgets the least recently active one first', () => {
  const { limits } = createScene(1);
  limits.consumeKey('first');
  for (let i = 0; i < 99_999; i += 1) limits.consumeKey(`k${i}`);
  expect(limits.consumeKey('first').allowed).toBe(false);
  limits.consumeKey('one more');
  expect([limits.consumeKey('k0').allowed, limits.consumeKey('first').allowed]).toEqual([true, false]);
});
