import { openFileSigner } from '../../../generator/signing/open-signer.js';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { sha256Hex } from '../../../schemas/digest.js';
import { parseInstant } from '../../../schemas/dates.js';
import type { TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import type { KeySet } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createKeySet } from '../../../generator/core/trust/key-set.js';
import { signDocument, type Signer } from '../../../generator/signing/signer.js';
import { installKeySet } from '../../../generator/signing/key-files.js';
import type { Signing } from '../../../generator/signing/signing.js';
import { BUILD } from '../process/generator-run.js';

const SITE = 'https://data.example.com';

/** A signed site of a test: its keys, and what its readers trust. */
export type SignedSite = {
  readonly root: Signer;
  readonly signer: Signer;
  readonly keySet: KeySet;
  readonly anchor: TrustAnchor;
  /** Returns what a run needs that signs at this time. */
  readonly signingAt: (instant: string) => Signing;
  /** Signs a key set with the root key and installs it. */
  readonly install: (store: ObjectStore, keySet?: KeySet) => Promise<void>;
};

/** Beginning of an Ed25519 key in PKCS #8, before its 32 bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns a new key: Ed25519, or P-256 as KMS has. With a seed, always the same Ed25519 key. */
export function makeSigner(kind: 'ed25519' | 'p256' = 'ed25519', seed?: string): Promise<Signer> {
  const { privateKey } =
    seed !== undefined
      ? {
          privateKey: createPrivateKey({
            key: Buffer.concat([PKCS8, Buffer.from(sha256Hex(seed), 'hex')]),
            format: 'der',
            type: 'pkcs8',
          }),
        }
      : kind === 'ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return openFileSigner('a new key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

/** Makes the keys of a site whose releases are signed from the first one on. */
export async function createSignedSite(
  madeAt: string,
  {
    kind,
    signedFromSequence = 1,
    seed,
  }: {
    readonly kind?: 'ed25519' | 'p256';
    readonly signedFromSequence?: number;
    readonly seed?: string;
  } = {},
): Promise<SignedSite> {
  const [root, signer] = await Promise.all(
    seed === undefined
      ? [makeSigner(), makeSigner(kind)]
      : ['root', 'release'].map((name) => makeSigner('ed25519', `${seed} ${name}`)),
  );
  if (root === undefined || signer === undefined) throw new Error('there are two keys');
  const nowMs = toMs(madeAt);
  const keySet = createKeySet({ site: SITE, root: root.jwk, release: signer, signedFromSequence }, nowMs);
  return {
    root,
    signer,
    keySet,
    anchor: { site: SITE, root: root.kid },
    signingAt: (instant) => ({ signer, keySet, generator: BUILD, now: () => toMs(instant) }),
    async install(store, value = keySet) {
      const text = await signDocument(root, 'key-set', value);
      const now = (): number => Math.max(nowMs, toMs(value.issued_at));
      await installKeySet(store, { text, value }, { dryRun: false, now });
    },
  };
}

function toMs(instant: string): number {
  return parseInstant(instant) ?? NaN;
}
