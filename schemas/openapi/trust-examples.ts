import keySet from '../examples/valid/key-set/one-key.json' with { type: 'json' };
import statement from '../examples/valid/release-statement/after-rollback.json' with { type: 'json' };
import timestamp from '../examples/valid/timestamp/after-rollback.json' with { type: 'json' };
import { canonicalJson } from '../canonical-json.js';
import { TRUST_TYPES, type TrustDocumentName } from '../trust/trust-documents.js';

/** An example of the payload of each signed document. */
export const PAYLOAD_EXAMPLES = {
  'key-set': keySet,
  'release-statement': statement,
  timestamp,
} as const satisfies Record<TrustDocumentName, object>;

/** Letters of the payload and of the signature in an example. */
const SHOWN = 40;
/** Beginning of the signature in an example. */
const SIGNATURE = 'xJB60PmmYVpBLwF0UfkZeaEfv4cX8ztOiGH4gcPElmDV7UOa';

/** Returns an example of a signed document. Only its header is whole: the payload has an example of its own. */
export function jwsExample(name: TrustDocumentName, kid: string): string {
  const header = { alg: 'EdDSA', kid, typ: TRUST_TYPES[name] };
  return [encode(header), shorten(encode(PAYLOAD_EXAMPLES[name])), shorten(SIGNATURE)].join('.');
}

function encode(value: unknown): string {
  return Buffer.from(canonicalJson(value)).toString('base64url');
}

function shorten(text: string): string {
  return `${text.slice(0, SHOWN)}…`;
}
