import type { TrustDocumentName, TrustDocuments } from '../../../schemas/trust/trust-documents.js';

type Kind = 'string' | 'number' | 'object';

/** The members of each document that verification reads. */
const MEMBERS: {
  readonly [N in TrustDocumentName]: Readonly<Partial<Record<keyof TrustDocuments[N], Kind>>>;
} = {
  'key-set': {
    site: 'string',
    version: 'number',
    issued_at: 'string',
    expires: 'string',
    root: 'object',
    keys: 'object',
  },
  'release-statement': {
    site: 'string',
    revision: 'string',
    sequence: 'number',
    sha256: 'string',
    release_sha256: 'string',
    manifests: 'object',
    history_sha256: 'string',
    published_at: 'string',
  },
  timestamp: { site: 'string', sequence: 'number', sha256: 'string', as_of: 'string', expires: 'string' },
};

/**
 * Checks that a signed document is of the schema that this page knows, and has the members that it reads. Validating the whole
 * schema would need code that the content policy of the page forbids.
 * @throws TypeError
 */
export function checkForm<N extends TrustDocumentName>(name: N, value: unknown): TrustDocuments[N] {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  const members: Readonly<Record<string, unknown>> = { ...value };
  if (members['schema'] !== `${name}/1`)
    throw new TypeError(
      `it has the schema ${String(members['schema'])}, which this page does not know: reload the page`,
    );
  for (const [member, kind] of Object.entries(MEMBERS[name]))
    if (typeof members[member] !== kind || members[member] === null)
      throw new TypeError(`${member} is not ${kind === 'object' ? 'an' : 'a'} ${kind}`);
  return value as TrustDocuments[N]; // a trusted key has signed it
}
