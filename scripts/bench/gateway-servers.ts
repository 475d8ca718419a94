import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { ENDPOINTS, POINTER_KEY, bundlePath, dayPath, objectKey } from '../../schemas/paths.js';
import { assertValid } from '../../schemas/validate.js';
import {
  BenchError,
  type BenchOptions,
  type MetricsHistory,
  type ServerProcess,
  type ServerProcessOptions,
  cutHistory,
  nodeOn,
  runChild,
  startServerProcess,
  writeHistory,
} from './harness.js';
import type { PaceOptions, PaceResult } from './programs/pace.js';
import type { Extent, SaturateOptions, SaturateResult } from './programs/saturate.js';

/** A kind of request to one of the servers. */
export type Subject = 'bare' | 'presigner' | 'redirect' | 'archive' | 'not-modified';

/** The running servers: the gateway, and those to compare it with. */
export type GatewayServers = {
  readonly targets: Readonly<Record<Subject, Target>>;
  /** Publishes the next release. */
  readonly publishNext: () => void;
  /** Returns true if the gateway serves the current release. */
  readonly isUpToDate: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Options for `startServers`. */
export type ServersOptions = {
  readonly store: PreparedStore;
  /** Folder for logs. */
  readonly work: string;
  /** Folder of the repository whose gateway is measured; by default that of the bench. */
  readonly product?: string;
};

/** Highest rate limit that can be configured. */
const MAX_PER_MINUTE = '1000000';
/** Shortest interval, so that the gateway soon finds a new release. */
const POLL_SECONDS = '1';
/** Headers of a redirect that bare Express sends too. */
const OWN_HEADERS = [
  'cache-control',
  'etag',
  'x-content-sha256',
  'x-published-revision',
  'x-url-expires-in',
  'location',
  'content-length',
  'vary',
];

/** Starts an S3 server, the gateway on it, and the two servers for comparison. */
export async function startServers(
  { store, work, product }: ServersOptions,
  options: BenchOptions,
): Promise<GatewayServers> {
  const started: ServerProcess[] = [];
  const start: Start = async (name, serverOptions) => {
    const log = path.join(work, `${name}.log`);
    const root = name === 'gateway' && product !== undefined ? product : options.root;
    const server = await startServerProcess({ ...serverOptions, log }, { ...options, root });
    started.unshift(server);
    return server;
  };
  const stop = async (): Promise<void> => {
    for (const server of started) await server.stop();
  };
  try {
    return { ...(await startAll(start, store)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (name: string, serverOptions: Omit<ServerProcessOptions, 'log'>) => Promise<ServerProcess>;

async function startAll(start: Start, store: PreparedStore): Promise<Omit<GatewayServers, 'stop'>> {
  const s3 = await start('s3', {
    script: `${HERE}/s3-server.js`,
    args: [store.folder],
    core: 'shared-low',
  });
  let current = 0;
  const sendPointer = (): void => s3.writeLine(store.pointers[current]?.text ?? '');
  sendPointer();
  const gateway = await start('gateway', {
    script: 'gateway/main.js',
    args: ['serve'],
    env: gatewayEnvironment(store, s3.url),
    core: 'measured',
  });
  const redirect = { server: gateway, paths: [BUNDLE], headers: { 'X-API-Key': store.key }, status: 307 };
  const headers = await readHeaders(redirect);
  const { etag = '', 'x-content-sha256': sha256 = '' } = headers;
  const bare = await start('bare', {
    script: `${HERE}/bare-express.js`,
    args: [JSON.stringify(headers)],
    core: 'measured',
  });
  const script = `${HERE}/presigner.js`;
  const presigner = await start('presigner', {
    script,
    args: [objectKey(sha256)],
    env: AWS,
    core: 'measured',
  });
  return {
    targets: {
      bare: { ...redirect, server: bare },
      presigner: { ...redirect, server: presigner },
      redirect,
      archive: { ...redirect, paths: store.days },
      'not-modified': { ...redirect, headers: { ...redirect.headers, 'If-None-Match': etag }, status: 304 },
    },
    publishNext() {
      current += 1;
      sendPointer();
    },
    isUpToDate: async () => (await readSequence(gateway)) === store.pointers[current]?.sequence,
  };
}

const HERE = 'scripts/bench/programs';

function gatewayEnvironment({ accounts }: PreparedStore, endpoint: string): Readonly<Record<string, string>> {
  return {
    ...AWS,
    CRD_STORE: 's3://bench',
    CRD_ACCOUNTS_STORE: `file:${accounts}`,
    CRD_S3_ENDPOINT: endpoint,
    CRD_S3_PATH_STYLE: 'true',
    CRD_PUBLIC_BASE_URL: 'https://data.example.com',
    CRD_KEY_MODE: 'test',
    CRD_PORT: '0',
    CRD_METRICS_PORT: '0',
    CRD_POLL_SECONDS: POLL_SECONDS,
    CRD_RATE_KEY_PER_MINUTE: MAX_PER_MINUTE,
    CRD_RATE_ADDRESS_PER_MINUTE: MAX_PER_MINUTE,
  };
}

/** Sends one request and returns the headers for bare Express. @throws BenchError if the response has another status. */
async function readHeaders({
  server,
  paths: [file = ''],
  headers,
  status,
}: Target): Promise<Record<string, string>> {
  const answer = await fetch(`${server.url}${file}`, { headers, redirect: 'manual' });
  if (answer.status !== status)
    throw new BenchError(`The gateway answered ${answer.status}, not ${status}: ${await answer.text()}`);
  return Object.fromEntries(OWN_HEADERS.map((name) => [name, answer.headers.get(name) ?? '']));
}

async function readSequence({ operatorUrl }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(operatorUrl + ENDPOINTS.metrics)).text();
  return Number(/^gateway_release_sequence (\d+)$/m.exec(metrics)?.[1]);
}

/** The requests to one server, and the expected status of every response. */
type Target = {
  readonly server: ServerProcess;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

/** Number of responses, their duration, and the CPU time that the server used for them. */
export type Throughput = { readonly requests: number; readonly seconds: number; readonly cpuSeconds: number };

/** Sends requests as fast as the server answers. @throws BenchError if a response has another status. */
export async function saturate(target: Target, extent: Extent, options: BenchOptions): Promise<Throughput> {
  const { server, paths, headers, status } = target;
  const input: SaturateOptions = { url: server.url, paths, headers, extent };
  const before = await server.readCpuSeconds();
  const output = (await runOnSharedCore('saturate.js', input, options)) as SaturateResult; // its output
  const cpuSeconds = (await server.readCpuSeconds()) - before;
  const { [status]: requests, ...others } = output.answers;
  if (requests === undefined || Object.keys(others).length > 0 || output.failures > 0) {
    throw new BenchError(
      `Not every response to ${paths[0] ?? ''} had status ${status}: ${JSON.stringify(output)}`,
    );
  }
  return { requests, seconds: output.seconds, cpuSeconds };
}

/** Sends requests at an even rate. @throws BenchError if a response has another status. */
export async function sendEvenly(
  { server, paths, headers, status }: Target,
  { rate, seconds }: Pick<PaceOptions, 'rate' | 'seconds'>,
  options: BenchOptions,
): Promise<PaceResult> {
  const input: PaceOptions = { url: server.url, paths, headers, status, rate, seconds };
  return (await runOnSharedCore('pace.js', input, options)) as PaceResult; // its output
}

/** Runs a script on the shared core, with JSON on stdin and stdout. @throws BenchError if it fails. */
async function runOnSharedCore(
  script: string,
  input: object,
  { root, environment, signal }: BenchOptions,
): Promise<unknown> {
  const [command, args] = nodeOn('shared', [path.join(root, 'dist', HERE, script)]);
  const child = spawn(command, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'], signal });
  child.stdin.end(JSON.stringify(input));
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new BenchError(`${script} exited with ${String(code)}:\n${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}

/** A store with several releases, and an account that can read all of them. */
type PreparedStore = {
  /** Folder of the store of releases. */
  readonly folder: string;
  /** The pointer to each release, as one line of text, oldest first. */
  readonly pointers: readonly { readonly text: string; readonly sequence: number }[];
  /** Paths of more day files than the gateway answers per second, so that it signs a new URL for each request. */
  readonly days: readonly string[];
  /** Folder of the accounts store. */
  readonly accounts: string;
  /** An API key for all files. */
  readonly key: string;
};

/** The requested bundle. */
const BUNDLE = bundlePath('gold', 'ethereum', '7d');

/** Number of days per chain whose files are requested. */
const DAYS = 3_500;
/** Number of newest days that are not requested, because the first release lacks some of them. */
const NEWEST = 100;

/** Credentials to sign with. No server checks them. */
export const AWS = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'us-east-1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/**
 * Publishes a history without its last `newDays` days, and then one more release for each of these days. Creates an
 * account and a key. Uses the built programs and keeps everything in the folder `work`.
 */
export async function prepareStore(
  history: MetricsHistory,
  { work, newDays }: { readonly work: string; readonly newDays: number },
  options: BenchOptions,
): Promise<PreparedStore> {
  const folder = path.join(work, 'store');
  const accounts = path.join(work, 'accounts');
  const peakFile = path.join(work, 'peak');
  const pointers: PreparedStore['pointers'][number][] = [];
  for (let missing = newDays; missing >= 0; missing -= 1) {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(0, rows.length - missing));
    const input = await writeHistory(path.join(work, `input-${missing}`), cut);
    const args = [
      'publish',
      '--input',
      input.folder,
      '--store',
      `file:${folder}`,
      '--as-of',
      input.asOf,
      '--quiet',
    ];
    await runChild({ script: 'generator/main.js', args, peakFile }, options);
    const text = await readFile(path.join(folder, POINTER_KEY), 'utf8');
    const pointer = assertValid('pointer', JSON.parse(text));
    pointers.push({ text: JSON.stringify(pointer), sequence: pointer.sequence });
  }
  const environment = {
    ...options.environment,
    CRD_ACCOUNTS_STORE: `file:${accounts}`,
    CRD_KEY_MODE: 'test',
  };
  const operate = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await runChild(
      { script: 'gateway/main.js', args, peakFile },
      { ...options, environment },
    );
    return stdout.trim();
  };
  const grant = ['--plan', 'research', '--until', '2999-12-31', '--reason', 'bench'];
  await operate('grant', '--account', 'bench', ...grant);
  const key = await operate('keys', 'create', '--account', 'bench');
  return { folder, pointers, days: listDays(history), accounts, key };
}

/** Lists the day files of the longest histories, without the newest days. */
function listDays({ chains }: MetricsHistory): string[] {
  return (['bitcoin', 'ethereum'] as const).flatMap((chain) =>
    (chains.get(chain)?.rows ?? [])
      .slice(-NEWEST - DAYS, -NEWEST)
      .flatMap((row) => (['gold', 'meta'] as const).map((genre) => dayPath(genre, chain, row.slice(0, 10)))),
  );
}
