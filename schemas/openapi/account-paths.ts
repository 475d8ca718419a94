import { CHAIN_IDS, PLAN_IDS, PLANS } from '../catalog.js';
import type { JsonObject } from './components.js';
import { toOperation, toReads, type OperationTerms } from './operations.js';
import { inHeader, json, KEY, PRIVATE, RATE, SESSION } from './parameters.js';

const toBody = (
  description: string,
  schema: JsonObject,
  { example, required = true }: BodyTerms,
): JsonObject => ({
  description,
  required,
  content: { 'application/json': { schema, example } },
});
type BodyTerms = { readonly example: JsonObject; readonly required?: boolean };
const BODY_PROBLEMS = ['payload-too-large', 'unsupported-media-type'] as const;
const SESSION_PROBLEMS = [
  'session-invalid',
  'identity-unavailable',
  'rate-limited',
  'store-unavailable',
] as const;

/** A change of an account that its dashboard asks for. */
function change(terms: Omit<OperationTerms, 'tag' | 'security'>): JsonObject {
  return toOperation({
    ...terms,
    tag: 'Account',
    security: SESSION,
    problems: [...SESSION_PROBLEMS, ...BODY_PROBLEMS, ...terms.problems],
    problemHeaders: [...RATE, 'Vary'],
  });
}

const LABEL = { type: ['string', 'null'], minLength: 1, maxLength: 64 };

/** The paths of an account's keys and entitlements. */
export function accountPaths(): Record<string, JsonObject> {
  return { '/api/v1/keys': keyOperations(), ...entitlementPaths() };
}

function keyOperations(): JsonObject {
  const keys = toReads({
    id: 'listKeys',
    tag: 'Account',
    summary: 'The keys of the account',
    security: SESSION,
    answers: {
      '200': { description: 'All of them, never their text.', content: json('key-list'), headers: PRIVATE },
    },
    problems: SESSION_PROBLEMS,
    problemHeaders: [...RATE, 'Vary'],
  });
  return {
    ...keys,
    post: change({
      id: 'createKey',
      summary: 'Create a key',
      body: toBody(
        'Its label.',
        { type: 'object', additionalProperties: false, properties: { label: LABEL } },
        { example: { label: 'notebook' }, required: false },
      ),
      answers: {
        '201': {
          description: 'The key; its text is told this once.',
          content: json('key-created'),
          headers: PRIVATE,
        },
      },
      problems: ['subscription-inactive', 'key-limit-reached'],
    }),
    delete: toOperation({
      id: 'revokeKey',
      tag: 'Account',
      summary: 'Revoke a key',
      description: 'With a session, the key that the body or the query names; with a key, that key itself.',
      parameters: [
        {
          name: 'id',
          in: 'query',
          required: false,
          schema: { type: 'string' },
          description: 'Id of the key, where no body names it.',
          example: 'Abc123xy',
        },
      ],
      body: toBody(
        'Which key.',
        { type: 'object', additionalProperties: false, properties: { id: { type: 'string' } } },
        { example: { id: 'Abc123xy' }, required: false },
      ),
      security: [...SESSION, ...KEY],
      answers: {
        '200': { description: 'Revoked, now or before.', content: json('key-revoked'), headers: PRIVATE },
      },
      problems: ['api-key-invalid', 'not-found', ...SESSION_PROBLEMS, ...BODY_PROBLEMS],
      problemHeaders: [...RATE, 'Vary'],
    }),
  };
}

function entitlementPaths(): Record<string, JsonObject> {
  return {
    '/api/v1/entitlements': toReads({
      id: 'getEntitlements',
      tag: 'Account',
      summary: 'What a key or a session may read',
      description: 'With a session also how the subscription stands.',
      security: [...KEY, ...SESSION],
      answers: { '200': { description: 'By now.', content: json('entitlements'), headers: PRIVATE } },
      problems: ['api-key-missing', 'api-key-invalid', ...SESSION_PROBLEMS],
      problemHeaders: [...RATE, 'Vary'],
    }),
  };
}

const SIGNATURE = `t=1787220000,v1=${'0'.repeat(64)}`;
const NOTHING = { type: 'object', additionalProperties: false };
const EVENT = { id: 'evt_1Example', object: 'event', type: 'invoice.paid', livemode: false };

/** What can be bought: a plan of one chain with its chain, one of all chains without. */
const PURCHASE = {
  oneOf: PLAN_IDS.map((plan) => {
    const isOfOne = PLANS[plan].chains !== 'all';
    return {
      type: 'object',
      title: PLANS[plan].name,
      additionalProperties: false,
      required: isOfOne ? ['plan', 'chain'] : ['plan'],
      properties: {
        plan: { enum: [plan, PLANS[plan].alias] },
        chain: isOfOne ? { enum: [...CHAIN_IDS] } : { type: 'null' },
      },
    };
  }),
};

/** The paths of selling. */
export function sellingPaths(): Record<string, JsonObject> {
  const selling = ['billing-unavailable', 'billing-not-configured'] as const;
  return {
    '/api/v1/checkout': {
      post: change({
        id: 'openCheckout',
        summary: 'Begin to buy a plan',
        body: toBody('What to buy.', PURCHASE, { example: { plan: 'single-chain', chain: 'base' } }),
        answers: {
          '201': { description: 'Where to pay.', content: json('checkout-session'), headers: PRIVATE },
        },
        problems: [...selling, 'already-subscribed'],
      }),
    },
    '/api/v1/checkout/portal': {
      post: change({
        id: 'openPortal',
        summary: 'Change, pay or cancel what was bought',
        body: toBody('Nothing.', NOTHING, { example: {}, required: false }),
        answers: { '201': { description: 'Where.', content: json('portal-session'), headers: PRIVATE } },
        problems: [...selling, 'subscription-inactive'],
      }),
    },
    '/api/v1/stripe/webhook': {
      post: toOperation({
        id: 'takeEvent',
        tag: 'Operation',
        summary: 'For Stripe alone',
        parameters: [
          inHeader('Stripe-Signature', "Stripe's signature over the body as it is sent.", SIGNATURE),
        ],
        body: toBody('An event of Stripe.', { type: 'object' }, { example: EVENT }),
        answers: {
          '200': {
            description: 'What came of it.',
            content: json('event-receipt'),
            headers: ['Cache-Control', 'Vary'],
          },
        },
        problems: [...selling, ...BODY_PROBLEMS, 'webhook-signature-invalid', 'store-unavailable'],
        problemHeaders: ['Vary'],
      }),
    },
  };
}
