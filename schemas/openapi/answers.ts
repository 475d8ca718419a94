import apiKey from '../examples/valid/api-key/test.json' with { type: 'json' };
import { objectKey, PROBLEMS_PATH } from '../paths.js';
import { PROBLEMS, SESSION_REFUSALS } from '../problems.js';
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
const digest = { ...sha256, description: "SHA-256 of the file's bytes." };
const bytes = { type: 'integer', minimum: 1, description: 'Size of the file.' };
const reachable = { type: 'string', enum: ['ok', 'unreachable'] };
const createdAt = { ...instant, description: 'Time at which the key was created.' };
const revokedAt = 'Time from which the key is refused';

/** Returns the schema of an object with these properties, required unless they are optional, and no others. */
function closed(description: string, properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, description, required, properties };
}

/** Schemas of the documents that the gateway itself returns, by component name. */
export const ANSWER_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  problem: closed(
    'A problem (RFC 9457).',
    {
      type: {
        type: 'string',
        pattern: `^${PROBLEMS_PATH}[a-z-]+$`,
        description: 'Path of a page that explains the problem.',
      },
      title: { type: 'string', description: 'Short name of the kind of problem.' },
      status: { type: 'integer', description: 'HTTP status.' },
      detail: { type: 'string', description: 'What was wrong with this request, and how to correct it.' },
      instance: {
        type: 'string',
        description: 'Id of the request, as in X-Request-Id. Empty if the response has no such header.',
      },
      code: { type: 'string', enum: Object.keys(PROBLEMS), description: 'Stable name of the problem.' },
      refusal: {
        type: 'string',
        enum: Object.keys(SESSION_REFUSALS),
        description: 'Why a session token was refused. Only `session-invalid` has it, if a token was sent.',
      },
    },
    ['refusal'],
  ),
  'file-link': closed(
    'The URL of a file, for clients that cannot follow a redirect.',
    {
      url: {
        ...url,
        description: 'Signed URL, valid for `expires_in` seconds. Do not send the API key there.',
      },
      expires_in: {
        type: 'integer',
        minimum: 0,
        description: 'Number of seconds for which URLs are valid.',
      },
      sha256: digest,
      bytes,
      media_type: { type: 'string', description: 'Type of the file.' },
      published_revision: { ...revision, description: 'Last revision that changed the file.' },
      volumes: {
        type: 'array',
        description: 'Only with `volumes`.',
        items: closed('A volume, with its path in the manifest.', {
          path: { type: 'string', description: 'Path of the volume below the base URL.' },
          url: { ...url, description: 'Signed URL of the volume.' },
          sha256: digest,
          bytes,
        }),
      },
      brief: closed('Only for a session, and the brief of a date: its text.', {
        headline: { type: 'string', description: 'Headline.' },
        body: { type: 'string', description: 'Paragraphs, separated by an empty line.' },
      }),
    },
    ['volumes', 'brief'],
  ),
  'key-created': closed('A new API key. The secret key is returned only once.', {
    key: { ...schemaRef('api-key'), description: 'The secret key. Keep it: it is not shown again.' },
    id: keyId,
    label,
    created_at: createdAt,
  }),
  'key-list': closed('The API keys of an account, without the secret keys.', {
    keys: {
      type: 'array',
      description: 'The keys, also revoked ones.',
      items: closed('An API key.', {
        id: keyId,
        label,
        created_at: createdAt,
        revoked_at: {
          anyOf: [instant, { type: 'null' }],
          description: `${revokedAt}; null while it is valid.`,
        },
        last_used: {
          type: ['string', 'null'],
          format: 'date',
          description: 'UTC date on which the key was last used.',
        },
      }),
    },
  }),
  'key-revoked': closed('A revoked key.', {
    id: keyId,
    revoked_at: { ...instant, description: `${revokedAt}.` },
  }),
  'checkout-session': closed('A checkout session.', {
    checkout_url: { ...url, description: 'Redirect the browser to this URL.' },
    session_id: { type: 'string', description: "Stripe's id of the session." },
  }),
  'portal-session': closed('A billing portal session.', {
    portal_url: { ...url, description: 'Redirect the browser to this URL.' },
  }),
  'event-receipt': closed('Confirmation that a Stripe event was received.', {
    received: { type: 'boolean', description: 'Always true.' },
    outcome: { type: 'string', description: 'What the gateway did with the event.' },
  }),
  'account-export': closed('Everything that is kept about an account.', {
    exported_at: { ...instant, description: 'Time of the export.' },
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
  'account-deleted': closed('Confirmation that an account was deleted.', {
    deleted_at: { ...instant, description: 'Time of the deletion.' },
  }),
  'account-settings': closed('Settings of the account page.', {
    sign_in: {
      description: 'How a browser signs in; null if accounts have no sign-in.',
      anyOf: [
        closed('A public client with PKCE.', {
          issuer: { ...url, description: 'The OpenID provider.' },
          client_id: { type: 'string', description: 'Id of this client there.' },
          scopes: { type: 'string', description: 'Scopes to ask for, separated by spaces.' },
          resource: { type: ['string', 'null'], description: 'Resource of the tokens (RFC 8707).' },
          token: { type: 'string', enum: ['access', 'id'], description: 'The token that is the session.' },
          sign_out: {
            type: 'string',
            enum: ['post', 'get'],
            description: 'The method that ends the session at the provider.',
          },
        }),
        { type: 'null' },
      ],
    },
    sells: { type: 'boolean', description: 'Whether plans can be bought here.' },
  }),
  health: closed('The process is running.', {
    status: { type: 'string', const: 'ok', description: 'Always ok.' },
  }),
  readiness: closed('Readiness of the gateway.', {
    status: {
      type: 'string',
      enum: ['ready', 'degraded', 'not-ready'],
      description:
        'degraded: a store is unreachable, and what is cached is served. not-ready: no release is loaded.',
    },
    stores: closed('Reachability of each store.', {
      releases: { ...reachable, description: 'The store of releases.' },
      accounts: { ...reachable, description: 'The store of accounts.' },
    }),
    release: {
      description: 'The release that is served; null before the first.',
      anyOf: [
        closed('The current release.', {
          revision: { ...revision, description: 'Its revision.' },
          sequence: { type: 'integer', minimum: 1, description: 'Its number.' },
        }),
        { type: 'null' },
      ],
    },
  }),
};

const KEY_ID = 'Abc123xy';
const CREATED = '2026-08-20T09:00:00Z';
const DIGEST = '325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52';

/** An example of each of these documents. Its API key was never valid. */
export const ANSWER_EXAMPLES: Readonly<Record<string, unknown>> = {
  'account-export': {
    exported_at: CREATED,
    account: {
      schema: 'account/1',
      account: 'auth0|5f7c8ec7c33c6c004bbafe82',
      keys: { [KEY_ID]: { label: 'notebook', created_at: CREATED, revoked_at: null } },
      grants: [],
    },
    last_used: { [KEY_ID]: '2026-08-20' },
  },
  'account-deleted': { deleted_at: CREATED },
  'account-settings': {
    sign_in: {
      issuer: 'https://login.example.com/',
      client_id: 'account-page',
      scopes: 'openid',
      resource: null,
      token: 'access',
      sign_out: 'post',
    },
    sells: true,
  },
  'file-link': {
    url: `https://data.example.com/${objectKey(DIGEST)}?X-Amz-Expires=300&X-Amz-Signature=0000`,
    expires_in: 300,
    sha256: DIGEST,
    bytes: 3205,
    media_type: 'application/json',
    published_revision: '2026-08-20.000001',
  },
  'key-created': { key: apiKey, id: KEY_ID, label: 'notebook', created_at: CREATED },
  'key-list': {
    keys: [
      { id: KEY_ID, label: 'notebook', created_at: CREATED, revoked_at: null, last_used: '2026-08-21' },
      {
        id: 'Old12345',
        label: null,
        created_at: CREATED,
        revoked_at: '2026-08-21T10:30:00Z',
        last_used: null,
      },
    ],
  },
  'key-revoked': { id: KEY_ID, revoked_at: '2026-08-21T10:30:00Z' },
  'checkout-session': {
    checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1Example',
    session_id: 'cs_test_a1Example',
  },
  'portal-session': { portal_url: 'https://billing.stripe.com/p/session/test_Example' },
  'event-receipt': { received: true, outcome: 'taken' },
  health: { status: 'ok' },
  readiness: {
    status: 'ready',
    stores: { releases: 'ok', accounts: 'ok' },
    release: { revision: '2026-08-20.000001', sequence: 2 },
  },
};
