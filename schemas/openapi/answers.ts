import { PROBLEMS } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';

const instant = schemaRef('common.instant');
const sha256 = schemaRef('common.sha256');
const revision = schemaRef('common.revision');
const label = { type: ['string', 'null'], maxLength: 64, description: 'What its owner calls it.' };
const keyId = { type: 'string', pattern: '^[0-9A-Za-z]{8}$', description: 'Names a key; it is no secret.' };
const url = { type: 'string', format: 'uri' };

/** Every member is there. */
function closed(description: string, properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, description, required, properties };
}

/** The schemas of what the gateway itself answers, by their names in the list of components. */
export const ANSWER_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  problem: closed('A failure (RFC 9457).', {
    type: { type: 'string', pattern: '^/problems/[a-z-]+$', description: 'Path of the page about it.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong with this request, and what to do.' },
    instance: {
      type: 'string',
      description: 'The id of the request, as in X-Request-Id; empty where that is absent.',
    },
    code: { enum: Object.keys(PROBLEMS), description: 'Stable name of the problem.' },
  }),
  'file-link': closed('Where a file is, for clients that cannot follow a redirect.', {
    url: { ...url, description: 'Signed, and good for `expires_in` seconds. Never send the API key there.' },
    expires_in: { type: 'integer', minimum: 0, description: 'Seconds.' },
    sha256: { ...sha256, description: "Digest of the file's bytes." },
    bytes: { type: 'integer', minimum: 1 },
    media_type: { type: 'string' },
    published_revision: revision,
  }),
  'key-created': closed('A new key; its text is told this once.', {
    key: schemaRef('api-key'),
    id: keyId,
    label,
    created_at: instant,
  }),
  'key-list': closed('The keys of an account, never their text.', {
    keys: {
      type: 'array',
      items: closed('A key.', {
        id: keyId,
        label,
        created_at: instant,
        revoked_at: { anyOf: [instant, { type: 'null' }] },
        last_used: { type: ['string', 'null'], format: 'date', description: 'UTC date of its last use.' },
      }),
    },
  }),
  'key-revoked': closed('A key that is refused from now on.', { id: keyId, revoked_at: instant }),
  'checkout-session': closed('Where to pay.', {
    checkout_url: { ...url, description: 'Send the browser there.' },
    session_id: { type: 'string' },
  }),
  'portal-session': closed('Where to change, pay and cancel.', { portal_url: url }),
  'event-receipt': closed('What came of an event.', {
    received: { const: true },
    outcome: { type: 'string', description: 'As the README lists them.' },
  }),
  health: closed('The process answers.', { status: { const: 'ok' } }),
  readiness: closed('Whether it has what it needs.', {
    status: { enum: ['ready', 'degraded', 'not-ready'] },
    stores: closed('Whether each store answers.', {
      releases: { enum: ['ok', 'unreachable'] },
      accounts: { enum: ['ok', 'unreachable'] },
    }),
    release: {
      anyOf: [
        closed('The release in force.', { revision, sequence: { type: 'integer', minimum: 1 } }),
        { type: 'null' },
      ],
    },
  }),
};
