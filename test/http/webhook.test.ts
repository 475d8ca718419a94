import { gzipSync } from 'node:zlib';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { readStoredAccount } from '../../gateway/io/accounts/update-account.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { PUBLIC_PATHS } from '../../schemas/paths.js';
import { createFakeBilling, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import {
  asJson,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { readDocument, readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import {
  OLDER_SECRET,
  sign,
  withRealSignatures,
  toStripeEvent,
  type Signing,
} from '../support/stripe/signed-events.js';

const WEBHOOK = '/api/v1/stripe/webhook';
const LIMIT_BYTES = 1_048_576;
const SEVERAL = 5;
const REFUSED = 'webhook-signature-invalid';
const nowMs = Date.parse('2026-08-20T12:00:00Z');
let billing: FakeBilling;
let accountsStore: ObjectStore;
let server: DashboardServer;
let buyer: Dashboard;
/** Stripe's first event about a purchase. */
let event: BillingEvent;

async function start(addressPerMinute = 1_000_000): Promise<void> {
  const now = (): number => nowMs;
  billing = createFakeBilling({ now, prices: PRICES });
  const limits = { keyPerMinute: 1_000_000, addressPerMinute };
  accountsStore = createMemoryStore();
  server = await startDashboardServer(now, {
    accountsStore,
    billing: withRealSignatures(billing, now),
    configuration: { limits, billing: BILLING },
  });
  buyer = await server.openSession({ granted: false });
  const asked = { path: '/api/v1/checkout', ...asJson({ plan: 'research' }) };
  const { session_id: session } = await readDocument(await buyer.request('POST', asked));
  billing.complete(String(session));
  const [first] = billing.events;
  if (first === undefined) throw new Error('there is no event');
  event = first;
}
afterEach(() => server.dispose());

type Sent = {
  readonly body: string | Uint8Array;
  readonly signature?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

const send = ({
  body,
  signature,
  headers = { 'Content-Type': 'application/json' },
}: Sent): Promise<Response> =>
  server.gateway.request(WEBHOOK, {
    method: 'POST',
    body: Buffer.from(body),
    headers: { ...(signature === undefined ? {} : { 'Stripe-Signature': signature }), ...headers },
  });

const plain = (): string => JSON.stringify(toStripeEvent(event));
const signed = (body: string, how: Partial<Signing> = {}): Sent => ({
  body,
  signature: sign(body, { nowMs, ...how }),
});

/** Returns the events that the account's record lists as processed. */
async function recorded(): Promise<readonly string[]> {
  return (await readStoredAccount(accountsStore, buyer.account))?.value.billing?.events ?? [];
}

async function expectTaken(sent: Sent): Promise<void> {
  const response = await send(sent);
  expect([response.status, await response.json()]).toEqual([200, { received: true, outcome: 'taken' }]);
  expect(await recorded()).toEqual([event.id]);
}

describe('an event that Stripe signed', () => {
  beforeEach(() => start());

  it.each<[string, () => Sent]>([
    ['unchanged', () => signed(plain())],
    ['signed five minutes ago', () => signed(plain(), { ageSeconds: 300 })],
    ['signed five minutes in the future', () => signed(plain(), { ageSeconds: -300 })],
    ['signed with the older of two secrets', () => signed(plain(), { secret: OLDER_SECRET })],
    ['pretty-printed', () => signed(JSON.stringify(toStripeEvent(event), null, 2))],
    [
      'with characters of other scripts',
      () => signed(JSON.stringify({ ...toStripeEvent(event), note: 'Grüße 你好 😀' })),
    ],
    ['of 64 KiB and a byte', () => signed(plain().padEnd(65_537))],
    ['of 1 MiB', () => signed(plain().padEnd(LIMIT_BYTES))],
    ['sent as text/plain', () => ({ ...signed(plain()), headers: { 'Content-Type': 'text/plain' } })],
    [
      'sent with a charset',
      () => ({ ...signed(plain()), headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
    ],
    [
      'sent with a wrong charset',
      () => ({ ...signed(plain()), headers: { 'Content-Type': 'application/json; charset=utf-16' } }),
    ],
    [
      'sent as a form',
      () => ({ ...signed(plain()), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
    ],
    ['sent without a media type', () => ({ ...signed(plain()), headers: {} })],
    [
      'sent with the identity encoding',
      () => ({ ...signed(plain()), headers: { 'Content-Encoding': 'identity' } }),
    ],
  ])('is accepted: %s', async (_how, make) => {
    expect(await recorded()).toEqual([]);
    await expectTaken(make());
  });

  it('is accepted in chunks, and only once', async () => {
    const { body, signature = '' } = signed(plain());
    const pieces = new Blob([body]).stream();
    const init = { method: 'POST', body: pieces, duplex: 'half' } as RequestInit; // Node needs duplex
    const response = await server.gateway.request(WEBHOOK, {
      ...init,
      headers: { 'Stripe-Signature': signature },
    });
    expect(await readDocument(response)).toEqual({ received: true, outcome: 'taken' });
    expect(await readDocument(await send(signed(plain())))).toEqual({ received: true, outcome: 'duplicate' });
  });
});

describe('an event that is not signed by Stripe or not valid', () => {
  beforeEach(() => start());

  it.each<[string, () => Sent]>([
    ['reformatted', () => ({ ...signed(JSON.stringify(toStripeEvent(event), null, 2)), body: plain() })],
    ['altered', () => ({ ...signed(plain()), body: plain().replace('evt_', 'evt_x') })],
    ['with an additional space', () => ({ ...signed(plain()), body: `${plain()} ` })],
    ['signed more than five minutes ago', () => signed(plain(), { ageSeconds: 301 })],
    ['signed more than five minutes in the future', () => signed(plain(), { ageSeconds: -301 })],
    ['signed with another secret', () => signed(plain(), { secret: 'whsec_plantedsecretofothers' })],
    ['signed with a blank secret', () => signed(plain(), { secret: ' ' })],
    ['without a signature', () => ({ body: plain() })],
    ['with an empty signature', () => ({ body: plain(), signature: '' })],
    ['with a malformed signature', () => ({ body: plain(), signature: 't=1,v1=' })],
    [
      'with a signature of another scheme',
      () => ({ body: plain(), signature: sign(plain(), { nowMs }).replace('v1=', 'v0=') }),
    ],
    ['without a body', () => ({ ...signed(plain()), body: '' })],
  ])('is rejected: %s', async (_how, make) => {
    const { code, detail } = await readProblem(await send(make()));
    expect([code, detail.includes('evt_')]).toEqual([REFUSED, false]);
    expect(await recorded()).toEqual([]);
  });

  it.each([
    '',
    'event',
    '[]',
    '{}',
    'null',
    '7',
    '"evt_1"',
    '{"data":null}',
    '{"data":{"object":null}}',
    '\u0000',
  ])('is rejected although it was signed: %j', async (body) => {
    expect(await readProblemCode(await send(signed(body)))).toBe('request-malformed');
  });

  it.each([undefined, null, 7, '', 'evt', 'evt_\u0000'])('is rejected with the event id %j', async (id) => {
    expect(await readProblemCode(await send(signed(JSON.stringify({ ...toStripeEvent(event), id }))))).toBe(
      'request-malformed',
    );
    expect(await recorded()).toEqual([]);
  });

  it('causes no 5xx response when it has unexpected members', async () => {
    const whole = toStripeEvent(event);
    const object = { id: 'x', customer: event.customer, metadata: { account: event.account } };
    const odd = [
      { ...whole, type: null },
      { ...whole, livemode: 'no' },
      { ...whole, data: { object: { ...object, customer: 7 } } },
      { ...whole, data: { object: { ...object, metadata: 'acme' } } },
      { ...whole, data: { object: { ...object, metadata: { account: '\u0000' } } } },
    ];
    for (const [i, each] of odd.entries()) {
      const body = JSON.stringify({ ...each, id: `evt_${i}` });
      expect([body, (await send(signed(body))).status < 500]).toEqual([body, true]);
    }
  });

  it('is rejected above 1 MiB, even if signed', async () => {
    const body = plain().padEnd(LIMIT_BYTES + 1);
    expect(await readProblemCode(await send(signed(body)))).toBe('payload-too-large');
    expect(await recorded()).toEqual([]);
  });

  it.each(['gzip', 'deflate', 'br', 'x'])('is rejected with the encoding %s', async (encoding) => {
    const body = gzipSync(plain());
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
    const { signature } = signed(plain());
    expect(await readProblemCode(await send({ body, signature, headers }))).toBe('unsupported-media-type');
    expect(await recorded()).toEqual([]);
  });
});

it('is not counted as a failed credential if it is a thin event, which the problem names', async () => {
  await start(2);
  const body = JSON.stringify({
    id: 'evt_1',
    object: 'v2.core.event',
    type: 'v1.billing.meter.no_meter_found',
  });
  for (let i = 0; i < SEVERAL; i += 1) {
    const response = await send(signed(body));
    expect(response.headers.get('RateLimit')).toBeNull();
    const { code, detail } = await readProblem(response);
    expect([code, detail]).toEqual(['request-malformed', expect.stringContaining('payload style Snapshot')]);
  }
});

it('is exempt from the limits of its address if it is valid, and counted there if it is forged', async () => {
  await start(2);
  const askStatus = async (): Promise<number> => (await server.gateway.request(PUBLIC_PATHS.status)).status;
  expect([await askStatus(), await askStatus(), await askStatus()]).toEqual([200, 200, 429]);
  const [valid, forged]: Response[][] = [[], []];
  for (let i = 0; i < SEVERAL; i += 1) {
    const body = JSON.stringify({ ...toStripeEvent(event), id: `evt_${i}` });
    valid?.push(await send(signed(body)));
    forged?.push(await send({ body }));
  }
  expect(valid?.map(({ status, headers }) => [status, headers.get('ratelimit')])).toEqual(
    Array.from({ length: SEVERAL }, () => [200, null]),
  );
  expect(forged?.map(({ status }) => status)).toEqual([400, 400, 429, 429, 429]);
  expect(forged?.map(({ headers }) => headers.get('ratelimit'))).toEqual(
    [1, 0, 0, 0, 0].map((left) => `"credentials";r=${left};t=60`),
  );
});
