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
/** S3 for nearly all tests; the others for what is deployed, for roles and for runs by the clock. */
const SERVICES = ['s3', 'cloudformation', 'iam', 'sts', 'ssm', 'secretsmanager', 'stepfunctions'];

/** The credentials that LocalStack takes, and a region. */
export const S3_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
} as const;

/** A running S3 server. */
export type S3Server = { readonly endpoint: string; readonly stop: () => Promise<void> };

/** Starts LocalStack on a free port of this machine, after installing it where it is not. @throws Error with its log. */
export async function startLocalstack(): Promise<S3Server> {
  const python = installLocked({
    what: 'LocalStack',
    requirements: path.join(ROOT, 'infra', 'localstack', 'requirements.txt'),
    folder: path.join(ROOT, '.localstack'),
  });
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'localstack-'));
  const log = path.join(folder, 'log.txt');
  const output = openSync(log, 'w');
  const child = spawn(python, ['-m', 'localstack.runtime.main'], {
    stdio: ['ignore', output, output],
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
    },
  });
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(endpoint, child);
  } catch (error) {
    const said = readFileSync(log, 'utf8').slice(-4000);
    await stop();
    throw new Error(`LocalStack did not start:\n${said}`, { cause: error });
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
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended');
    const health = await fetch(`${endpoint}/_localstack/health`).catch(() => undefined);
    if (health?.ok !== true) continue;
    const { services } = (await health.json()) as { services?: { s3?: string } }; // its own form
    if (services?.s3 === 'running' || services?.s3 === 'available') return;
  }
  throw new Error(`it was not ready after ${START_MS / 1000} s`);
}

/** Ends the server, with force when it does not listen. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(late);
}
