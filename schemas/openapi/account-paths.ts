import { CHAIN_IDS, PLAN_IDS, PLANS } from '../catalog.js';
import { ENDPOINTS } from '../paths.js';
import type { JsonObject } from './components.js';
import { toOperation, toReads, type OperationOptions } from './operations.js';
import { inHeader, json, KEY, PRIVATE, RATE, SESSION } from './parameters.js';

const toBody = (
  description: string,
  schema: JsonObject,
  { example, required = true }: BodyOptions,
): JsonObject => ({
  description,
  required,
  content: { 'application/json': { schema, example } },
});
type BodyOptions = { readonly example: JsonObject; readonly required?: boolean };
const BODY_PROBLEMS = ['payload-too-large', 'unsupported-media-type'] as const;
const BILLING_PROBLEMS = ['billing-unavailable', 'billing-not-configured'] as const;
const SESSION_PROBLEMS = [
  'session-invalid',
  'identity-unavailable',
  'rate-limited',
  'store-unavailable',
] as const;

/** Returns an operation that changes an account and requires a dashboard session. */
function toChange(options: Omit<OperationOptions, 'tag' | 'security'>): JsonObject {
  return toOperation({
    ...options,
    tag: 'Account',
    security: SESSION,
    problems: [...SESSION_PROBLEMS, ...BODY_PROBLEMS, ...options.problems],
    problemHeaders: RATE,
  });
}

const LABEL = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 64,
  description: 'Name of the key.',
};

/** Returns the operations on an account's keys and entitlements, by path. */
export function accountPaths(): Record<string, JsonObject> {
  return {
    [ENDPOINTS.account]: accountOperations(),
    [ENDPOINTS.keys]: keyOperations(),
    ...entitlementPaths(),
  };
}

function accountOperations(): JsonObject {
  return {
    ...toReads({
      id: 'exportAccount',
      tag: 'Account',
      summary: 'Export the account',
      description: 'Returns everything that is kept about the account.',
      security: SESSION,
      answers: {
        '200': { description: 'The account.', content: json('account-export'), headers: PRIVATE },
      },
      problems: SESSION_PROBLEMS,
      problemHeaders: RATE,
    }),
    delete: toChange({
      id: 'deleteAccount',
      summary: 'Delete the account',
      description: 'Revokes and deletes all keys. The subscription must have ended.',
      body: toBody('Confirmation.', CONFIRMATION, { example: { confirm: 'delete' } }),
      answers: {
        '200': { description: 'The account is deleted.', content: json('account-deleted'), headers: PRIVATE },
      },
      problems: [...BILLING_PROBLEMS, 'already-subscribed'],
    }),
  };
}

const CONFIRMATION = {
  type: 'object',
  additionalProperties: false,
  required: ['confirm'],
  properties: {
    confirm: {
      type: 'string',
      const: 'delete',
      description: 'The word, so that nothing is deleted by mistake.',
    },
  },
};

function keyOperations(): JsonObject {
  return {
    ...toReads({
      id: 'listKeys',
      tag: 'Account',
      summary: 'List API keys',
      security: SESSION,
      answers: {
        '200': {
          description: 'All keys of the account, active and revoked. The secret keys are not included.',
          content: json('key-list'),
          headers: PRIVATE,
        },
      },
      problems: SESSION_PROBLEMS,
      problemHeaders: RATE,
    }),
    post: toChange({
      id: 'createKey',
      summary: 'Create an API key',
      body: toBody(
        'Optional label of the key.',
        { type: 'object', additionalProperties: false, properties: { label: LABEL } },
        { example: { label: 'notebook' }, required: false },
      ),
      answers: {
        '201': {
          description: 'Key created. This is the only response that contains the secret key.',
          content: json('key-created'),
          headers: PRIVATE,
        },
      },
      problems: ['subscription-inactive', 'key-limit-reached'],
    }),
    delete: revokeKey(),
  };
}

function revokeKey(): JsonObject {
  return toOperation({
    id: 'revokeKey',
    tag: 'Account',
    summary: 'Revoke an API key',
    description:
      'With a session, revokes the key named in the body or the query. With an API key, revokes that key itself.',
    parameters: [
      {
        name: 'id',
        in: 'query',
        required: false,
        schema: { type: 'string' },
        description: 'Id of the key, if the request has no body.',
        example: 'Abc123xy',
      },
    ],
    body: toBody(
      'Id of the key to revoke.',
      {
        type: 'object',
        additionalProperties: false,
        properties: { id: { type: 'string', description: 'Public id of the key.' } },
      },
      { example: { id: 'Abc123xy' }, required: false },
    ),
    security: [...SESSION, ...KEY],
    answers: {
      '200': {
        description: 'The key is revoked, by this request or an earlier one.',
        content: json('key-revoked'),
        headers: PRIVATE,
      },
    },
    problems: ['api-key-invalid', 'not-found', ...SESSION_PROBLEMS, ...BODY_PROBLEMS],
    problemHeaders: RATE,
  });
}

function entitlementPaths(): Record<string, JsonObject> {
  return {
    [ENDPOINTS.entitlements]: toReads({
      id: 'getEntitlements',
      tag: 'Account',
      summary: 'Retrieve entitlements',
      description:
        'Returns the plans, chains and files that the caller can read. With a session, also returns the state of the subscription.',
      security: [...KEY, ...SESSION],
      answers: {
        '200': { description: 'Current entitlements.', content: json('entitlements'), headers: PRIVATE },
      },
      problems: ['api-key-missing', 'api-key-invalid', ...SESSION_PROBLEMS],
      problemHeaders: RATE,
    }),
  };
}

const SIGNATURE = `t=1787220000,v1=${'0'.repeat(64)}`;
const NOTHING = { type: 'object', additionalProperties: false };
const EVENT = { id: 'evt_1Example', object: 'event', type: 'invoice.paid', livemode: false };

const SINGLE_CHAIN = PLAN_IDS.filter((plan) => PLANS[plan].chains !== 'all').flatMap(namesOf);
const ALL_CHAINS = PLAN_IDS.filter((plan) => PLANS[plan].chains === 'all').flatMap(namesOf);

/** A plan to buy. A plan for one chain requires the chain. */
const PURCHASE = {
  type: 'object',
  additionalProperties: false,
  required: ['plan'],
  properties: {
    plan: {
      type: 'string',
      enum: [...SINGLE_CHAIN, ...ALL_CHAINS],
      description: 'Name or alias of the plan.',
    },
    chain: {
      anyOf: [{ type: 'string', enum: [...CHAIN_IDS] }, { type: 'null' }],
      description: `Required for ${SINGLE_CHAIN.map(toCode).join(' and ')}. Other plans include all chains: omit it or send null.`,
    },
  },
  if: { properties: { plan: { enum: SINGLE_CHAIN } } },
  then: { required: ['chain'], properties: { chain: { type: 'string' } } },
  else: { not: { required: ['chain'], properties: { chain: { type: 'string' } } } },
};

function namesOf(plan: (typeof PLAN_IDS)[number]): string[] {
  return [plan, PLANS[plan].alias];
}

function toCode(name: string): string {
  return `\`${name}\``;
}

/** Returns the operations of checkout, billing portal and webhook, by path. */
export function billingPaths(): Record<string, JsonObject> {
  /** Only an event with a wrong signature is counted. */
  const uncounted = [...BILLING_PROBLEMS, ...BODY_PROBLEMS, 'store-unavailable'] as const;
  return {
    [ENDPOINTS.checkout]: {
      post: toChange({
        id: 'openCheckout',
        summary: 'Create a checkout session',
        body: toBody('The plan to buy.', PURCHASE, { example: { plan: 'single-chain', chain: 'base' } }),
        answers: {
          '201': {
            description: 'Checkout session created. Redirect the browser to `checkout_url`.',
            content: json('checkout-session'),
            headers: PRIVATE,
          },
        },
        problems: [...BILLING_PROBLEMS, 'already-subscribed'],
      }),
    },
    [ENDPOINTS.portal]: {
      post: toChange({
        id: 'openPortal',
        summary: 'Create a billing portal session',
        body: toBody('An empty object.', NOTHING, { example: {}, required: false }),
        answers: {
          '201': {
            description:
              'Portal session created. Redirect the browser to `portal_url` to change, pay or cancel the subscription.',
            content: json('portal-session'),
            headers: PRIVATE,
          },
        },
        problems: [...BILLING_PROBLEMS, 'subscription-inactive'],
      }),
    },
    [ENDPOINTS.webhook]: {
      post: toOperation({
        id: 'takeEvent',
        tag: 'Operation',
        summary: 'Receive a Stripe event',
        parameters: [inHeader('Stripe-Signature', "Stripe's signature of the raw request body.", SIGNATURE)],
        body: toBody('A Stripe event.', { type: 'object' }, { example: EVENT }),
        answers: {
          '200': {
            description: 'Event received. `outcome` is the result.',
            content: json('event-receipt'),
            headers: ['Cache-Control'],
          },
        },
        problems: [...uncounted, 'webhook-signature-invalid', 'rate-limited'],
        problemHeaders: RATE,
        uncounted: [...uncounted, 'request-malformed', 'internal'],
      }),
    },
  };
}
