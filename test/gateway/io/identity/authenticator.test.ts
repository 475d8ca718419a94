import { createApiKey } from '../../../../gateway/core/access/api-key.js';
import { GatewayError } from '../../../../gateway/core/problems.js';
import { createFakeAccounts, SLOW_MS, type FakeAccounts } from '../../../support/gateway/fake-accounts.js';
import { withFakeTimers } from '../../../support/jest/fake-timers.js';
import { createRandom } from '../../../support/random/seeded.js';

/** Creates fake accounts with a clock that the test controls. */
function createScene(): { readonly fake: FakeAccounts; readonly pass: (ms: number) => void } {
  let nowMs = Date.parse('2026-08-20T12:00:00Z');
  return { fake: createFakeAccounts(() => nowMs), pass: (ms) => (nowMs += ms) };
}

const random = createRandom(7);
const newKey = (mode: 'live' | 'test' = 'test') =>
  createApiKey(mode, (size) => Uint8Array.from({ length: size }, () => random() * 256));
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Returns the account of a caller, or the code of the problem. */
async function outcomeOf(work: Promise<{ readonly account: string }>): Promise<unknown> {
  return work.then(
    ({ account }) => account,
    (error: unknown) => (error instanceof GatewayError ? error.code : error),
  );
}
const authenticate = ({ authenticator }: FakeAccounts, text: string): Promise<unknown> =>
  outcomeOf(authenticator.authenticate(text));

describe('a key', () => {
  it('returns its account and grants, and after the first time without waiting', async () => {
    const { fake } = createScene();
    const { text, id } = fake.createKey('a');
    fake.grant('a');
    expect(fake.authenticator.peek(text)).toBeUndefined();
    const caller = await fake.authenticator.authenticate(text);
    expect(caller).toMatchObject({ account: 'a', keyId: id, grants: [{ plan: 'research' }] });
    expect(fake.authenticator.peek(text)).toEqual(caller);
    await fake.authenticator.authenticate(text);
    expect(fake.asked).toEqual([`key ${id}`, 'account a']);
  });

  it('with a wrong form, checksum or mode is rejected without reading the store', async () => {
    const { fake } = createScene();
    const { text } = fake.createKey('a');
    const last = text.endsWith('0') ? '1' : '0';
    const wrong = [
      '',
      'x',
      text.slice(0, -1),
      `${text}0`,
      text.slice(0, -1) + last,
      ` ${text}`,
      `${text},${text}`,
    ];
    for (const each of [...wrong, newKey('live').text, text.replace('test', 'live'), text.toUpperCase()]) {
      expect(await authenticate(fake, each)).toBe('api-key-invalid');
      expect(fake.authenticator.peek(each)).toBeUndefined();
    }
    expect(fake.asked).toEqual([]);
  });

  it('is rejected with the same problem, regardless of what is wrong with it', async () => {
    const { fake } = createScene();
    const revoked = fake.createKey('a');
    fake.revoke('a', revoked.id);
    const other = fake.createKey('a');
    fake.replaceRecord(other.id, newKey().text);
    const refusals = await Promise.all(
      ['x', newKey().text, newKey('live').text, revoked.text, other.text].map((text) =>
        fake.authenticator.authenticate(text).catch((error: unknown) => error),
      ),
    );
    const [first] = refusals;
    expect(first).toMatchObject({
      code: 'api-key-invalid',
      headers: { 'WWW-Authenticate': 'Bearer realm="files", error="invalid_token"' },
    });
    for (const each of refusals) {
      expect(JSON.stringify(each, ['code', 'message', 'detail', 'headers'])).toBe(
        JSON.stringify(first, ['code', 'message', 'detail', 'headers']),
      );
    }
  });

  it('with the wrong secret for its id is rejected, before and after the right one was accepted', async () => {
    const { fake } = createScene();
    const { text, id } = fake.createKey('a');
    const forged = createKeyOfId(id);
    expect(forged).not.toBe(text);
    expect(await authenticate(fake, forged)).toBe('api-key-invalid');
    expect(await authenticate(fake, text)).toBe('a');
    expect(fake.authenticator.peek(forged)).toBeUndefined();
    expect(await authenticate(fake, forged)).toBe('api-key-invalid');
  });

  it('that does not exist is read once in thirty seconds', async () => {
    const { fake, pass } = createScene();
    const { text, id } = newKey();
    for (let second = 0; second < 90; second += 1) {
      expect(await authenticate(fake, text)).toBe('api-key-invalid');
      pass(1_000);
    }
    expect(fake.asked).toEqual([`key ${id}`, `key ${id}`, `key ${id}`]);
  });

  it('is read once for concurrent requests, and so is its account', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    const unknown = newKey();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(fake, text)));
    expect(fake.asked).toEqual([`key ${id}`, 'account a']);
    pass(31_000);
    await Promise.all(Array.from({ length: 50 }, () => authenticate(fake, text)));
    expect(fake.asked.slice(2)).toEqual(['account a']);
    await Promise.all(Array.from({ length: 50 }, () => authenticate(fake, unknown.text)));
    expect(fake.asked.slice(3)).toEqual([`key ${unknown.id}`]);
  });

  it('works at once, even if its account was read just before its creation', async () => {
    const { fake, pass } = createScene();
    const first = fake.createKey('a');
    await authenticate(fake, first.text);
    pass(1_000);
    const second = fake.createKey('a');
    expect(await authenticate(fake, second.text)).toBe('a');
  });

  it('that was revoked causes at most one read of its account per second', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    fake.revoke('a', id);
    for (let tenth = 0; tenth < 50; tenth += 1) {
      expect(await authenticate(fake, text)).toBe('api-key-invalid');
      pass(100);
    }
    expect(fake.asked.filter((each) => each === 'account a')).toHaveLength(5);
  });
});

/** Creates another well-formed key with the same id. */
function createKeyOfId(id: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const bytes = Array.from(id, (digit) => digits.indexOf(digit));
  return createApiKey('test', (size) => Uint8Array.from({ length: size }, (_, i) => bytes[i] ?? 5)).text;
}

describe('an account', () => {
  it('is refreshed in the background when it is twenty seconds old', async () => {
    const { fake, pass } = createScene();
    const { text } = fake.createKey('a');
    await authenticate(fake, text);
    pass(19_999);
    expect(fake.authenticator.peek(text)).toBeDefined();
    expect(fake.asked).toHaveLength(2);
    pass(1);
    fake.grant('a');
    expect(fake.authenticator.peek(text)?.grants).toEqual([]);
    fake.authenticator.peek(text);
    await settle();
    expect(fake.asked.slice(2)).toEqual(['account a']);
    expect(fake.authenticator.peek(text)?.grants).toHaveLength(1);
  });

  it('is used for thirty seconds from the start of its read, and no longer', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    await authenticate(fake, text);
    fake.revoke('a', id);
    pass(29_999);
    expect(await authenticate(fake, text)).toBe('a');
    pass(1);
    expect(fake.authenticator.peek(text)).toBeUndefined();
    expect(await authenticate(fake, text)).toBe('api-key-invalid');
  });

  it('is not used after the clock was set back', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    const unknown = newKey();
    await authenticate(fake, text);
    await authenticate(fake, unknown.text);
    fake.revoke('a', id);
    pass(-3_600_000);
    expect(fake.authenticator.peek(text)).toBeUndefined();
    expect(await authenticate(fake, text)).toBe('api-key-invalid');
    await authenticate(fake, unknown.text);
    expect(fake.asked.filter((each) => each === `key ${unknown.id}`)).toHaveLength(2);
  });

  it('is read again for a refused request at most once per second, also while the store is down', async () => {
    const { fake, pass } = createScene();
    const { text } = fake.createKey('a');
    const caller = await fake.authenticator.authenticate(text);
    const readings = (): number => fake.asked.filter((each) => each === 'account a').length;
    expect((await fake.authenticator.refresh(caller)).grants).toEqual([]);
    expect(readings()).toBe(1);
    fake.grant('a');
    pass(1_000);
    expect((await fake.authenticator.refresh(caller)).grants).toHaveLength(1);
    for (const state of ['up', 'failing'] as const) {
      fake.state = state;
      const before = readings();
      for (let tenth = 0; tenth < 100; tenth += 1) {
        pass(100);
        await fake.authenticator.refresh(caller);
      }
      expect(readings() - before).toBe(10);
    }
  });

  it('rejects a key that was revoked when it is read again', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    const caller = await fake.authenticator.authenticate(text);
    fake.revoke('a', id);
    pass(1_000);
    expect(await outcomeOf(fake.authenticator.refresh(caller))).toBe('api-key-invalid');
    expect(fake.authenticator.peek(text)).toBeUndefined();
  });
});

describe('a key that this process revoked', () => {
  it('is refused at once although its account is cached, and the other keys of the account are not', async () => {
    const { fake } = createScene();
    const [revoked, other] = [fake.createKey('a'), fake.createKey('a')];
    const caller = await fake.authenticator.authenticate(revoked.text);
    await authenticate(fake, other.text);
    fake.revoke('a', revoked.id);
    fake.authenticator.refuse(revoked.id);
    expect(fake.authenticator.peek(revoked.text)).toBeUndefined();
    expect(await authenticate(fake, revoked.text)).toBe('api-key-invalid');
    expect(await outcomeOf(fake.authenticator.refresh(caller))).toBe('api-key-invalid');
    expect(fake.authenticator.peek(other.text)?.account).toBe('a');
  });

  it('is refused although a read of its account was in progress when it was revoked', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    await authenticate(fake, text);
    pass(20_000);
    expect(fake.authenticator.peek(text)?.account).toBe('a'); // starts a read, which finds the key active
    fake.revoke('a', id);
    fake.authenticator.refuse(id);
    await settle();
    expect(fake.authenticator.peek(text)).toBeUndefined();
    expect(await authenticate(fake, text)).toBe('api-key-invalid');
  });

  it('is refused although its first use was in progress when it was revoked', async () => {
    const { fake } = createScene();
    const { text, id } = fake.createKey('a');
    const outcome = authenticate(fake, text);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (!fake.asked.includes('account a')) await turn();
    fake.revoke('a', id);
    fake.authenticator.refuse(id);
    expect(await outcome).toBe('api-key-invalid');
  });

  it('is refused while the accounts store is down', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    await authenticate(fake, text);
    fake.revoke('a', id);
    fake.authenticator.refuse(id);
    fake.state = 'failing';
    for (const ms of [0, 60_000, 300_000]) {
      pass(ms);
      expect(fake.authenticator.peek(text)).toBeUndefined();
      expect(await authenticate(fake, text)).toBe('api-key-invalid');
    }
  });
});

describe('while the accounts store is down', () => {
  it.each(['failing', 'hanging'] as const)(
    'a busy key is accepted for ten minutes without waiting: %s',
    (state) =>
      withFakeTimers(async (advance) => {
        const fake = createFakeAccounts(() => Date.now());
        const { text } = fake.createKey('a');
        const started = fake.authenticator.authenticate(text);
        await settle();
        await started;
        fake.state = state;
        const beganMs = Date.now();
        while (Date.now() < beganMs + 599_000) {
          expect(fake.authenticator.peek(text)?.account).toBe('a');
          await advance(1_900);
        }
        expect(fake.asked.length).toBeLessThan(600 / 5);
        expect(fake.isReachable()).toBe(false);
        await advance(2_000);
        expect(fake.authenticator.peek(text)).toBeUndefined();
      }),
  );

  it('a revoked key is accepted until nine seconds after the last failure at most', async () => {
    const { fake, pass } = createScene();
    const { text, id } = fake.createKey('a');
    await authenticate(fake, text);
    fake.state = 'failing';
    pass(60_000);
    expect(await authenticate(fake, text)).toBe('a');
    fake.revoke('a', id);
    fake.state = 'up';
    pass(9_000);
    expect(fake.authenticator.peek(text)).toBeUndefined();
    expect(await authenticate(fake, text)).toBe('api-key-invalid');
  });

  it('no request waits longer than two seconds for a store that hangs', () =>
    withFakeTimers(async (advance) => {
      const fake = createFakeAccounts(() => Date.now());
      const { text } = fake.createKey('a');
      const known = fake.authenticator.authenticate(text);
      await settle();
      await known;
      fake.state = 'hanging';
      await advance(60_000);
      const outcomes = [authenticate(fake, text), authenticate(fake, newKey().text)];
      await advance(2_000);
      expect(await Promise.all(outcomes)).toEqual(['a', 'store-unavailable']);
      expect(fake.errors).toHaveLength(2);
    }));

  it('requests wait for a slow store', () =>
    withFakeTimers(async (advance) => {
      const fake = createFakeAccounts(() => Date.now());
      fake.state = 'slow';
      const outcome = authenticate(fake, fake.createKey('a').text);
      for (let i = 0; i < 2; i += 1) {
        await advance(SLOW_MS);
        await settle();
      }
      expect(await outcome).toBe('a');
    }));

  it('an unknown key gets store-unavailable instead of api-key-invalid', async () => {
    const { fake, pass } = createScene();
    const { text } = fake.createKey('a');
    fake.state = 'failing';
    expect(await authenticate(fake, text)).toBe('store-unavailable');
    expect([fake.isReachable(), fake.errors.length]).toEqual([false, 1]);
    fake.state = 'up';
    expect(await authenticate(fake, text)).toBe('a');
    expect(fake.isReachable()).toBe(true);
    fake.state = 'failing';
    pass(600_000);
    expect(await authenticate(fake, text)).toBe('store-unavailable');
  });
});

it('remembers a limited number of keys that do not exist', async () => {
  const { fake } = createScene();
  const keys = Array.from({ length: 10_050 }, () => newKey());
  for (const { text } of keys) await authenticate(fake, text);
  fake.asked.length = 0;
  await authenticate(fake, keys[0]?.text ?? '');
  await authenticate(fake, keys.at(-1)?.text ?? '');
  expect(fake.asked).toEqual([`key ${keys[0]?.id ?? ''}`]);
});
