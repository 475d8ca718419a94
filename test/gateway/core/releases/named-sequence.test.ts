import { namedSequence } from '../../../../gateway/core/releases/named-sequence.js';

const jws = (payload: string): Uint8Array =>
  Buffer.from(`e30.${Buffer.from(payload).toString('base64url')}.AAAA`);

it('returns the sequence in the payload of a signed document', () => {
  expect(namedSequence(jws('{"schema":"timestamp/1","sequence":7}'))).toBe(7);
});

it.each(['', '{', 'null', '7', '[]', '{}', '{"sequence":"7"}', '{"sequence":null}'])(
  'returns undefined for the payload %j',
  (payload) => expect(namedSequence(jws(payload))).toBeUndefined(),
);

it.each(['', '.', 'x', '...', '\0.\0.\0'])('returns undefined for %j, which is not signed', (text) => {
  expect(namedSequence(Buffer.from(text))).toBeUndefined();
});
