import fc from 'fast-check';
import { createAccount } from '../../../../gateway/core/accounts/account.js';
import {
  describeKeyFates,
  mergeAccount,
  restoreAccount,
} from '../../../../gateway/core/accounts/merge-account.js';
import type { Account, AccountKey, ManualGrant } from '../../../../schemas/types.generated.js';

const NOW = '2026-08-20T12:00:00Z';
const EARLIER = '2026-08-01T00:00:00Z';
const NONE: ReadonlySet<string> = new Set();

const key = (revokedAt: string | null = null): AccountKey => ({
  label: null,
  created_at: '2026-07-01T00:00:00Z',
  revoked_at: revokedAt,
});
const accountOf = (keys: Record<string, AccountKey>): Account => ({ ...createAccount('acme'), keys });
const revokedOf = ({ keys }: Account): Record<string, string | null> =>
  Object.fromEntries(Object.entries(keys).map(([id, { revoked_at: at }]) => [id, at]));

describe('merging an account of a backup', () => {
  it('keeps a key revoked that either of them has as revoked', () => {
    const current = accountOf({ Inbackup: key(), Inaccnt1: key(NOW), Inboth01: key(NOW), Active01: key() });
    const saved = accountOf({
      Inbackup: key(EARLIER),
      Inaccnt1: key(),
      Inboth01: key(EARLIER),
      Active01: key(),
    });
    const merged = mergeAccount(current, saved, { revokedAt: NOW });
    expect(revokedOf(merged)).toEqual({ Inbackup: EARLIER, Inaccnt1: NOW, Inboth01: NOW, Active01: null });
    const fates = describeKeyFates({ before: current, after: merged, saved }, NONE);
    expect(Object.fromEntries(fates)).toEqual({
      Inbackup: 'revoked',
      Inaccnt1: 'kept',
      Inboth01: 'kept',
      Active01: 'kept',
    });
  });

  it('adds a key that the account does not list as revoked, also one that is named like a member of objects', () => {
    const saved = accountOf({ toString: key(), Oldkey01: key(EARLIER) });
    const merged = mergeAccount(accountOf({ Newkey01: key() }), saved, { revokedAt: NOW });
    expect(revokedOf(merged)).toEqual({ Newkey01: null, toString: NOW, Oldkey01: EARLIER });
  });

  it('keeps the grants of the account and adds those that it does not have', () => {
    const grant = (plan: ManualGrant['plan'], until: string): ManualGrant => ({
      ...{ plan, chain: plan === 'research' ? null : 'base', since: EARLIER, until },
      ...{ reason: 'invoice', origin: 'manual' },
    });
    const ended = grant('research', EARLIER);
    const current = { ...accountOf({}), grants: [ended] };
    const saved = { ...accountOf({}), grants: [grant('research', NOW), grant('single-chain', NOW)] };
    const { grants } = mergeAccount(current, saved, { revokedAt: NOW });
    expect(grants).toEqual([ended, grant('single-chain', NOW)]);
  });

  const anyAccount = fc
    .dictionary(
      fc.constantFrom('Key00001', 'Key00002', 'Key00003', 'Key00004'),
      fc.constantFrom(null, EARLIER),
    )
    .map((keys) => accountOf(Object.fromEntries(Object.entries(keys).map(([id, at]) => [id, key(at)]))));

  it('changes nothing the second time, and makes no key active', () => {
    fc.assert(
      fc.property(anyAccount, anyAccount, (current, saved) => {
        const merged = mergeAccount(current, saved, { revokedAt: NOW });
        expect(mergeAccount(merged, saved, { revokedAt: 'later' })).toBe(merged);
        for (const [id, { revoked_at: at }] of Object.entries(merged.keys))
          expect(at === null && current.keys[id]?.revoked_at !== null).toBe(false);
        expect(Object.keys(merged.keys)).toEqual(expect.arrayContaining(Object.keys(current.keys)));
      }),
    );
  });
});

describe('restoring an account of a backup', () => {
  const saved = accountOf({ Active01: key(), Revoked1: key(EARLIER), Taken001: key() });

  it('creates it as it was, except keys whose id belongs to another key', () => {
    const takenIds = new Set(['Taken001']);
    const after = restoreAccount(saved, { revokedAt: NOW, takenIds, revokesKeys: false });
    expect(revokedOf(after)).toEqual({ Active01: null, Revoked1: EARLIER, Taken001: NOW });
    const fates = describeKeyFates({ before: undefined, after, saved }, takenIds);
    expect(Object.fromEntries(fates)).toEqual({
      Active01: 'created',
      Revoked1: 'created',
      Taken001: 'skipped',
    });
  });

  it('revokes all its keys if asked to', () => {
    const after = restoreAccount(saved, { revokedAt: NOW, takenIds: NONE, revokesKeys: true });
    expect(revokedOf(after)).toEqual({ Active01: NOW, Revoked1: EARLIER, Taken001: NOW });
  });
});
