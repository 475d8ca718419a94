import { PUBLIC_PATHS } from '../../schemas/paths.js';
import {
  startDescribedGateway,
  startSellingGateway,
  type DescribedGateway,
} from '../fixtures/described-gateway.js';
import { OPERATIONS } from '../fixtures/openapi-judge.js';
import { installSchemathesis, type Schemathesis, type Trial } from '../fixtures/schemathesis.js';
import { createTemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 600_000;
/** What a key or session is sent to; the rest is asked in the same way by a stranger. */
const FOR_CALLERS = ['--include-tag', 'Subscriber files', '--include-tag', 'Account'];
/** A key that asks to be revoked is, and then opens nothing more. */
const BUT_REVOKING = ['--exclude-operation-id', 'revokeKey'];
const SELLING = ['--include-tag', 'Account', '--include-tag', 'Operation'];

let schemathesis: Schemathesis;
let gateway: DescribedGateway;
/** What was opened, in order: what could not be opened need not be closed. */
const opened: { dispose: () => Promise<unknown> }[] = [];
let trials: Readonly<Record<string, Trial>>;

beforeAll(async () => {
  schemathesis = installSchemathesis();
  const folder = await createTemporaryFolder();
  opened.push(folder);
  gateway = await startDescribedGateway(folder.path);
  opened.push(gateway);
  const seller = await startSellingGateway();
  opened.push(seller);
  const { research, singleChain } = gateway.callers;
  const here = { gateway: gateway.url, isSelling: false };
  const there = { gateway: seller.url, isSelling: true };
  const [stranger, single, all, buyer] = await Promise.all([
    schemathesis.run(here),
    schemathesis.run({ ...here, signedIn: singleChain, only: [...FOR_CALLERS, ...BUT_REVOKING] }),
    schemathesis.run({ ...here, signedIn: research, only: [...FOR_CALLERS, ...BUT_REVOKING] }),
    schemathesis.run({ ...there, signedIn: seller.callers.research, only: SELLING }),
  ]);
  trials = { 'a stranger': stranger, 'Single Chain': single, Research: all, 'a buyer': buyer };
}, SLOW_MS);
afterAll(async () => {
  for (const each of opened.reverse()) await each.dispose();
});

const forCallers = OPERATIONS.filter((each) =>
  /^[A-Z]+ \/(api\/v1\/(files|keys|ent|checkout)|_obj)/.test(each),
);

it.each([
  ['a stranger', OPERATIONS.length - 1], // but GET of the description, with which it begins
  ['Single Chain', forCallers.length - 1],
  ['Research', forCallers.length - 1],
])('every operation answers %s as it is described', (who, operations) => {
  expect(trials[who]).toMatchObject({ failures: [], said: '', operations });
  expect(trials[who]?.requests).toBeGreaterThan(20 * operations);
});

it('keys, purchases and events are as they are described, where something is sold', () => {
  expect(trials['a buyer']).toMatchObject({ failures: [], said: '' });
  expect(trials['a buyer']?.requests).toBeGreaterThan(200);
});

it('took so many requests', () => {
  const lines = Object.entries(trials).map(
    ([who, { requests, operations, seconds }]) =>
      `${who}: ${requests} requests at ${operations} operations in ${seconds.toFixed(0)} s`,
  );
  process.stdout.write(`schemathesis: ${lines.join('; ')}\n`);
  expect(lines).toHaveLength(4);
});

type Node = { [name: string]: Node };

/** The description that the gateway serves, with a change. */
async function describedWith(change: (document: Node) => void): Promise<object> {
  const document = (await (await fetch(`${gateway.url}${PUBLIC_PATHS.openapi}`)).json()) as Node; // as it is published
  change(document);
  return document;
}

it.each([
  [
    'a status that is not described',
    'getHealth',
    'UndefinedStatusCode',
    ({ paths }: Node) => delete paths?.['/healthz']?.['get']?.['responses']?.['200'],
  ],
  [
    'a member that is not described',
    'getHealth',
    'JsonSchemaError',
    ({ components }: Node) =>
      Object.assign(components?.['schemas']?.['health']?.['properties'] ?? {}, { status: { const: 'up' } }),
  ],
  [
    'a header that is not as described',
    'getStatus',
    'JsonSchemaError',
    ({ components }: Node) =>
      Object.assign(components?.['headers']?.['ETag'] ?? {}, { schema: { type: 'integer' } }),
  ],
  [
    'another type of content',
    'getHealth',
    'UndefinedContentType',
    ({ paths }: Node) =>
      Object.assign(paths?.['/healthz']?.['get']?.['responses']?.['200'] ?? {}, {
        content: { 'text/csv': {} },
      }),
  ],
])(
  'it finds %s',
  async (_what, operation, failure, change) => {
    const description = await describedWith((document) => void change(document));
    const only = ['--include-operation-id', operation];
    const { failures } = await schemathesis.run({
      gateway: gateway.url,
      isSelling: false,
      only,
      description,
    });
    expect(failures.join(' ')).toContain(failure);
  },
  SLOW_MS,
);
