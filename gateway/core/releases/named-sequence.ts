/**
 * Returns the sequence of the release that a signed document names; `undefined` if it names none. The signature is not
 * verified: use the result only as a hint.
 */
export function namedSequence(jws: Uint8Array): number | undefined {
  const [, payload = ''] = Buffer.from(jws).toString('latin1').split('.');
  try {
    const document: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { sequence } = (document ?? {}) as { sequence?: unknown };
    return typeof sequence === 'number' ? sequence : undefined;
  } catch {
    return undefined; // not JSON
  }
}
