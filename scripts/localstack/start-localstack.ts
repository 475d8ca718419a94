import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installLocked } from '../python/install-locked.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 120_000;
/** Most tests need S3. The tests of deployments need the others. */
const SERVICES = [
  's3',
  'cloudformation',
  'iam',
  'sts',
  'ssm',
  'secretsmanager',
  'events',
  'kms',
  'acm',
  'ec2',
  'lambda',
  'logs',
];

/** Credentials that LocalStack accepts, and a region. */
export const S3_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
} as const;

/** A running S3 server. */
export type S3Server = { readonly endpoint: string; readonly stop: () => Promise<void> };

/** Installs LocalStack if necessary. Returns the path of its Python. @throws Error with the output of pip. */
export function installLocalstack(): string {
  return installLocked({
    what: 'LocalStack',
    requirements: path.join(ROOT, 'infra', 'localstack', 'requirements.txt'),
    folder: path.join(ROOT, '.localstack'),
  });
}

/** Installs LocalStack if necessary, and starts it on a free port. @throws Error with its log if it does not start. */
export async function startLocalstack(): Promise<S3Server> {
  const python = installLocalstack();
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'localstack-'));
  const log = path.join(folder, 'log.txt');
  const logFile = openSync(log, 'w');
  const child = spawn(python, ['-m', 'run_localstack'], {
    stdio: ['ignore', logFile, logFile],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      PYTHONPATH: path.join(ROOT, 'infra', 'localstack', 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      SERVICES: SERVICES.join(),
      EAGER_SERVICE_LOADING: '1',
      S3_SKIP_SIGNATURE_VALIDATION: '0',
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      MOTO_ACM_VALIDATION_WAIT: '0',
    },
  });
  const stop = async (): Promise<void> => {
    await stopServer(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(endpoint, child);
  } catch (error) {
    const output = readFileSync(log, 'utf8').slice(-4000);
    await stop();
    throw new Error(`LocalStack did not start:\n${output}`, { cause: error });
  }
  return { endpoint, stop };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}

async function waitUntilReady(endpoint: string, child: ChildProcess): Promise<void> {
  for (const deadlineMs = Date.now() + START_MS; Date.now() < deadlineMs;) {
    await sleep(200);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('LocalStack ended');
    const health = await fetch(`${endpoint}/_localstack/health`).catch(() => undefined);
    if (health?.ok !== true) continue;
    const { services } = (await health.json()) as { services?: { s3?: string } }; // the format of LocalStack
    if (services?.s3 === 'running' || services?.s3 === 'available') return;
  }
  throw new Error(`LocalStack was not ready after ${START_MS / 1000} s`);
}

/** Stops the server, and kills it if it does not stop within five seconds. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await closed;
  clearTimeout(timer);
}
