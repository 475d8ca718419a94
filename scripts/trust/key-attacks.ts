import { TRUST_PATHS } from '../../schemas/paths.js';
import { parseTrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { put, putTimestamp, replace, toPlan, type AttackPlan, type ForgedDocument } from './attack-table.js';
import type { StatesByName } from './forged-documents.js';
import { SITE } from './vector-states.js';

const FORGED: readonly ForgedDocument[] = [
  [
    'the key set is signed by another root and names it',
    'keys',
    'keys-of-another-root.jws',
    'root-untrusted',
  ],
  [
    'the key set is signed by another root than it names',
    'keys',
    'keys-signed-by-another-root.jws',
    'key-unknown',
  ],
  [
    'the key set has the id of the root and the signature of another',
    'keys',
    'keys-with-id-of-root.jws',
    'jws-altered',
  ],
  ['the key set is signed by a release key', 'keys', 'keys-signed-by-release-key.jws', 'key-unknown'],
  [
    'the key set names a release key as its root',
    'keys',
    'keys-with-release-key-as-root.jws',
    'root-untrusted',
  ],
  ['the key set lists other keys under the ids', 'keys', 'keys-with-other-keys-under-ids.jws', 'key-unknown'],
  [
    'the key set lists a revoked key of another id under the id',
    'keys',
    'keys-with-another-revoked-key.jws',
    'key-unknown',
  ],
  [
    'the root of the key set has another member',
    'keys',
    'keys-with-a-root-of-another-form.jws',
    'key-unknown',
  ],
  ['the key set is issued later than the timestamp', 'keys', 'keys-issued-later.jws', 'timestamp-early'],
  ['the key of the timestamp expires now', 'keys', 'keys-that-expire-now.jws', 'key-expired'],
  ['the timestamp is about another site', 'timestamp', 'timestamp-of-another-site.jws', 'site-wrong'],
  ['the statement is about another site', 'statement', 'statement-of-another-site.jws', 'site-wrong'],
  [
    'the timestamp is signed by a key that is not in the set',
    'timestamp',
    'timestamp-by-stranger.jws',
    'key-unknown',
  ],
  [
    'the statement is signed by a key that is not in the set',
    'statement',
    'statement-by-stranger.jws',
    'key-unknown',
  ],
  ['the timestamp is signed by an expired key', 'timestamp', 'timestamp-by-retired.jws', 'key-expired'],
  ['the statement is signed by an expired key', 'statement', 'statement-by-retired.jws', 'key-expired'],
  [
    'the timestamp is signed by a key that is not yet valid',
    'timestamp',
    'timestamp-by-next.jws',
    'key-expired',
  ],
  [
    'the statement is signed by a key that is not yet valid',
    'statement',
    'statement-by-next.jws',
    'key-expired',
  ],
];

/** A true key set whose canonical form is not that of every JSON library. */
const ANY_CHARACTERS: AttackPlan = {
  name: 'the key set has characters that need no escapes',
  changes: [put(TRUST_PATHS.keys, 'keys-with-any-characters.jws')],
  fault: null,
};

/** Returns the attacks on keys: other roots, keys that may not sign, other sites. */
export function keyAttacks(stateOf: StatesByName): AttackPlan[] {
  const root = parseTrustAnchor(stateOf('release-3').anchor)?.root ?? '';
  const otherRoot = parseTrustAnchor(stateOf('es256').anchor)?.root ?? '';
  const oldKeys = [
    replace(TRUST_PATHS.keys, 'release-3'),
    putTimestamp('timestamp-by-revoked-key.jws'),
    replace(TRUST_PATHS.statement, 'release-3'),
  ];
  return [
    ...FORGED.map(toPlan),
    ANY_CHARACTERS,
    { name: 'the reader trusts another root', anchor: `${SITE}#${otherRoot}`, fault: 'root-untrusted' },
    {
      name: 'the reader asks for another site',
      anchor: `https://other.example.com#${root}`,
      fault: 'site-wrong',
    },
    {
      name: 'the timestamp is signed by a revoked key',
      base: 'revoked',
      changes: [putTimestamp('timestamp-by-revoked-key.jws')],
      fault: 'key-revoked',
    },
    {
      name: 'the statement is signed by a revoked key',
      base: 'revoked',
      changes: [replace(TRUST_PATHS.statement, 'release-3')],
      fault: 'key-revoked',
    },
    { name: 'the key set has expired', now: '2027-03-01T00:00:00Z', fault: 'keys-expired' },
    {
      name: 'an old key set hides a revocation from a reader who has seen it',
      base: 'revoked',
      seen: 'revoked',
      changes: oldKeys,
      fault: 'keys-old',
    },
    {
      name: 'an old key set hides a revocation from a reader who has seen nothing',
      base: 'revoked',
      changes: oldKeys,
      fault: null,
    },
    { name: 'a reader accepts a rotation', base: 'rotated', seen: 'release-3', fault: null },
    { name: 'a reader accepts a revocation', base: 'revoked', seen: 'rotated', fault: null },
  ];
}
