import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REQUIREMENTS = path.join(ROOT, 'infra', 'localstack', 'requirements.txt');
const HOME = path.join(ROOT, '.localstack');
const PYTHON = path.join(HOME, 'venv', 'bin', 'python');
const START_MS = 120_000;

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
  install();
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'localstack-'));
  const log = path.join(folder, 'log.txt');
  const output = openSync(log, 'w');
  const child = spawn(PYTHON, ['-m', 'localstack.runtime.main'], {
    stdio: ['ignore', output, output],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      SERVICES: 's3',
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

/** Installs what is locked, once for each lock. */
function install(): void {
  const lock = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  const mark = path.join(HOME, 'installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  process.stderr.write('installing LocalStack into .localstack (about a minute, once)\n');
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  execute('python3', ['-m', 'venv', path.join(HOME, 'venv')]);
  execute(PYTHON, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '-r',
    REQUIREMENTS,
  ]);
  writeFileSync(mark, lock);
}

function execute(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const hint = 'Python 3.11 or later with venv is needed (Debian: apt-get install python3-venv)';
  throw new Error(`${program} ${args.join(' ')} failed; ${hint}:\n${error?.message ?? stderr}`);
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
