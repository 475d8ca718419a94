import { Buffer } from 'node:buffer';
import { signDocument } from '../../../generator/signing/signer.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { PUBLIC_PATHS, TRUST_PATHS } from '../../../schemas/paths.js';
import type { TrustDocuments } from '../../../schemas/trust/trust-documents.js';
import { testSigner } from '../../../scripts/trust/test-keys.js';
import { pick } from '../random/seeded.js';
import type { VectorSite } from './vector-site.js';

type Random = () => number;

/** Texts and numbers that programs often take for something else. */
const TEXTS = [
  ...[
    '',
    ' ',
    '..',
    '../../etc/passwd',
    '//other.example.com/',
    'https://other.example.com/',
    'a\0b',
    '#',
    '?',
  ],
  ...[
    '\u001b]0;owned\u0007',
    '\u001b[2J',
    '\u009b31m',
    '\u202etxt.exe',
    '\u2028',
    '\uFEFF',
    'é',
    'a\nb',
    '\ud800',
  ],
  ...['NaN', '1e999', '__proto__', 'constructor', 'toString', '2026-02-30T00:00:00Z', '9999-12-31T23:59:59Z'],
  ...['9999-12-31.000001', '0'.repeat(64), 'A'.repeat(43), 'x'.repeat(5_000), '1/x', 'none', 'HS256'],
];
const NUMBERS = [-1, 0, 1, 3, 2 ** 31, 2 ** 53, -(2 ** 63), 0.5, 1e-320, 1.7e308, true, false, null];

/** Returns a document as somebody without the keys of its publisher changes it. */
export function changeDocument(bytes: Uint8Array, random: Random): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text) && random() < 0.6) return changeJws(text, random);
  return random() < 0.4 ? changeJson(bytes, random) : changeBytes(bytes, random);
}

/** Changes the bytes of a document, at any place. */
function changeBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const own = Buffer.from(bytes);
  const at = Math.floor(random() * (own.length + 1));
  const flipped = Buffer.from(own);
  if (at < own.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  const text = own.toString('utf8');
  return pick<() => Uint8Array>(
    [
      () => flipped,
      () => own.subarray(0, at),
      () => Buffer.concat([own.subarray(0, at), Buffer.from(pick(TEXTS, random)), own.subarray(at)]),
      () => Buffer.concat([Buffer.from('\uFEFF'), own]),
      () => Buffer.concat([own, Buffer.from(pick(['\n', ' ', '\0', '{}', '=', '.', ',', '\u00a0'], random))]),
      () => Buffer.concat([own, own]),
      () => Buffer.from(text, 'utf16le'),
      () => Buffer.from(text.replace('{', '{"published_revision":"9999-12-31.000001",')),
      () => Buffer.from(text.replace(/\{("[^"]*":[^,}[{]*)/, '{$1,$1')), // a repeated member
      () => Buffer.from(text.replaceAll(',', ', ')),
      () => Buffer.from(text.replace(/:\d+/, ':1e999')),
      () => Buffer.from(pick(['[', '{"a":', '[{},'], random).repeat(pick([40, 200_000], random))),
      () => Buffer.from(`[${'{},'.repeat(pick([1_000, 2_000_000], random))}{}]`),
      () => Buffer.from(`{"published_revision":"9999-12-31.000001","a":"${'x'.repeat(100_000)}"}`),
      () => Buffer.from('<html>Sign in</html>'),
      () => Buffer.of(),
    ],
    random,
  )();
}

/** Changes a value of a JSON document, and writes it in its canonical form. */
function changeJson(bytes: Uint8Array, random: Random): Uint8Array {
  try {
    const changed = changeValue(JSON.parse(Buffer.from(bytes).toString('utf8')), random);
    return Buffer.from(random() < 0.8 ? canonicalJson(changed) : JSON.stringify(changed));
  } catch {
    return changeBytes(bytes, random); // no JSON, or a value without a canonical form
  }
}

function changeValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.05) return anyValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0) return [anyValue(random)];
    const at = Math.floor(random() * value.length);
    const action = random();
    if (action < 0.15) return value.toSpliced(at, 1);
    if (action < 0.3) return [...(value as unknown[]), value[at]];
    return value.with(at, changeValue(value[at], random));
  }
  const members = Object.entries(value);
  const name = pick(['', ...members.map(([key]) => key)], random);
  const action = random();
  const others = members.filter(([key]) => key !== name);
  if (name === '' || action < 0.1)
    return Object.fromEntries([...members, [pick(TEXTS, random), anyValue(random)]]);
  if (action < 0.2) return Object.fromEntries(others);
  const own = (value as Record<string, unknown>)[name];
  return Object.fromEntries([...others, [name, changeValue(own, random)]]);
}

function anyValue(random: Random): unknown {
  const value: unknown = pick<unknown>([...TEXTS, ...NUMBERS], random);
  const kind = random();
  if (kind < 0.1) return Array.from({ length: pick([0, 1, 40], random) }, () => value);
  return kind < 0.2 ? { [pick(TEXTS, random)]: value } : value;
}

/** Changes one part of a signed document, or puts its parts together in another way. */
function changeJws(text: string, random: Random): Uint8Array {
  const parts = text.split('.');
  const at = Math.floor(random() * 3);
  const decoded = Buffer.from(parts[at] ?? '', 'base64url');
  const changed = Buffer.from(at === 2 ? changeBytes(decoded, random) : changeDocument(decoded, random));
  const encoded = changed.toString(pick(['base64url', 'base64url', 'base64url', 'base64'], random));
  const header = `{"alg":"none","kid":"${'A'.repeat(43)}","typ":"crd-key-set+jws"}`;
  return Buffer.from(
    pick(
      [
        parts.with(at, encoded).join('.'),
        parts.with(at, encoded).join('.'),
        parts.toSpliced(at, 1).join('.'),
        [...parts, parts[at]].join('.'),
        parts.with(2, '').join('.'),
        [Buffer.from(header).toString('base64url'), parts[1], ''].join('.'),
        JSON.stringify({ protected: parts[0], payload: parts[1], signature: parts[2] }),
      ],
      random,
    ),
  );
}

/**
 * Returns a site of which public files are other ones, the lists and the documents are about these, and a key signs them that
 * is not a release key at this time.
 */
export async function forgeSite(site: VectorSite, random: Random): Promise<VectorSite> {
  const payloadOf = (path: string): unknown => {
    const [, payload = ''] = Buffer.from(site.get(path) ?? [])
      .toString('latin1')
      .split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  };
  const release = JSON.parse(Buffer.from(site.get(PUBLIC_PATHS.release) ?? []).toString('utf8')) as {
    files: { path: string; sha256: string; bytes: number }[];
  };
  const forged = new Map(site);
  const entry = pick(release.files, random);
  const bytes = changeDocument(site.get(entry.path) ?? Buffer.of(), random);
  forged.set(entry.path, bytes);
  Object.assign(entry, { sha256: sha256Hex(bytes), bytes: bytes.length });
  const list = Buffer.from(canonicalJson(release));
  forged.set(PUBLIC_PATHS.release, list);
  const signer = await testSigner(pick(['stranger', 'retired', 'next', 'root', 'stranger-root'], random));
  const statement = {
    ...(payloadOf(TRUST_PATHS.statement) as TrustDocuments['release-statement']),
    release_sha256: sha256Hex(list),
  };
  const sign = async (path: string, jws: Promise<string>): Promise<unknown> =>
    forged.set(path, Buffer.from(await jws));
  await sign(TRUST_PATHS.statement, signDocument(signer, 'release-statement', statement));
  if (random() < 0.5) {
    const timestamp = payloadOf(TRUST_PATHS.timestamp) as TrustDocuments['timestamp'];
    await sign(TRUST_PATHS.timestamp, signDocument(signer, 'timestamp', timestamp));
  }
  if (random() < 0.5) {
    const keySet = payloadOf(TRUST_PATHS.keys) as TrustDocuments['key-set'];
    const root = await testSigner('stranger-root');
    const key = { ...keySet.keys[0], kid: signer.kid, jwk: signer.jwk, revoked: null };
    const keys = { ...keySet, root: random() < 0.5 ? root.jwk : keySet.root, keys: [key, ...keySet.keys] };
    await sign(TRUST_PATHS.keys, signDocument(root, 'key-set', keys as TrustDocuments['key-set']));
  }
  return forged;
}
