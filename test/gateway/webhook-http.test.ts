import { gzipSync } from 'node:zlib';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { PUBLIC_PATHS } from '../../schemas/paths.js';
import { createFakeBilling, type FakeBilling } from '../../scripts/fake-billing.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import { asJson, startDashboardServer, type Dashboard, type DashboardServer } from '../fixtures/dashboard.js';
import { readDocument, readProblem, readProblemCode } from '../fixtures/http-answers.js';
import { OLDER_SECRET, sign, takeSigned, toStripeEvent, type Signing } from '../fixtures/signed-events.js';

const WEBHOOK = '/api/v1/stripe/webhook';
const LIMIT_BYTES = 65_536;
const SEVERAL = 5;
const REFUSED = 'webhook-signature-invalid';
const nowMs = Date.parse('2026-08-20T12:00:00Z');
let billing: FakeBilling;
let accountsStore: ObjectStore;
let server: DashboardServer;
let buyer: Dashboard;
/** What Stripe tells first of a purchase. */
let event: BillingEvent;

async function start(addressPerMinute = 1_000_000): Promise<void> {
  const now = (): number => nowMs;
  billing = createFakeBilling({ now, prices: PRICES });
  const limits = { keyPerMinute: 1_000_000, addressPerMinute };
  accountsStore = createMemoryStore();
  server = await startDashboardServer(now, {
    accountsStore,
    billing: takeSigned(billing, now),
    configuration: { limits, billing: BILLING },
  });
  buyer = await server.open({ granted: false });
  const asked = { path: '/api/v1/checkout', ...asJson({ plan: 'research' }) };
  const { session_id: session } = await readDocument(await buyer.ask('POST', asked));
  billing.complete(String(session));
  const [first] = billing.events;
  if (first === undefined) throw new Error('something was bought');
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
  server.gateway.ask(WEBHOOK, {
    method: 'POST',
    body: Buffer.from(body),
    headers: { ...(signature === undefined ? {} : { 'Stripe-Signature': signature }), ...headers },
  });

const plain = (): string => JSON.stringify(toStripeEvent(event));
const signed = (body: string, how: Partial<Signing> = {}): Sent => ({
  body,
  signature: sign(body, { nowMs, ...how }),
});

/** The events that the account's record says were dealt with: none where nothing was read from Stripe. */
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
    ['as it is', () => signed(plain())],
    ['five minutes ago', () => signed(plain(), { ageSeconds: 300 })],
    ['in five minutes by our clock', () => signed(plain(), { ageSeconds: -300 })],
    ['with the older of two secrets', () => signed(plain(), { secret: OLDER_SECRET })],
    ['pretty-printed, and sent so', () => signed(JSON.stringify(toStripeEvent(event), null, 2))],
    [
      'with letters of other scripts',
      () => signed(JSON.stringify({ ...toStripeEvent(event), note: 'Grüße 你好 😀' })),
    ],
    ['of 64 KiB', () => signed(plain().padEnd(LIMIT_BYTES))],
    ['sent as a text', () => ({ ...signed(plain()), headers: { 'Content-Type': 'text/plain' } })],
    [
      'sent with a charset',
      () => ({ ...signed(plain()), headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
    ],
    [
      'sent with a charset that it has not',
      () => ({ ...signed(plain()), headers: { 'Content-Type': 'application/json; charset=utf-16' } }),
    ],
    [
      'sent as a form',
      () => ({ ...signed(plain()), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
    ],
    ['sent without a type', () => ({ ...signed(plain()), headers: {} })],
    [
      'sent in no other encoding',
      () => ({ ...signed(plain()), headers: { 'Content-Encoding': 'identity' } }),
    ],
  ])('is taken %s', async (_how, make) => {
    expect(await recorded()).toEqual([]);
    await expectTaken(make());
  });

  it('is taken in pieces, and once', async () => {
    const { body, signature = '' } = signed(plain());
    const pieces = new Blob([body]).stream();
    const init = { method: 'POST', body: pieces, duplex: 'half' } as RequestInit; // Node needs duplex
    const response = await server.gateway.ask(WEBHOOK, {
      ...init,
      headers: { 'Stripe-Signature': signature },
    });
    expect(await readDocument(response)).toEqual({ received: true, outcome: 'taken' });
    expect(await readDocument(await send(signed(plain())))).toEqual({ received: true, outcome: 'duplicate' });
  });
});

describe('what Stripe did not sign so', () => {
  beforeEach(() => start());

  it.each<[string, () => Sent]>([
    ['written anew', () => ({ ...signed(JSON.stringify(toStripeEvent(event), null, 2)), body: plain() })],
    ['altered', () => ({ ...signed(plain()), body: plain().replace('evt_', 'evt_x') })],
    ['longer by a blank', () => ({ ...signed(plain()), body: `${plain()} ` })],
    ['signed five minutes and a second ago', () => signed(plain(), { ageSeconds: 301 })],
    ['signed in five minutes and a second', () => signed(plain(), { ageSeconds: -301 })],
    ['signed with another secret', () => signed(plain(), { secret: 'whsec_plantedsecretofothers' })],
    ['signed with no secret', () => signed(plain(), { secret: ' ' })],
    ['without a signature', () => ({ body: plain() })],
    ['with an empty signature', () => ({ body: plain(), signature: '' })],
    ['with a signature that is none', () => ({ body: plain(), signature: 't=1,v1=' })],
    [
      'with a signature of another scheme',
      () => ({ body: plain(), signature: sign(plain(), { nowMs }).replace('v1=', 'v0=') }),
    ],
    ['without a body', () => ({ ...signed(plain()), body: '' })],
  ])('is refused: %s', async (_how, make) => {
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
  ])('is refused although it was signed: %j', async (body) => {
    expect(await readProblemCode(await send(signed(body)))).toBe(REFUSED);
  });

  it.each([undefined, null, 7, '', 'evt', 'evt_\u0000'])('is no event by the id %j', async (id) => {
    expect(await readProblemCode(await send(signed(JSON.stringify({ ...toStripeEvent(event), id }))))).toBe(
      REFUSED,
    );
    expect(await recorded()).toEqual([]);
  });

  it('breaks nothing where the members of an event are odd', async () => {
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

  it('is refused where it has more than 64 KiB, whoever signed it', async () => {
    const body = plain().padEnd(LIMIT_BYTES + 1);
    expect(await readProblemCode(await send(signed(body)))).toBe('payload-too-large');
    expect(await recorded()).toEqual([]);
  });

  it.each(['gzip', 'deflate', 'br', 'x'])('is refused in the encoding %s', async (encoding) => {
    const body = gzipSync(plain());
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
    const { signature } = signed(plain());
    expect(await readProblemCode(await send({ body, signature, headers }))).toBe('unsupported-media-type');
    expect(await recorded()).toEqual([]);
  });
});

it('is answered beyond the limit of addresses, which holds for other routes', async () => {
  await start(1);
  const askStatus = async (): Promise<number> => (await server.gateway.ask(PUBLIC_PATHS.status)).status;
  expect([await askStatus(), await askStatus()]).toEqual([200, 429]);
  const answers: Response[] = [];
  for (let i = 0; i < SEVERAL; i += 1) {
    const body = JSON.stringify({ ...toStripeEvent(event), id: `evt_${i}` });
    answers.push(await send(signed(body)), await send({ body }));
  }
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: SEVERAL }, () => [200, 400]).flat(),
  );
  expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual(answers.map(() => null));
  expect(await askStatus()).toBe(429);
});
