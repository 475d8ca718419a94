import path from 'node:path';
import { objectKey } from '../../schemas/paths.js';
import { BenchError, type BenchTerms } from './bench.js';
import type { Target } from './gateway-load.js';
import { startServer, type Server, type ServerTerms } from './gateway-servers.js';
import { AWS, BUNDLE, type Stage } from './gateway-stage.js';

/** Names what is asked, and of whom. */
export type Subject = 'bare' | 'presigner' | 'redirect' | 'archive' | 'not-modified';

/** All servers of a measurement. */
export type Scene = {
  readonly targets: Readonly<Record<Subject, Target>>;
  /** Makes the next release the current one. */
  readonly moveOn: () => void;
  /** Whether the gateway serves the release that is current. */
  readonly isUpToDate: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Where logs go, and what Node is told beside the script of a server that is measured. */
export type SceneTerms = {
  readonly stage: Stage;
  readonly work: string;
  readonly options?: (server: 'bare' | 'gateway') => readonly string[];
};

/** As many requests as a key may be allowed in a minute. */
const MOST = '1000000';
/** More often than anybody looks for a release, so that one arrives soon. */
const POLL_SECONDS = '1';
/** The headers that a redirect has for its file; the others are those of every answer. */
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

/** Starts the gateway on an S3 store beside it, and the two that it is compared with. */
export async function startScene({ stage, work, options }: SceneTerms, terms: BenchTerms): Promise<Scene> {
  const started: Server[] = [];
  const start: Start = async (name, what) => {
    const server = await startServer({ ...what, log: path.join(work, `${name}.log`) }, terms);
    started.unshift(server);
    return server;
  };
  const stop = async (): Promise<void> => {
    for (const server of started) await server.stop();
  };
  try {
    return { ...(await setScene(start, stage, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (name: string, what: Omit<ServerTerms, 'log'>) => Promise<Server>;

async function setScene(
  start: Start,
  stage: Stage,
  options: SceneTerms['options'] = () => [],
): Promise<Omit<Scene, 'stop'>> {
  const s3 = await start('s3', {
    script: `${HERE}/gateway-s3-server.js`,
    args: [stage.store],
    side: 'behind',
  });
  let current = 0;
  const tellCurrent = (): void => s3.tell(stage.pointers[current]?.text ?? '');
  tellCurrent();
  const gateway = await start('gateway', {
    script: 'gateway/main.js',
    args: ['serve'],
    env: gatewayEnvironment(stage, s3.url),
    side: 'measured',
    options: options('gateway'),
  });
  const redirect = { server: gateway, paths: [BUNDLE], headers: { 'X-API-Key': stage.key }, status: 307 };
  const answer = await readAnswer(redirect);
  const { etag = '', 'x-content-sha256': sha256 = '' } = answer;
  const bare = await start('bare', {
    script: `${HERE}/gateway-bare.js`,
    args: [JSON.stringify(answer)],
    side: 'measured',
    options: options('bare'),
  });
  const script = `${HERE}/gateway-presigner.js`;
  const presigner = await start('presigner', {
    script,
    args: [objectKey(sha256)],
    env: AWS,
    side: 'measured',
  });
  return {
    targets: {
      bare: { ...redirect, server: bare },
      presigner: { ...redirect, server: presigner },
      redirect,
      archive: { ...redirect, paths: stage.days },
      'not-modified': { ...redirect, headers: { ...redirect.headers, 'If-None-Match': etag }, status: 304 },
    },
    moveOn() {
      current += 1;
      tellCurrent();
    },
    isUpToDate: async () => (await readSequence(gateway)) === stage.pointers[current]?.sequence,
  };
}

const HERE = 'scripts/bench';

function gatewayEnvironment({ accounts }: Stage, endpoint: string): Readonly<Record<string, string>> {
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
    CRD_RATE_KEY_PER_MINUTE: MOST,
    CRD_RATE_ADDRESS_PER_MINUTE: MOST,
  };
}

/** Asks once; resolves the headers that a redirect has for its file. @throws BenchError when it is none. */
async function readAnswer({
  server,
  paths: [of = ''],
  headers,
  status,
}: Target): Promise<Record<string, string>> {
  const answer = await fetch(`${server.url}${of}`, { headers, redirect: 'manual' });
  if (answer.status !== status)
    throw new BenchError(`the gateway answers ${answer.status}: ${await answer.text()}`);
  return Object.fromEntries(OWN_HEADERS.map((name) => [name, answer.headers.get(name) ?? '']));
}

async function readSequence({ operatorUrl }: Server): Promise<number> {
  const metrics = await (await fetch(`${operatorUrl}/metrics`)).text();
  return Number(/^gateway_release_sequence (\d+)$/m.exec(metrics)?.[1]);
}
