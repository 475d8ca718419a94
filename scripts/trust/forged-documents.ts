import { createHmac, createPublicKey } from 'node:crypto';
import type { Signer } from '../../generator/signing/signer.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { PUBLIC_PATHS, TRUST_PATHS } from '../../schemas/paths.js';
import { TRUST_TYPES } from '../../schemas/trust/trust-documents.js';
import { ALGORITHMS, thumbprintOf } from '../../schemas/trust/verify-jws.js';
import type { PastRelease, PublicKey, ReleaseStatement } from '../../schemas/types.generated.js';
import { OTHER_FORMS } from './other-forms.js';
import { OTHER_LISTS } from './other-lists.js';
import { testSigner } from './test-keys.js';
import { encode, listOf, type VectorState } from './vector-states.js';

/** The states that attacks begin with, by name. */
export type StatesByName = (name: string) => VectorState;

/** Contents of the forged files by name. */
type ForgedFiles = Readonly<Record<string, string>>;

/** Characters that the canonical form leaves as they are, or escapes in one way only. */
const ANY_CHARACTERS = '<&> "\\ / \u007f\u00e9\u2028\u{1f511}';

/** Digest of a record that the publisher signed as well, although its sequence was taken. */
const OTHER_SHA256 = sha256Hex('another release record');

/** Returns the documents that an attacker, or a publisher who lies, puts in the place of true ones. */
export async function forgedFiles(stateOf: StatesByName): Promise<ForgedFiles> {
  const parts = [
    keySets,
    points,
    signers,
    algorithms,
    headers,
    contents,
    limits,
    otherForms,
    es256,
    forks,
    lists,
  ];
  const forged = await Promise.all(parts.map((part) => part(stateOf)));
  return Object.assign({}, ...forged) as ForgedFiles; // each part has names of its own
}

async function keySets(stateOf: StatesByName): Promise<ForgedFiles> {
  const keySet = stateOf('release-3').documents['key-set'];
  const [root, a, stranger] = await Promise.all([
    testSigner('root'),
    testSigner('release-a'),
    testSigner('stranger-root'),
  ]);
  const typ = TRUST_TYPES['key-set'];
  const wrongKey = { ...keySet, keys: keySet.keys.map((key) => ({ ...key, jwk: stranger.jwk })) };
  return {
    'keys-of-another-root.jws': await jws(stranger, typ, { ...keySet, root: stranger.jwk }),
    'keys-signed-by-another-root.jws': await jws(stranger, typ, keySet),
    'keys-with-id-of-root.jws': await jws({ ...stranger, kid: root.kid }, typ, keySet),
    'keys-signed-by-release-key.jws': await jws(a, typ, keySet),
    'keys-with-release-key-as-root.jws': await jws(a, typ, { ...keySet, root: a.jwk }),
    'keys-with-other-keys-under-ids.jws': await jws(root, typ, wrongKey),
    'keys-with-another-revoked-key.jws': await jws(root, typ, {
      ...wrongKey,
      keys: wrongKey.keys.map((key) => ({ ...key, revoked: { at: keySet.issued_at, reason: 'lost' } })),
    }),
    'keys-with-a-root-of-another-form.jws': await jws(root, typ, {
      ...keySet,
      root: { ...root.jwk, use: 'sig' },
    }),
    'keys-issued-later.jws': await jws(root, typ, { ...keySet, issued_at: '2026-03-04T12:05:01Z' }),
    'keys-that-expire-now.jws': await jws(root, typ, {
      ...keySet,
      keys: keySet.keys.map((key) => ({ ...key, valid_until: '2026-03-04T12:00:00Z' })),
    }),
    'keys-with-any-characters.jws': await jws(root, typ, {
      ...keySet,
      keys: keySet.keys.map((key) => ({
        ...key,
        revoked: key.kid === a.kid ? null : { at: keySet.issued_at, reason: ANY_CHARACTERS },
      })),
    }),
  };
}

/** Returns key sets with a key that is no point of its curve, each with a timestamp that names this key. */
async function points(stateOf: StatesByName): Promise<ForgedFiles> {
  const { 'key-set': keySet, timestamp } = stateOf('release-3').documents;
  const root = await testSigner('root');
  const coordinate = (first: number): string => Buffer.alloc(32).fill(first, 0, 1).toString('base64url');
  const others = {
    p256: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(1) },
    ed25519: { kty: 'OKP', crv: 'Ed25519', x: coordinate(2) },
  } as const satisfies Record<string, PublicKey>;
  const forged = Object.entries(others).map(async ([name, jwk]) => {
    const kid = await thumbprintOf(jwk);
    const listed = keySet.keys.slice(0, 1).map((key) => ({ ...key, kid, jwk }));
    const signer = { kid, jwk, sign: () => Promise.resolve(Buffer.alloc(64, 1)) };
    return {
      [`keys-with-no-point-of-${name}.jws`]: await jws(root, TRUST_TYPES['key-set'], {
        ...keySet,
        keys: [...keySet.keys, ...listed],
      }),
      [`timestamp-by-no-point-of-${name}.jws`]: await jws(signer, TRUST_TYPES.timestamp, timestamp),
    };
  });
  return Object.assign({}, ...(await Promise.all(forged))) as ForgedFiles; // the same names
}

async function signers(stateOf: StatesByName): Promise<ForgedFiles> {
  const { timestamp, statement } = stateOf('release-3').documents;
  const forged: Record<string, string> = {};
  for (const name of ['stranger', 'retired', 'next'] as const) {
    const signer = await testSigner(name);
    forged[`timestamp-by-${name}.jws`] = await jws(signer, TRUST_TYPES.timestamp, timestamp);
    forged[`statement-by-${name}.jws`] = await jws(signer, TRUST_TYPES['release-statement'], statement);
  }
  const a = await testSigner('release-a');
  const late = stateOf('revoked').documents.timestamp;
  const renewed = {
    ...stateOf('release-2').documents.timestamp,
    as_of: timestamp.as_of,
    expires: timestamp.expires,
  };
  return {
    ...forged,
    'timestamp-by-revoked-key.jws': await jws(a, TRUST_TYPES.timestamp, late),
    'timestamp-of-release-2-renewed.jws': await jws(a, TRUST_TYPES.timestamp, renewed),
    'timestamp-of-another-site.jws': await jws(a, TRUST_TYPES.timestamp, {
      ...timestamp,
      site: 'https://other.example.com',
    }),
    'statement-of-another-site.jws': await jws(a, TRUST_TYPES['release-statement'], {
      ...statement,
      site: 'https://other.example.com',
    }),
  };
}

async function algorithms(stateOf: StatesByName): Promise<ForgedFiles> {
  const { 'key-set': keySet, timestamp, statement } = stateOf('release-3').documents;
  const [root, a] = await Promise.all([testSigner('root'), testSigner('release-a')]);
  const nothing = () => Promise.resolve(new Uint8Array());
  const none = (signer: Signer, typ: string, payload: object) =>
    jws({ ...signer, sign: nothing }, typ, payload, { alg: 'none' });
  const pem = createPublicKey({ key: { ...a.jwk }, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  const hmac = (secret: string | Uint8Array): Signer => ({
    ...a,
    sign: (bytes) => Promise.resolve(createHmac('sha256', secret).update(bytes).digest()),
  });
  const raw = Buffer.from('x' in a.jwk ? a.jwk.x : '', 'base64url');
  return {
    'keys-alg-none.jws': await none(root, TRUST_TYPES['key-set'], keySet),
    'timestamp-alg-none.jws': await none(a, TRUST_TYPES.timestamp, timestamp),
    'statement-alg-none.jws': await none(a, TRUST_TYPES['release-statement'], statement),
    'timestamp-hs256-public-key.jws': await jws(hmac(raw), TRUST_TYPES.timestamp, timestamp, {
      alg: 'HS256',
    }),
    'statement-hs256-public-key-pem.jws': await jws(
      hmac(String(pem)),
      TRUST_TYPES['release-statement'],
      statement,
      { alg: 'HS256' },
    ),
    'timestamp-alg-object.jws': await jws(a, TRUST_TYPES.timestamp, timestamp, { alg: { toString: 1 } }),
    'timestamp-alg-es256.jws': await jws(a, TRUST_TYPES.timestamp, timestamp, { alg: 'ES256' }),
    'statement-alg-ed25519.jws': await jws(a, TRUST_TYPES['release-statement'], statement, {
      alg: 'Ed25519',
    }),
  };
}

async function headers(stateOf: StatesByName): Promise<ForgedFiles> {
  const { statement } = stateOf('release-3').documents;
  const [a, stranger] = await Promise.all([testSigner('release-a'), testSigner('stranger')]);
  const typ = TRUST_TYPES['release-statement'];
  const jku = 'https://attacker.example.com/keys.json';
  return {
    'statement-with-jwk.jws': await jws(stranger, typ, statement, { jwk: stranger.jwk }),
    'statement-with-jku.jws': await jws({ ...stranger, kid: a.kid }, typ, statement, { jku }),
    'statement-with-crit.jws': await jws(a, typ, statement, { b64: true, crit: ['b64'] }),
    'statement-kid-number.jws': await jws(a, typ, statement, { kid: 1 }),
    'statement-without-kid.jws': await jws(a, typ, statement, { kid: undefined }),
    'statement-without-typ.jws': await jws(a, typ, statement, { typ: undefined }),
    'statement-typ-jwt.jws': await jws(a, 'JWT', statement),
    'statement-typ-timestamp.jws': await jws(a, TRUST_TYPES.timestamp, statement),
  };
}

function contents(stateOf: StatesByName): Promise<ForgedFiles> {
  const text = (path: string, name = 'release-3') => String(stateOf(name).files.get(path));
  const [head, payload, signature] = partsOf(text(TRUST_PATHS.statement));
  const [, otherPayload] = partsOf(text(TRUST_PATHS.statement, 'release-2'));
  const [, , otherSignature] = partsOf(text(TRUST_PATHS.timestamp));
  const cut = (path: string, share: number) => text(path).slice(0, Math.floor(text(path).length * share));
  return Promise.resolve({
    'statement-with-payload-of-release-2.jws': `${head}.${otherPayload}.${signature}`,
    'statement-with-signature-of-timestamp.jws': `${head}.${payload}.${otherSignature}`,
    'statement-without-signature.jws': `${head}.${payload}.`,
    'statement-cut-in-payload.jws': cut(TRUST_PATHS.statement, 0.5),
    'timestamp-cut-in-signature.jws': cut(TRUST_PATHS.timestamp, 0.95),
    'keys-cut-in-payload.jws': cut(TRUST_PATHS.keys, 0.5),
    'statement-as-json.jws': canonicalJson({ payload, protected: head, signature }),
    'statement-twice.jws': `${head}.${payload}.${signature}.${signature}`,
  });
}

/** Returns documents at the limits of what is parsed, and beyond. Those by a stranger are refused only if they are parsed. */
async function limits(stateOf: StatesByName): Promise<ForgedFiles> {
  const { statement } = stateOf('release-3').documents;
  const [a, stranger] = await Promise.all([testSigner('release-a'), testSigner('stranger')]);
  const forged: Record<string, string> = {};
  for (const levels of [32, 33]) {
    let payload: object = [];
    for (let level = 1; level < levels; level += 1) payload = [payload];
    forged[`timestamp-of-${levels}-levels.jws`] = await jws(stranger, TRUST_TYPES.timestamp, payload);
  }
  for (const length of [1_000, 1_001]) {
    const manifests = { ...statement.manifests, [`/${'a'.repeat(length - 1)}`]: OTHER_SHA256 };
    const typ = TRUST_TYPES['release-statement'];
    forged[`statement-with-a-path-of-${length}.jws`] = await jws(a, typ, { ...statement, manifests });
  }
  return forged;
}

/** Returns statements about lists of files that do not have their form. */
async function lists(stateOf: StatesByName): Promise<ForgedFiles> {
  const { documents, files } = stateOf('release-3');
  const list = String(files.get(PUBLIC_PATHS.release));
  const a = await testSigner('release-a');
  const forged = OTHER_LISTS.map(async ({ file, change }) => {
    if (change(list) === list) throw new Error(`${file} is about the true list`);
    const statement = { ...documents.statement, release_sha256: sha256Hex(change(list)) };
    return [file, await jws(a, TRUST_TYPES['release-statement'], statement)] as const;
  });
  return Object.fromEntries(await Promise.all(forged));
}

async function es256(stateOf: StatesByName): Promise<ForgedFiles> {
  const { files, documents } = stateOf('es256');
  const [p256, stranger] = await Promise.all([testSigner('p256-release'), testSigner('stranger')]);
  const [head, payload, signature] = partsOf(String(files.get(TRUST_PATHS.timestamp)));
  const raw = Buffer.from(signature, 'base64url');
  const swapped = Buffer.concat([raw.subarray(32), raw.subarray(0, 32)]);
  const eddsa = { ...stranger, kid: p256.kid };
  return {
    'es256-timestamp-alg-eddsa.jws': await jws(eddsa, TRUST_TYPES.timestamp, documents.timestamp),
    'es256-timestamp-zeros.jws': `${head}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
    'es256-timestamp-der.jws': `${head}.${payload}.${toDer(raw).toString('base64url')}`,
    'es256-timestamp-s-before-r.jws': `${head}.${payload}.${swapped.toString('base64url')}`,
  };
}

/** Returns two forks that the publisher's key signed: another release 3, and another release 2 below the true release 3. */
async function forks(stateOf: StatesByName): Promise<ForgedFiles> {
  const { documents, release } = stateOf('release-3');
  const { timestamp, statement } = documents;
  const a = await testSigner('release-a');
  const withOther = (sequence: number): PastRelease[] =>
    release.history.map((each) => (each.sequence === sequence ? { ...each, sha256: OTHER_SHA256 } : each));
  const signed = (change: Partial<ReleaseStatement>) =>
    jws(a, TRUST_TYPES['release-statement'], { ...statement, ...change });
  const digest = (history: readonly PastRelease[]): string => sha256Hex(canonicalJson(history));
  const previous = { revision: statement.previous?.revision ?? '', sha256: OTHER_SHA256 };
  return {
    'fork-timestamp.jws': await jws(a, TRUST_TYPES.timestamp, { ...timestamp, sha256: OTHER_SHA256 }),
    'fork-statement.jws': await signed({ sha256: OTHER_SHA256, history_sha256: digest(withOther(3)) }),
    'fork-releases.json': listOf(withOther(3)),
    'past-fork-statement.jws': await signed({ previous, history_sha256: digest(withOther(2)) }),
    'past-fork-releases.json': listOf(withOther(2)),
    'statement-with-another-revision.jws': await signed({ revision: '2026-03-04.000002' }),
    'statement-with-another-time.jws': await signed({ published_at: '2026-03-04T06:00:01Z' }),
    'statement-with-another-previous.jws': await signed({ previous }),
    'statement-with-another-previous-revision.jws': await signed({
      previous: { ...previous, revision: '2026-03-03.000002', sha256: statement.previous?.sha256 ?? '' },
    }),
    'statement-without-previous.jws': await signed({ previous: null }),
    'statement-of-another-history.jws': await signed({ history_sha256: digest(withOther(3)) }),
    'statement-of-other-files.jws': await signed({ release_sha256: sha256Hex('another list of files') }),
  };
}

async function otherForms(stateOf: StatesByName): Promise<ForgedFiles> {
  const { documents } = stateOf('release-3');
  const [root, a] = await Promise.all([testSigner('root'), testSigner('release-a')]);
  const signed = {
    keys: { signer: root, typ: TRUST_TYPES['key-set'], content: documents['key-set'] },
    timestamp: { signer: a, typ: TRUST_TYPES.timestamp, content: documents.timestamp },
    statement: { signer: a, typ: TRUST_TYPES['release-statement'], content: documents.statement },
  };
  const forged = OTHER_FORMS.map(async ({ document, part, file, change }) => {
    const { signer, typ, content } = signed[document];
    const { kid, jwk, sign } = signer;
    const header = canonicalJson({ alg: ALGORITHMS[jwk.crv], kid, typ });
    const payload = canonicalJson(content);
    const text = part === 'header' ? header : payload;
    const changed = base64url(change(text));
    if (changed === base64url(text)) throw new Error(`${file} is the true document`);
    const input = part === 'header' ? `${changed}.${base64url(payload)}` : `${base64url(header)}.${changed}`;
    return [file, `${input}.${base64url(await sign(Buffer.from(input)))}`] as const;
  });
  return Object.fromEntries(await Promise.all(forged));
}

const base64url = (value: string | Uint8Array): string => Buffer.from(value as string).toString('base64url'); // or bytes, which stay

type Header = { readonly [member: string]: unknown };

/** Signs a payload under a header that may say anything. */
async function jws(signer: Signer, typ: string, payload: object, others: Header = {}): Promise<string> {
  const alg = ALGORITHMS[signer.jwk.crv];
  const all: [string, unknown][] = Object.entries({ alg, kid: signer.kid, typ, ...others });
  const header = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')}`;
}

function partsOf(text: string): [string, string, string] {
  const [head = '', payload = '', signature = ''] = text.split('.');
  return [head, payload, signature];
}

/** Returns an ECDSA signature in DER (RFC 3279 §2.2.3), which JWS does not use. */
function toDer(raw: Uint8Array): Buffer {
  const integer = (bytes: Uint8Array): Buffer => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = Buffer.from(bytes.subarray(first));
    const padded = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits;
    return Buffer.concat([Buffer.of(0x02, padded.length), padded]);
  };
  const both = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, both.length), both]);
}
