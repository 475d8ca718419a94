import { TRUST_PATHS } from '../../schemas/paths.js';
import {
  flipJws,
  put,
  replace,
  toPlan,
  type AttackPlan,
  type ForgedDocument,
  type VectorChange,
} from './attack-table.js';
import type { TrustFault } from '../../schemas/trust/trust-error.js';
import type { StatesByName } from './forged-documents.js';
import { nextInBase64url, OTHER_FORMS } from './other-forms.js';

const FORGED: readonly ForgedDocument[] = [
  ['the key set says alg none', 'keys', 'keys-alg-none.jws', 'jws-algorithm'],
  ['the timestamp says alg none', 'timestamp', 'timestamp-alg-none.jws', 'jws-algorithm'],
  ['the statement says alg none', 'statement', 'statement-alg-none.jws', 'jws-algorithm'],
  [
    'the timestamp is signed by HS256 with the public key',
    'timestamp',
    'timestamp-hs256-public-key.jws',
    'jws-algorithm',
  ],
  [
    'the statement is signed by HS256 with the public key in PEM',
    'statement',
    'statement-hs256-public-key-pem.jws',
    'jws-algorithm',
  ],
  [
    'the timestamp says ES256 and names an Ed25519 key',
    'timestamp',
    'timestamp-alg-es256.jws',
    'jws-algorithm',
  ],
  ['the statement says Ed25519 instead of EdDSA', 'statement', 'statement-alg-ed25519.jws', 'jws-algorithm'],
  ['the statement says that it is a timestamp', 'statement', 'statement-typ-timestamp.jws', 'jws-kind'],
  ['the statement says that it is a JWT', 'statement', 'statement-typ-jwt.jws', 'jws-kind'],
  ['the statement does not say what it is', 'statement', 'statement-without-typ.jws', 'jws-kind'],
  ['the statement brings its own key in the header', 'statement', 'statement-with-jwk.jws', 'jws-malformed'],
  ['the statement says where to fetch its key', 'statement', 'statement-with-jku.jws', 'jws-malformed'],
  ['the statement has critical header members', 'statement', 'statement-with-crit.jws', 'jws-malformed'],
  ['the timestamp says an alg that is no text', 'timestamp', 'timestamp-alg-object.jws', 'jws-algorithm'],
  ['the statement names its key by a number', 'statement', 'statement-kid-number.jws', 'jws-malformed'],
  ['the statement names no key', 'statement', 'statement-without-kid.jws', 'jws-malformed'],
  ['the key set is cut off', 'keys', 'keys-cut-in-payload.jws', 'jws-malformed'],
  ['the statement is cut off', 'statement', 'statement-cut-in-payload.jws', 'jws-malformed'],
  [
    'the timestamp is cut off in its signature',
    'timestamp',
    'timestamp-cut-in-signature.jws',
    'jws-malformed',
  ],
  ['the statement has an empty signature', 'statement', 'statement-without-signature.jws', 'jws-malformed'],
  ['the statement is a JWS as JSON', 'statement', 'statement-as-json.jws', 'jws-malformed'],
  ['the statement has two signatures', 'statement', 'statement-twice.jws', 'jws-malformed'],
  [
    'the statement has a valid signature of other bytes',
    'statement',
    'statement-with-signature-of-timestamp.jws',
    'jws-altered',
  ],
  [
    'the statement has the payload of an older one',
    'statement',
    'statement-with-payload-of-release-2.jws',
    'jws-altered',
  ],
];

/** At the limits of what a verifier parses, and beyond. */
const LIMITS: readonly AttackPlan[] = [
  toPlan(['the timestamp has 33 levels', 'timestamp', 'timestamp-of-33-levels.jws', 'jws-malformed']),
  toPlan([
    'the timestamp has 32 levels, by a key that is not listed',
    'timestamp',
    'timestamp-of-32-levels.jws',
    'key-unknown',
  ]),
  toPlan([
    'the statement has a path of 1001 characters',
    'statement',
    'statement-with-a-path-of-1001.jws',
    'jws-malformed',
  ]),
  {
    name: 'the statement has a path of 1000 characters',
    changes: [put(TRUST_PATHS.statement, 'statement-with-a-path-of-1000.jws')],
    fault: null,
  },
];

/** Keys that are no point of their curve. One that signs nothing does no harm. */
const POINTS = (['p256', 'ed25519'] as const).flatMap((name): AttackPlan[] => {
  const keys = put(TRUST_PATHS.keys, `keys-with-no-point-of-${name}.jws`);
  const timestamp = put(TRUST_PATHS.timestamp, `timestamp-by-no-point-of-${name}.jws`);
  const fault = name === 'p256' ? 'jws-malformed' : 'jws-altered';
  return [
    { name: `the key set lists a key of ${name} that is no point`, changes: [keys], fault: null },
    { name: `the timestamp is by a key of ${name} that is no point`, changes: [keys, timestamp], fault },
  ];
});

/** About a site whose keys are P-256. */
const FORGED_P256: readonly ForgedDocument[] = [
  [
    'the timestamp says EdDSA and names a P-256 key',
    'timestamp',
    'es256-timestamp-alg-eddsa.jws',
    'jws-algorithm',
  ],
  ['the signature by P-256 is all zeros', 'timestamp', 'es256-timestamp-zeros.jws', 'jws-altered'],
  ['the signature by P-256 is in DER', 'timestamp', 'es256-timestamp-der.jws', 'jws-malformed'],
  ['the signature by P-256 has s before r', 'timestamp', 'es256-timestamp-s-before-r.jws', 'jws-altered'],
];

/** Changes of the text of a signed document that leave its header, its payload and the bytes of its signature. */
const AROUND: Readonly<Record<string, (text: string) => string>> = {
  'spare bits in the last character of its signature': (text) =>
    text.slice(0, -1) + nextInBase64url(text.slice(-1)),
  'padding behind its signature': (text) => `${text}==`,
  'a byte order mark before it': (text) => `\uFEFF${text}`,
  'a no-break space behind it': (text) => `${text}\u00a0`,
  'a line feed behind it': (text) => `${text}\n`,
};

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
    ...FORGED.map(toPlan),
    ...LIMITS,
    ...POINTS,
    ...OTHER_FORMS.map(({ name, document, file }) => toPlan([name, document, file, 'jws-malformed'])),
    ...Object.entries(AROUND).map(([name, change]) =>
      row(
        `the statement has ${name}`,
        { put: statement, text: change(String(stateOf('release-3').files.get(statement))) },
        'jws-malformed',
      ),
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
    row('the timestamp is empty', { put: timestamp, text: '' }, 'jws-malformed'),
    row(
      'a page is in place of the statement',
      { put: statement, text: '<!doctype html>\n' },
      'jws-malformed',
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
  return [...flips, ...FORGED_P256.map(toPlan)].map((plan) => ({ ...plan, base: 'es256' }));
}

function row(name: string, change: VectorChange, fault: TrustFault): AttackPlan {
  return { name, changes: [change], fault };
}
