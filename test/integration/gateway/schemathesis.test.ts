import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import { OPERATIONS } from '../../support/gateway/openapi-judge.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createFakeBilling } from '../../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../../support/stripe/billing.js';
import { startDashboardServer } from '../../support/gateway/dashboard.js';
import {
  runGatewayProcess,
  startGatewayProcess,
  type Variables,
} from '../../support/gateway/gateway-process.js';
import { startIdentityProvider } from '../../support/gateway/identity-provider.js';
import { publishSample } from '../../support/release/published-sample.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { installLocked } from '../../../scripts/python/install-locked.js';

const FOLDER = fileURLToPath(new URL('../../python/schemathesis/', import.meta.url));

/** Options for a run of schemathesis. */
type TrialOptions = {
  readonly gateway: string;
  /** Credentials; absent for a run without. */
  readonly signedIn?: { readonly apiKey: string; readonly session: string };
  /** True if the gateway has a payment service. */
  readonly isSelling: boolean;
  /** Options that select operations; absent for all operations. */
  readonly only?: readonly string[];
  /** An OpenAPI document to use instead of the one that the gateway serves. */
  readonly description?: object;
};

/** The result of a run. */
type Trial = {
  readonly requests: number;
  readonly operations: number;
  readonly seconds: number;
  /** Kinds of failures with their numbers, and phases that did not succeed. */
  readonly failures: readonly string[];
  /** The output about failures. */
  readonly output: string;
};

/** The parts of schemathesis' report that are read. */
type Report = {
  readonly running_time: number;
  readonly operations: { readonly selected: number; readonly tested: number };
  readonly phases: Readonly<Record<string, { readonly status: string }>>;
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly type: string; readonly count: number }[];
  readonly errors: readonly object[];
};

/** Tests a gateway with its OpenAPI document. */
type Schemathesis = { readonly run: (options: TrialOptions) => Promise<Trial> };

/** Installs schemathesis if necessary. Only one suite may call this at a time. */
function installSchemathesis(): Schemathesis {
  const python = installLocked({
    what: 'schemathesis',
    requirements: `${FOLDER}requirements.txt`,
    folder: fileURLToPath(new URL('../../../.python/schemathesis', import.meta.url)),
  });
  const program = path.join(path.dirname(python), 'schemathesis');
  return {
    async run(options) {
      const folder = await createTemporaryFolder(); // it stores data in its working directory
      try {
        return await runTrial(program, folder.path, options);
      } finally {
        await folder.dispose();
      }
    },
  };
}

async function runTrial(program: string, folder: string, options: TrialOptions): Promise<Trial> {
  const { gateway, signedIn, only = [], description } = options;
  const configuration = path.join(folder, 'schemathesis.toml');
  const report = path.join(folder, 'report.json');
  await writeFile(configuration, await readConfiguration(options));
  const described = path.join(folder, 'openapi.json');
  if (description !== undefined) await writeFile(described, JSON.stringify(description));
  const args = [
    '--no-color',
    '--config-file',
    configuration,
    'run',
    description === undefined ? `${gateway}${PUBLIC_PATHS.openapi}` : described,
    '--url',
    gateway,
    '--report',
    'json',
    '--report-json-path',
    report,
    ...only,
    '--generation-with-security-parameters',
    String(signedIn !== undefined),
  ];
  const { PATH = '', HOME = '' } = process.env;
  const { apiKey = '', session = '' } = signedIn ?? {};
  const env = { PATH, HOME, TMPDIR: folder, PYTHONDONTWRITEBYTECODE: '1', API_KEY: apiKey, SESSION: session };
  const { code, stdout, stderr } = await runProgram(program, args, env, folder);
  if (code !== 0 && code !== 1) throw new Error(`schemathesis ended with ${code}: ${stdout}${stderr}`);
  return toTrial(JSON.parse(await readFile(report, 'utf8')) as Report, stdout); // the format of schemathesis
}

/** Returns the settings of all runs, with the additional ones of this run. */
async function readConfiguration({ signedIn, isSelling }: TrialOptions): Promise<string> {
  const names = [
    'schemathesis',
    ...(signedIn === undefined ? [] : ['signed-in']),
    ...(isSelling ? [] : ['not-selling']),
  ];
  return (await Promise.all(names.map((name) => readFile(`${FOLDER}${name}.toml`, 'utf8')))).join('\n');
}

function toTrial(report: Report, stdout: string): Trial {
  const { operations, phases, errors } = report;
  const failedPhases = ['examples', 'coverage', 'fuzzing'].filter(
    (name) => phases[name]?.status !== 'success',
  );
  const failures = [
    ...report.failures.map(({ type, count }) => `${type}: ${count}`),
    ...failedPhases.map((name) => `${name}: ${phases[name]?.status ?? 'absent'}`),
    ...(errors.length > 0 ? [`errors: ${errors.length}`] : []),
    ...(operations.tested === operations.selected ? [] : ['some operations were not tested']),
  ];
  return {
    requests: report.test_cases.generated,
    operations: operations.tested,
    seconds: report.running_time,
    failures,
    output: failures.length === 0 ? '' : stdout,
  };
}

/** The highest rate limit that can be configured. */
const LIMIT = '1000000';

/** Credentials of an account. */
type Caller = { readonly apiKey: string; readonly session: string };

/** A running gateway that schemathesis compares with its OpenAPI document, and its callers. */
type DescribedGateway = {
  readonly url: string;
  readonly callers: { readonly research: Caller; readonly singleChain: Caller };
  readonly dispose: () => Promise<void>;
};

/** Starts the built gateway on the published sample, with an account on each plan and an identity provider, without billing. */
async function startDescribedGateway(folder: string): Promise<DescribedGateway> {
  const store = `file:${await publishSample()}`;
  const provider = await startIdentityProvider(() => Date.now());
  const accounts = { CRD_ACCOUNTS_STORE: `file:${path.join(folder, 'accounts')}`, CRD_KEY_MODE: 'test' };
  const caller = async (account: string, plan: readonly string[]): Promise<Caller> => ({
    apiKey: await createAccount(account, plan, accounts),
    session: await provider.sign({ account }),
  });
  const callers = {
    research: await caller('research', ['research']),
    singleChain: await caller('single', ['single-chain', '--chain', 'base']),
  };
  const gateway = await startGatewayProcess({
    ...accounts,
    CRD_STORE: store,
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_JWKS: provider.jwksUrl,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
    CRD_RATE_KEY_PER_MINUTE: LIMIT,
    CRD_RATE_ADDRESS_PER_MINUTE: LIMIT,
    CRD_LOG_LEVEL: 'silent',
  });
  return {
    url: gateway.url,
    callers,
    async dispose() {
      await gateway.stop();
      await provider.dispose();
    },
  };
}

/** Starts a gateway with a fake of Stripe. */
async function startSellingGateway(): Promise<DescribedGateway> {
  const now = (): number => Date.now();
  const billing = createFakeBilling({ now, prices: PRICES });
  const server = await startDashboardServer(now, { billing, configuration: { billing: BILLING } });
  const caller = async (plan: 'research' | 'single-chain'): Promise<Caller> => {
    const { account, authorization } = await server.openSession({ granted: false });
    const chain = plan === 'research' ? {} : ({ chain: 'base' } as const);
    const apiKey = await server.gateway.createKey({ account, plan, ...chain });
    return { apiKey, session: authorization.replace('Bearer ', '') };
  };
  return {
    url: server.gateway.url,
    callers: { research: await caller('research'), singleChain: await caller('single-chain') },
    dispose: () => server.dispose(),
  };
}

async function createAccount(account: string, plan: readonly string[], env: Variables): Promise<string> {
  const options = ['--plan', ...plan, '--until', '2999-12-31', '--reason', 'a test'];
  assertSuccess(await runGatewayProcess(['grant', '--account', account, ...options], env));
  return assertSuccess(await runGatewayProcess(['keys', 'create', '--account', account], env)).stdout.trim();
}

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
