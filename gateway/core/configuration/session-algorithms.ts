/**
 * Algorithms of session tokens. Only asymmetric signatures (RFC 7518 §3.1, RFC 8037, RFC 9864): a public key must never
 * be accepted as a shared secret. EdDSA and Ed25519 are two names of one algorithm for keys of the curve Ed25519.
 */
export const SESSION_ALGORITHMS: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

const OTHER_NAMES = new Map([
  ['EdDSA', 'Ed25519'],
  ['Ed25519', 'EdDSA'],
]);

/** Returns the other name of an algorithm that has two. */
export function otherNameOf(algorithm: unknown): string | undefined {
  return typeof algorithm === 'string' ? OTHER_NAMES.get(algorithm) : undefined;
}
