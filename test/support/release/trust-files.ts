import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { toPastRelease, toStatement } from '../../../generator/core/trust/release-statement.js';
import { toTimestamp } from '../../../generator/core/trust/timestamp.js';
import { signDocument, type Signer } from '../../../generator/signing/signer.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { cacheControlOf } from '../../../schemas/object-headers.js';
import { publicKey, statementKey, TRUST_PATHS } from '../../../schemas/paths.js';
import type { TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import { historyText } from '../../../schemas/trust/release-history.js';
import { thumbprintOf } from '../../../schemas/trust/verify-jws.js';
import type { PastRelease, PublicKey } from '../../../schemas/types.generated.js';
import { readPointer, readRecord } from '../../../generator/state/published-state.js';
import { readCurrent } from './read-release.js';

const SITE = 'https://data.example.com';
const YEAR_MS = 365 * 24 * 3_600_000;

/** The texts of the files by which readers verify a release, by URL path. */
export type TrustTexts = Readonly<Record<(typeof TRUST_PATHS)[keyof typeof TRUST_PATHS], string>>;

/** Puts the trust files of the first or second release into its store, signed by new keys. Returns them, and what a reader trusts. */
export async function putTrustFiles(
  store: ObjectStore,
  nowMs: number,
): Promise<{ readonly anchor: TrustAnchor; readonly texts: TrustTexts }> {
  const [root, key] = [await createSigner(), await createSigner()];
  const record = await readCurrent(store);
  const sha256 = (await readPointer(store))?.value.sha256 ?? '';
  const { revision, sequence, previous } = record;
  const before = previous === null ? [] : [await pastRelease(store, previous)];
  const releases = [...before, toPastRelease(record, sha256)];
  const validity = { valid_from: toInstant(nowMs - YEAR_MS), valid_until: toInstant(nowMs + YEAR_MS) };
  const statement = toStatement(record, sha256, {
    site: SITE,
    historySha256: sha256Hex(historyText(releases, sequence) ?? ''),
    generator: { version: '1.0.0', commit: null, lockfile_sha256: null },
  });
  const texts: TrustTexts = {
    [TRUST_PATHS.keys]: await signDocument(root, 'key-set', {
      schema: 'key-set/1',
      site: SITE,
      version: 1,
      signed_from_sequence: 1,
      root: root.jwk,
      issued_at: validity.valid_from,
      expires: validity.valid_until,
      keys: [{ kid: key.kid, jwk: key.jwk, ...validity, revoked: null }],
    }),
    [TRUST_PATHS.timestamp]: await signDocument(
      key,
      'timestamp',
      toTimestamp({ site: SITE, sequence, sha256 }, nowMs),
    ),
    [TRUST_PATHS.statement]: await signDocument(key, 'release-statement', statement),
    [TRUST_PATHS.releases]: canonicalJson({ schema: 'releases/1', releases }),
  };
  for (const path of Object.values(TRUST_PATHS)) await putText(store, publicKey(path), texts[path]);
  await putText(store, statementKey(revision, sha256), texts[TRUST_PATHS.statement]);
  return { anchor: { site: SITE, root: root.kid }, texts };
}

async function pastRelease(
  store: ObjectStore,
  release: { readonly revision: string; readonly sha256: string },
): Promise<PastRelease> {
  return toPastRelease(await readRecord(store, release), release.sha256);
}

/** Writes a text to a store, whatever it had before. */
export async function putText(store: ObjectStore, key: string, text: string): Promise<void> {
  const etag = (await store.get(key))?.etag ?? null;
  const meta = { contentType: 'application/jose', cacheControl: cacheControlOf(key) };
  await store.compareAndSwap(key, Buffer.from(text), etag, meta);
}

async function createSigner(): Promise<Signer> {
  const { publicKey: shown, privateKey } = generateKeyPairSync('ed25519');
  const jwk = toJwk(shown);
  return {
    jwk,
    kid: await thumbprintOf(jwk),
    sign: (bytes) => Promise.resolve(sign(null, bytes, privateKey)),
  };
}

function toJwk(key: KeyObject): PublicKey {
  return { kty: 'OKP', crv: 'Ed25519', x: key.export({ format: 'jwk' }).x ?? '' };
}
