import { PROBLEMS_PATH } from '../paths.js';
import { PROBLEMS } from '../problems.js';
import { schemaRef, type JsonObject } from './components.js';

const instant = schemaRef('common.instant');
const sha256 = schemaRef('common.sha256');
const revision = schemaRef('common.revision');
const label = { type: ['string', 'null'], maxLength: 64, description: 'Name that the owner gave the key.' };
const keyId = {
  type: 'string',
  pattern: '^[0-9A-Za-z]{8}$',
  description: 'Public id of a key. It is not a secret.',
};
const url = { type: 'string', format: 'uri' };

/** Returns the schema of an object with these properties, required unless they are optional, and no others. */
function closed(description: string, properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, description, required, properties };
}

/** Schemas of the documents that the gateway itself returns, by component name. */
export const ANSWER_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  problem: closed('A problem (RFC 9457).', {
    type: {
      type: 'string',
      pattern: `^${PROBLEMS_PATH}[a-z-]+$`,
      description: 'Path of a page that explains the problem.',
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong with this request, and how to correct it.' },
    instance: {
      type: 'string',
      description: 'Id of the request, as in X-Request-Id. Empty if the response has no such header.',
    },
    code: { enum: Object.keys(PROBLEMS), description: 'Stable name of the problem.' },
  }),
  'file-link': closed('The URL of a file, for clients that cannot follow a redirect.', {
    url: {
      ...url,
      description: 'Signed URL, valid for `expires_in` seconds. Do not send the API key there.',
    },
    expires_in: { type: 'integer', minimum: 0, description: 'Number of seconds for which the URL is valid.' },
    sha256: { ...sha256, description: "SHA-256 of the file's bytes." },
    bytes: { type: 'integer', minimum: 1 },
    media_type: { type: 'string' },
    published_revision: revision,
  }),
  'key-created': closed('A new API key. The secret key is returned only once.', {
    key: schemaRef('api-key'),
    id: keyId,
    label,
    created_at: instant,
  }),
  'key-list': closed('The API keys of an account, without the secret keys.', {
    keys: {
      type: 'array',
      items: closed('An API key.', {
        id: keyId,
        label,
        created_at: instant,
        revoked_at: { anyOf: [instant, { type: 'null' }] },
        last_used: {
          type: ['string', 'null'],
          format: 'date',
          description: 'UTC date on which the key was last used.',
        },
      }),
    },
  }),
  'key-revoked': closed('A revoked key.', { id: keyId, revoked_at: instant }),
  'checkout-session': closed('A checkout session.', {
    checkout_url: { ...url, description: 'Redirect the browser to this URL.' },
    session_id: { type: 'string' },
  }),
  'portal-session': closed('A billing portal session.', { portal_url: url }),
  'event-receipt': closed('Confirmation that a Stripe event was received.', {
    received: { const: true },
    outcome: { type: 'string', description: 'What the gateway did with the event.' },
  }),
  'account-export': closed('Everything that is kept about an account.', {
    exported_at: instant,
    account: {
      type: 'object',
      required: ['account', 'keys', 'grants'],
      description:
        'The account as it is stored: its id, keys, grants, and customer and subscriptions at Stripe.',
    },
    last_used: {
      type: 'object',
      additionalProperties: { type: 'string', format: 'date' },
      description: 'Dates of last use, by key id.',
    },
  }),
  'account-deleted': closed('Confirmation that an account was deleted.', { deleted_at: instant }),
  'account-settings': closed('Settings of the account page.', {
    sign_in: {
      anyOf: [
        closed('A public client with PKCE.', {
          issuer: url,
          client_id: { type: 'string' },
          scopes: { type: 'string' },
          resource: { type: ['string', 'null'], description: 'Resource of the tokens (RFC 8707).' },
          token: { enum: ['access', 'id'], description: 'The token that is the session.' },
        }),
        { type: 'null' },
      ],
    },
    sells: { type: 'boolean', description: 'Whether plans can be bought here.' },
  }),
  health: closed('The process is running.', { status: { const: 'ok' } }),
  readiness: closed('Readiness of the gateway.', {
    status: { enum: ['ready', 'degraded', 'not-ready'] },
    stores: closed('Reachability of each store.', {
      releases: { enum: ['ok', 'unreachable'] },
      accounts: { enum: ['ok', 'unreachable'] },
    }),
    release: {
      anyOf: [
        closed('The current release.', { revision, sequence: { type: 'integer', minimum: 1 } }),
        { type: 'null' },
      ],
    },
  }),
};
