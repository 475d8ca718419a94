import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import {
  startDescribedGateway,
  startSellingGateway,
  type DescribedGateway,
} from '../../support/gateway/described-gateway.js';
import { OPERATIONS } from '../../support/gateway/openapi-judge.js';
import { installSchemathesis, type Schemathesis, type Trial } from '../../support/fuzz/schemathesis.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

const SLOW_MS = 600_000;
/** Operations that accept a key or a session. The others are tested without credentials. */
const FOR_CALLERS = ['--include-tag', 'Subscriber files', '--include-tag', 'Account'];
/** Excluded: a key that revokes itself cannot be used any more. */
const BUT_REVOKING = ['--exclude-operation-id', 'revokeKey'];
const SELLING = ['--include-tag', 'Account', '--include-tag', 'Operation'];

let schemathesis: Schemathesis;
let gateway: DescribedGateway;
/** Cleanup of what was opened, in this order. */
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
  const [stranger, single, archive, buyer] = await Promise.all([
    schemathesis.run(here),
    schemathesis.run({ ...here, signedIn: singleChain, only: [...FOR_CALLERS, ...BUT_REVOKING] }),
    schemathesis.run({ ...here, signedIn: research, only: [...FOR_CALLERS, ...BUT_REVOKING] }),
    schemathesis.run({ ...there, signedIn: seller.callers.research, only: SELLING }),
  ]);
  trials = {
    'no credentials': stranger,
    'Single Chain': single,
    Research: archive,
    'a session at checkout': buyer,
  };
}, SLOW_MS);
afterAll(async () => {
  for (const each of opened.reverse()) await each.dispose();
});

const forCallers = OPERATIONS.filter((each) =>
  /^[A-Z]+ \/(api\/v1\/(files|keys|ent|checkout|account)|_obj)/.test(each),
);

it.each([
  ['no credentials', OPERATIONS.length - 1], // without GET of the OpenAPI document, which starts the run
  ['Single Chain', forCallers.length - 1], // without revokeKey
  ['Research', forCallers.length - 1],
])('every operation answers as documented: %s', (who, operations) => {
  expect(trials[who]).toMatchObject({ failures: [], output: '', operations });
  expect(trials[who]?.requests).toBeGreaterThan(20 * operations);
});

it('keys, checkout and events answer as documented with a payment service', () => {
  expect(trials['a session at checkout']).toMatchObject({ failures: [], output: '' });
  expect(trials['a session at checkout']?.requests).toBeGreaterThan(200);
});

it('reports the number of requests', () => {
  const lines = Object.entries(trials).map(
    ([who, { requests, operations, seconds }]) =>
      `${who}: ${requests} requests at ${operations} operations in ${seconds.toFixed(0)} s`,
  );
  process.stdout.write(`schemathesis: ${lines.join('; ')}\n`);
  expect(lines).toHaveLength(4);
});

type Node = { [name: string]: Node };

/** Returns the OpenAPI document of the gateway with a change. */
async function describedWith(change: (document: Node) => void): Promise<object> {
  const document = (await (await fetch(`${gateway.url}${PUBLIC_PATHS.openapi}`)).json()) as Node; // as it is published
  change(document);
  return document;
}

it.each([
  [
    'an undocumented status',
    'getHealth',
    'UndefinedStatusCode',
    ({ paths }: Node) => delete paths?.['/healthz']?.['get']?.['responses']?.['200'],
  ],
  [
    'an undocumented member',
    'getHealth',
    'JsonSchemaError',
    ({ components }: Node) =>
      Object.assign(components?.['schemas']?.['health']?.['properties'] ?? {}, { status: { const: 'up' } }),
  ],
  [
    'a header that differs from the document',
    'getStatus',
    'JsonSchemaError',
    ({ components }: Node) =>
      Object.assign(components?.['headers']?.['ETag'] ?? {}, { schema: { type: 'integer' } }),
  ],
  [
    'another content type',
    'getHealth',
    'UndefinedContentType',
    ({ paths }: Node) =>
      Object.assign(paths?.['/healthz']?.['get']?.['responses']?.['200'] ?? {}, {
        content: { 'text/csv': {} },
      }),
  ],
])(
  'schemathesis finds %s',
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
