import fc from 'fast-check';
import { createRateLimits } from '../../gateway/io/rate-limits.js';

/** Limits of three a minute for keys and two for addresses, with a clock in the hands of the test. */
function createScene(keyPerMinute = 3, addressPerMinute = 2) {
  const scene = { nowMs: Date.parse('2026-08-20T12:00:00Z') };
  return { scene, limits: createRateLimits({ keyPerMinute, addressPerMinute, now: () => scene.nowMs }) };
}

describe('a caller', () => {
  it('has so many requests in a minute that begins with the first, and is told how many are left until when', () => {
    const { scene, limits } = createScene();
    expect(limits.takeKey('a')).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
    scene.nowMs += 20_500;
    expect(limits.takeKey('a')).toEqual({ allowed: true, limit: 3, remaining: 1, resetSeconds: 40 });
    expect(limits.takeKey('a')).toMatchObject({ allowed: true, remaining: 0 });
    scene.nowMs += 39_499;
    expect(limits.takeKey('a')).toEqual({ allowed: false, limit: 3, remaining: 0, resetSeconds: 1 });
    scene.nowMs += 1;
    expect(limits.takeKey('a')).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 60 });
  });

  it('has them to itself, and as a key apart from an address of the same name', () => {
    const { limits } = createScene(1, 1);
    const taken = [
      limits.takeKey('a'),
      limits.takeKey('b'),
      limits.takeAddress('a'),
      limits.takeAddress('b'),
    ];
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, true]);
    expect([limits.takeKey('a'), limits.takeAddress('b')].map(({ allowed }) => allowed)).toEqual([
      false,
      false,
    ]);
  });

  it('has the next minute whole however often it was refused in the one before', () => {
    const { scene, limits } = createScene();
    for (let i = 0; i < 1000; i += 1) limits.takeKey('a');
    scene.nowMs += 60_000;
    const taken = Array.from({ length: 4 }, () => limits.takeKey('a').allowed);
    expect(taken).toEqual([true, true, true, false]);
  });

  it('never has more than its number in a window, and never less, whenever it calls', () => {
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
            expect(limits.takeKey('a')).toEqual({
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

  it('does not wait longer than a minute when the clock was set back', () => {
    const { scene, limits } = createScene(1);
    limits.takeKey('a');
    scene.nowMs -= 3_600_000;
    expect(limits.takeKey('a')).toMatchObject({ allowed: true, resetSeconds: 60 });
  });
});

describe('an address', () => {
  it('gets back what a caller took who turned out to be known, and nothing that it did not take', () => {
    const { limits } = createScene();
    limits.giveBackAddress('a');
    for (let i = 0; i < 10; i += 1) {
      expect(limits.takeAddress('a')).toMatchObject({ allowed: true, remaining: 1 });
      limits.giveBackAddress('a');
    }
    limits.giveBackAddress('a');
    const taken = Array.from({ length: 3 }, () => limits.takeAddress('a').allowed);
    expect(taken).toEqual([true, true, false]);
  });

  it('may be taken again once what was given back, however many were refused before', () => {
    const { limits } = createScene();
    for (let i = 0; i < 50; i += 1) limits.takeAddress('a');
    limits.giveBackAddress('a');
    const taken = Array.from({ length: 3 }, () => limits.takeAddress('a').allowed);
    expect(taken).toEqual([true, false, false]);
  });
});

it('counts so many callers at a time, and forgets first who was silent longest', () => {
  const { limits } = createScene(1);
  limits.takeKey('first');
  for (let i = 0; i < 99_999; i += 1) limits.takeKey(`k${i}`);
  expect(limits.takeKey('first').allowed).toBe(false);
  limits.takeKey('one more');
  expect([limits.takeKey('k0').allowed, limits.takeKey('first').allowed]).toEqual([true, false]);
});
