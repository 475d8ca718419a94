/** The two names of signatures with a key of Ed25519: RFC 8037, and RFC 9864, which replaces it. */
const NAMES = ['EdDSA', 'Ed25519'];

/** Returns the algorithms of a provider with both names of Ed25519 if it has one: its tokens may use the other one. */
export function withBothNames(algorithms: readonly string[]): string[] {
  return NAMES.some((name) => algorithms.includes(name))
    ? [...new Set([...algorithms, ...NAMES])]
    : [...algorithms];
}
