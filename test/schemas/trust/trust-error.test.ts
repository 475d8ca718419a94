import { TRUST_PATHS } from '../../../schemas/paths.js';
import { TRUST_FAULTS, TrustError, UNPROVEN } from '../../../schemas/trust/trust-error.js';
import { ATTACKS } from '../../support/trust/vector-site.js';

describe('a fault of verification', () => {
  it('says what failed, and why', () => {
    expect(new TrustError('file-altered', '/docs').message).toMatch(
      /^\/docs does not match its signed digest/,
    );
    expect(new TrustError('keys-expired', 'keys.jws', 'on 2026-03-01').message).toMatch(/\(on 2026-03-01\)$/);
  });

  it('does not say that a site without a key set signs its releases', () => {
    const { keys, timestamp } = TRUST_PATHS;
    expect(new TrustError('release-unsigned', keys).message).toBe(
      `${keys} does not exist: this site does not sign its releases, or the signatures were removed`,
    );
    expect(new TrustError('release-unsigned', timestamp).message).toBe(
      `${timestamp} is missing, but this site signs its releases`,
    );
  });

  it('has an attack in the table, except for a site that does not answer', () => {
    const attacked = new Set(ATTACKS.map(({ fault }) => fault));
    const others = Object.keys(TRUST_FAULTS).filter(
      (code) => !attacked.has(code as keyof typeof TRUST_FAULTS),
    );
    expect(others).toEqual(['unreachable']);
  });

  it('ends a program with 7 if it proves nothing false, otherwise with 8', () => {
    for (const { fault, exit } of ATTACKS)
      expect(exit).toBe(fault === null ? 0 : UNPROVEN.has(fault) ? 7 : 8);
  });
});
