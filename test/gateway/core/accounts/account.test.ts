import fc from 'fast-check';
import { isActive } from '../../../../gateway/core/access/entitlements.js';
import {
  ACTIVE_KEYS,
  addKey,
  assertBelowDailyCap,
  createAccount,
  describeKeys,
  findExpiredKeys,
  findKey,
  grantsOf,
  isAccountId,
  isLabel,
  KEYS_PER_DAY,
  LISTED_KEYS,
  putGrant,
  removeKeys,
  revokeKey,
  TOMBSTONE_DAYS,
} from '../../../../gateway/core/accounts/account.js';
import type { Account, AccountKey, ManualGrant } from '../../../../schemas/types.generated.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';
import { anyText } from '../../../support/random/any-text.js';

const key = (minute: number): AccountKey => ({
  label: null,
  created_at: `2026-08-20T00:${String(minute).padStart(2, '0')}:00Z`,
  revoked_at: null,
});
const idOf = (n: number): string => `key${String(n).padStart(5, '0')}`;
const at = (second: number): string => `2026-08-20T01:00:${String(second).padStart(2, '0')}Z`;

describe('an account id', () => {
  it.each(['a', 'auth0|5f7c', 'Jürgen Müller <j@example.org>', 'x'.repeat(255), 'é'.repeat(127)])(
    'can be %j',
    (id) => {
      expect(isAccountId(id)).toBe(true);
      expect(findSchemaFaults('account', createAccount(id))).toEqual([]);
    },
  );

  it.each(['', 'x'.repeat(256), 'é'.repeat(128), 'a\nb', '\u0000', 'a\u200bb', '\ud800', 'a\u2028'])(
    'cannot be %j',
    (id) => expect(isAccountId(id)).toBe(false),
  );
});

describe('a label', () => {
  it('is valid exactly when its schema says so', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 70 }), (label) => {
        const account = { ...createAccount('a'), keys: { Example1: { ...key(0), label } } };
        expect(isLabel(label)).toBe(findSchemaFaults('account', account).length === 0);
      }),
    );
  });

  it.each(['x'.repeat(64), '\u{1f600}'.repeat(64), ' a '])('can be %j', (label) => {
    expect(isLabel(label)).toBe(true);
  });

  it.each(['', ' ', 'x'.repeat(65), 'red \u001b[31m', 'two\nlines'])('cannot be %j', (label) => {
    expect(isLabel(label)).toBe(false);
  });
});

describe('the keys of an account', () => {
  const full = Array.from({ length: ACTIVE_KEYS }, (_, n) => n).reduce<Account>(
    (account, n) => addKey(account, idOf(n), key(n)),
    createAccount('a'),
  );

  it('are limited to five, not counting revoked ones', () => {
    expect(() => addKey(full, idOf(5), key(5))).toThrow(
      expect.objectContaining({ code: 'key-limit-reached' }),
    );
    const room = revokeKey(full, idOf(2), at(0));
    expect(Object.keys(addKey(room, idOf(5), key(5)).keys)).toHaveLength(6);
  });

  it('are not added twice, not even at the limit', () => {
    expect(addKey(full, idOf(4), key(9))).toBe(full);
  });

  it('are not revoked twice', () => {
    const revoked = revokeKey(full, idOf(2), at(0));
    expect(findKey(revoked, idOf(2))?.revoked_at).toBe(at(0));
    expect(revokeKey(revoked, idOf(2), at(1))).toBe(revoked);
  });

  it.each(['Example1', 'toString', 'valueOf', '__proto__', ''])(
    'are not found under the id %j, which was not added',
    (id) => {
      expect(findKey(full, id)).toBeUndefined();
      expect(() => revokeKey(full, id, at(0))).toThrow(expect.objectContaining({ code: 'not-found' }));
    },
  );

  it('can have an id that is a member of Object.prototype, such as toString', () => {
    const account = addKey(createAccount('a'), 'toString', key(0));
    expect(findKey(account, 'toString')).toEqual(key(0));
    expect(findSchemaFaults('account', account)).toEqual([]);
  });

  const withoutExpired = (account: Account, nowMs: number): Account =>
    removeKeys(account, findExpiredKeys(account, nowMs));

  it('drop the oldest revoked ones when there are too many, and never an active one', () => {
    let account = addKey(createAccount('a'), 'active00', key(0));
    for (let n = 0; n < 50; n += 1) {
      account = withoutExpired(addKey(account, idOf(n), key(n)), Date.parse(at(n)));
      account = withoutExpired(revokeKey(account, idOf(n), at(n)), Date.parse(at(n)));
    }
    const listed = Object.keys(account.keys);
    expect(listed).toHaveLength(LISTED_KEYS);
    expect(listed).toEqual(['active00', ...Array.from({ length: 24 }, (_, i) => idOf(26 + i))]);
  });

  it('drop revoked ones ninety days after their revocation, and never an active one', () => {
    const account = revokeKey(
      addKey(addKey(createAccount('a'), idOf(0), key(0)), idOf(1), key(1)),
      idOf(0),
      at(0),
    );
    const expiryMs = Date.parse(at(0)) + TOMBSTONE_DAYS * 86_400_000;
    expect(withoutExpired(account, expiryMs - 1)).toBe(account);
    expect(Object.keys(withoutExpired(account, expiryMs).keys)).toEqual([idOf(1)]);
    expect(Object.keys(withoutExpired(account, expiryMs * 2).keys)).toEqual([idOf(1)]);
  });

  it('never expire while the instant of their revocation cannot be parsed', () => {
    const account = revokeKey(addKey(createAccount('a'), idOf(0), key(0)), idOf(0), '2016-12-31T23:59:60Z');
    expect(findExpiredKeys(account, Date.parse('2099-01-01T00:00:00Z'))).toEqual([]);
  });

  describe('created within 24 hours', () => {
    const startMs = Date.parse('2026-08-20T00:00:00Z');
    /** An account that created a key per minute, and revoked each. */
    const looped = Array.from({ length: KEYS_PER_DAY }, (_, n) => n).reduce<Account>(
      (account, n) => revokeKey(addKey(account, idOf(n), key(n)), idOf(n), at(n)),
      createAccount('a'),
    );

    it('are limited to twenty, including revoked ones, until the first is a day old', () => {
      const nowMs = startMs + 3_600_000;
      expect(() => assertBelowDailyCap(looped, nowMs)).toThrow(
        expect.objectContaining({
          code: 'rate-limited',
          message: 'An account can create 20 keys within 24 hours. Wait 82800 s.',
          headers: { 'Retry-After': '82800' },
        }),
      );
      expect(() => assertBelowDailyCap(looped, startMs + 86_399_999)).toThrow('Wait 1 s.');
      expect(() => assertBelowDailyCap(looped, startMs + 86_400_000)).not.toThrow();
    });

    it('have room while there are fewer', () => {
      const { [idOf(0)]: _, ...keys } = looped.keys;
      expect(() => assertBelowDailyCap({ ...looped, keys }, startMs + 3_600_000)).not.toThrow();
    });

    it('are refused with the time until there is room, also if there are more than twenty', () => {
      const more = addKey(looped, 'operator', key(30));
      expect(() => assertBelowDailyCap(more, startMs + 3_600_000)).toThrow('Wait 82860 s.');
    });

    it('are counted exactly, even if older keys were revoked after them', () => {
      let account = createAccount('a');
      const early = Array.from({ length: 4 }, (_, n) => `early00${n}`);
      for (const id of early)
        account = addKey(account, id, { ...key(0), created_at: '2026-08-01T00:00:00Z' });
      for (let n = 0; n < KEYS_PER_DAY; n += 1) {
        expect(() => assertBelowDailyCap(account, startMs + n * 60_000)).not.toThrow();
        account = revokeKey(addKey(account, idOf(n), key(n)), idOf(n), '2026-08-20T00:20:00Z');
      }
      for (const id of early) account = revokeKey(account, id, '2026-08-20T00:30:00Z');
      for (const id of ['another1', 'another2']) account = addKey(account, id, key(40));
      expect(findExpiredKeys(account, startMs + 3_600_000)).toEqual(['early000']);
      account = withoutExpired(account, startMs + 3_600_000);
      expect(() => assertBelowDailyCap(account, startMs + 3_600_000)).toThrow('20 keys within 24 hours');
      expect(Object.keys(account.keys)).toHaveLength(LISTED_KEYS);
      expect(findKey(account, idOf(0))).toBeDefined();
    });
  });

  it('are described oldest first, with their last day of use', () => {
    const account = addKey(addKey(createAccount('a'), 'newer000', key(2)), 'older000', key(1));
    expect(describeKeys(account, new Map([['newer000', '2026-08-21']]))).toEqual([
      { id: 'older000', ...key(1), last_used: null },
      { id: 'newer000', ...key(2), last_used: '2026-08-21' },
    ]);
  });
});

describe('the grants of an account', () => {
  const grant: ManualGrant = {
    plan: 'single-chain',
    chain: 'base',
    since: '2026-08-20T00:00:00Z',
    until: '2026-09-01T00:00:00Z',
    reason: 'trial',
    origin: 'manual',
  };

  it('are replaced by a grant of the same plan and chain', () => {
    const others: ManualGrant[] = [
      { ...grant, chain: 'bitcoin' },
      { ...grant, plan: 'research', chain: null },
    ];
    const account = [grant, ...others].reduce(putGrant, createAccount('a'));
    const longer = { ...grant, until: '2027-01-01T00:00:00Z' };
    expect(putGrant(account, longer).grants).toEqual([longer, ...others]);
  });

  it('are never active if an instant cannot be parsed', () => {
    // The format date-time of the schema allows leap seconds.
    const account = putGrant(createAccount('a'), { ...grant, since: '2016-12-31T23:59:60Z' });
    expect(findSchemaFaults('account', account)).toEqual([]);
    const grants = grantsOf(account);
    expect(grants).toMatchObject([{ sinceMs: Number.NaN }]);
    for (const nowMs of [0, Date.parse('2016-12-31T23:59:59Z'), Date.parse('2017-01-02T00:00:00Z')]) {
      expect(grants.some((each) => isActive(each, nowMs))).toBe(false);
    }
  });
});
