import { TRUST_PATHS } from '../../schemas/paths.js';
import { parseTrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { flipJws, putKeys, putStatement, putTimestamp, replace, type AttackPlan } from './attack-table.js';
import type { StatesByName } from './forged-documents.js';
import { SITE } from './vector-states.js';

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
    { name: 'the reader trusts another root', anchor: `${SITE}#${otherRoot}`, fault: 'root-untrusted' },
    row(
      'the key set is signed by another root and names it',
      putKeys('keys-of-another-root.jws'),
      'root-untrusted',
    ),
    row(
      'the key set is signed by another root than it names',
      putKeys('keys-signed-by-another-root.jws'),
      'key-unknown',
    ),
    row(
      'the key set has the id of the root and the signature of another',
      putKeys('keys-with-id-of-root.jws'),
      'jws-altered',
    ),
    row('the key set is signed by a release key', putKeys('keys-signed-by-release-key.jws'), 'key-unknown'),
    row(
      'the key set names a release key as its root',
      putKeys('keys-with-release-key-as-root.jws'),
      'root-untrusted',
    ),
    row(
      'the key set lists other keys under the ids',
      putKeys('keys-with-other-keys-under-ids.jws'),
      'key-unknown',
    ),
    {
      name: 'the reader asks for another site',
      anchor: `https://other.example.com#${root}`,
      fault: 'site-wrong',
    },
    row('the timestamp is about another site', putTimestamp('timestamp-of-another-site.jws'), 'site-wrong'),
    row('the statement is about another site', putStatement('statement-of-another-site.jws'), 'site-wrong'),
    row(
      'the timestamp is signed by a key that is not in the set',
      putTimestamp('timestamp-by-stranger.jws'),
      'key-unknown',
    ),
    row(
      'the statement is signed by a key that is not in the set',
      putStatement('statement-by-stranger.jws'),
      'key-unknown',
    ),
    row('the timestamp is signed by an expired key', putTimestamp('timestamp-by-retired.jws'), 'key-expired'),
    row('the statement is signed by an expired key', putStatement('statement-by-retired.jws'), 'key-expired'),
    row(
      'the timestamp is signed by a key that is not yet valid',
      putTimestamp('timestamp-by-next.jws'),
      'key-expired',
    ),
    row(
      'the statement is signed by a key that is not yet valid',
      putStatement('statement-by-next.jws'),
      'key-expired',
    ),
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

/** Returns the attacks on the form and the algorithm of signed documents. */
export function formAttacks(stateOf: StatesByName): AttackPlan[] {
  const { keys, timestamp, statement } = TRUST_PATHS;
  const documents = { 'key set': keys, timestamp, statement };
  const flips = Object.entries(documents).flatMap(([name, path]) =>
    (['payload', 'signature'] as const).map((part) =>
      row(
        `a byte in the ${part} of the ${name} is altered`,
        flipJws(path, stateOf('release-3'), part),
        'jws-altered',
      ),
    ),
  );
  const missing = Object.entries(documents).map(([name, path]) =>
    row(`the ${name} is missing, although releases are signed`, { delete: path }, 'release-unsigned'),
  );
  return [
    ...flips,
    ...missing,
    row('the key set says alg none', putKeys('keys-alg-none.jws'), 'jws-algorithm'),
    row('the timestamp says alg none', putTimestamp('timestamp-alg-none.jws'), 'jws-algorithm'),
    row('the statement says alg none', putStatement('statement-alg-none.jws'), 'jws-algorithm'),
    row(
      'the timestamp is signed by HS256 with the public key',
      putTimestamp('timestamp-hs256-public-key.jws'),
      'jws-algorithm',
    ),
    row(
      'the statement is signed by HS256 with the public key in PEM',
      putStatement('statement-hs256-public-key-pem.jws'),
      'jws-algorithm',
    ),
    row(
      'the timestamp says ES256 and names an Ed25519 key',
      putTimestamp('timestamp-alg-es256.jws'),
      'jws-algorithm',
    ),
    row(
      'the statement says Ed25519 instead of EdDSA',
      putStatement('statement-alg-ed25519.jws'),
      'jws-algorithm',
    ),
    row(
      'the timestamp is put in place of the statement',
      replace(statement, 'release-3', timestamp),
      'jws-kind',
    ),
    row(
      'the statement is put in place of the timestamp',
      replace(timestamp, 'release-3', statement),
      'jws-kind',
    ),
    row('the timestamp is put in place of the key set', replace(keys, 'release-3', timestamp), 'jws-kind'),
    row('the statement says that it is a timestamp', putStatement('statement-typ-timestamp.jws'), 'jws-kind'),
    row('the statement says that it is a JWT', putStatement('statement-typ-jwt.jws'), 'jws-kind'),
    row('the statement does not say what it is', putStatement('statement-without-typ.jws'), 'jws-kind'),
    row(
      'the statement brings its own key in the header',
      putStatement('statement-with-jwk.jws'),
      'jws-malformed',
    ),
    row('the statement says where to fetch its key', putStatement('statement-with-jku.jws'), 'jws-malformed'),
    row(
      'the statement has critical header members',
      putStatement('statement-with-crit.jws'),
      'jws-malformed',
    ),
    row(
      'the timestamp says an alg that is no text',
      putTimestamp('timestamp-alg-object.jws'),
      'jws-algorithm',
    ),
    row('the statement names its key by a number', putStatement('statement-kid-number.jws'), 'jws-malformed'),
    row('the statement names no key', putStatement('statement-without-kid.jws'), 'jws-malformed'),
    row('the key set is cut off', putKeys('keys-cut-in-payload.jws'), 'jws-malformed'),
    row('the statement is cut off', putStatement('statement-cut-in-payload.jws'), 'jws-malformed'),
    row(
      'the timestamp is cut off in its signature',
      putTimestamp('timestamp-cut-in-signature.jws'),
      'jws-malformed',
    ),
    row(
      'the statement has an empty signature',
      putStatement('statement-without-signature.jws'),
      'jws-malformed',
    ),
    row('the timestamp is empty', { put: timestamp, text: '' }, 'jws-malformed'),
    row(
      'a page is in place of the statement',
      { put: statement, text: '<!doctype html>\n' },
      'jws-malformed',
    ),
    row('the statement is a JWS as JSON', putStatement('statement-as-json.jws'), 'jws-malformed'),
    row('the statement has two signatures', putStatement('statement-twice.jws'), 'jws-malformed'),
    row(
      'the statement has a valid signature of other bytes',
      putStatement('statement-with-signature-of-timestamp.jws'),
      'jws-altered',
    ),
    row(
      'the statement has the payload of an older one',
      putStatement('statement-with-payload-of-release-2.jws'),
      'jws-altered',
    ),
    ...es256Attacks(stateOf),
  ];
}

function es256Attacks(stateOf: StatesByName): AttackPlan[] {
  const flips = (['payload', 'signature'] as const).map((part) =>
    row(
      `a byte in the ${part} of a timestamp by P-256 is altered`,
      flipJws(TRUST_PATHS.timestamp, stateOf('es256'), part),
      'jws-altered',
    ),
  );
  return [
    ...flips,
    row(
      'the timestamp says EdDSA and names a P-256 key',
      putTimestamp('es256-timestamp-alg-eddsa.jws'),
      'jws-algorithm',
    ),
    row('the signature by P-256 is all zeros', putTimestamp('es256-timestamp-zeros.jws'), 'jws-altered'),
    row('the signature by P-256 is in DER', putTimestamp('es256-timestamp-der.jws'), 'jws-malformed'),
    row(
      'the signature by P-256 has s before r',
      putTimestamp('es256-timestamp-s-before-r.jws'),
      'jws-altered',
    ),
  ].map((plan) => ({ ...plan, base: 'es256' }));
}

type Change = NonNullable<AttackPlan['changes']>[number];

function row(name: string, change: Change, fault: NonNullable<AttackPlan['fault']>): AttackPlan {
  return { name, changes: [change], fault };
}
