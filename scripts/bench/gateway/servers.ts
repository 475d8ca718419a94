import path from 'node:path';
import { ENDPOINTS, objectKey } from '../../../schemas/paths.js';
import { BenchError, type BenchOptions } from '../bench.js';
import { startServerProcess, type ServerProcess, type ServerProcessOptions } from '../server-process.js';
import type { Target } from './load.js';
import { AWS, BUNDLE, type PreparedStore } from './prepared-store.js';

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

const HERE = 'scripts/bench/gateway';

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
