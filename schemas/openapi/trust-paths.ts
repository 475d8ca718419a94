import { TRUST_PATHS } from '../paths.js';
import { JWS_TYPE, type TrustDocumentName } from '../trust/trust-documents.js';
import type { JsonObject } from './components.js';
import type { HeaderName } from './operations.js';
import { json } from './parameters.js';
import { publicFile } from './public-file.js';
import { jwsExample, PAYLOAD_EXAMPLES } from './trust-examples.js';

/** Headers of a file that belongs to no release. */
const HEADERS: readonly HeaderName[] = ['Cache-Control', 'ETag', 'X-Content-SHA256'];
const ONLY_SIGNED = 'A site that does not sign its releases answers 404.';

/** The keys that sign, with the thumbprints that they have in examples. */
const SIGNERS = {
  root: { words: 'the root key', kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' },
  release: { words: 'a release key', kid: 'FtIu-VbGrfe_KB6CH7GNwODB72MNxj_ml11dEvO-7kk' },
} as const;

type SignedFile = {
  readonly id: string;
  readonly summary: string;
  readonly payload: TrustDocumentName;
  readonly signer: keyof typeof SIGNERS;
};

function signedFile({ id, summary, payload, signer }: SignedFile): JsonObject {
  const { words, kid } = SIGNERS[signer];
  const example = PAYLOAD_EXAMPLES[payload];
  return publicFile({
    id,
    summary,
    description: `A compact JWS (RFC 7515) by ${words}. \`contentSchema\` describes its payload. ${ONLY_SIGNED}`,
    content: {
      [JWS_TYPE]: { example: jwsExample(payload, kid), payload: { schema: payload, example } },
    },
    headers: HEADERS,
  });
}

/** Returns the operations on the files by which readers verify signed releases, by path. */
export function trustPaths(): Record<string, JsonObject> {
  return {
    [TRUST_PATHS.keys]: signedFile({
      id: 'getKeySet',
      summary: 'Retrieve the keys that sign releases',
      payload: 'key-set',
      signer: 'root',
    }),
    [TRUST_PATHS.timestamp]: signedFile({
      id: 'getTimestamp',
      summary: 'Retrieve the signed timestamp of the current release',
      payload: 'timestamp',
      signer: 'release',
    }),
    [TRUST_PATHS.statement]: signedFile({
      id: 'getStatement',
      summary: 'Retrieve the signed statement about the current release',
      payload: 'release-statement',
      signer: 'release',
    }),
    [TRUST_PATHS.releases]: publicFile({
      id: 'getReleases',
      summary: 'List all releases with their digests',
      description: `The statement about a release contains the digest of the list up to that release. ${ONLY_SIGNED}`,
      content: json('releases'),
      headers: HEADERS,
    }),
  };
}
