import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startLoopbackServer } from '../process/loopback-server.js';

/** Parameters of a request. Names are in bracket notation, such as `metadata[account]`. */
export type Params = Readonly<Record<string, string>>;

/** A request to Stripe's mock server, with the status of the response. */
export type StripeRequest = {
  readonly method: string;
  readonly path: string;
  readonly params: Params;
  readonly idempotencyKey: string | undefined;
  readonly version: string | undefined;
  readonly status: number;
};

/** Changes a response body. Needed because the mock has no state. */
export type Change = (body: string, request: StripeRequest) => string;

/** Stripe's mock server, which validates each request against Stripe's OpenAPI description. */
export type StripeMock = {
  readonly url: string;
  readonly requests: StripeRequest[];
  /** Changes the following responses of a path. */
  readonly alter: (path: RegExp, change: Change) => void;
  /** Sends a request again with other parameters and returns the status. The request is not recorded. */
  readonly resend: (request: StripeRequest, params: Params) => Promise<number>;
  /** Deletes recorded requests and changes. */
  readonly reset: () => void;
  readonly dispose: () => Promise<void>;
};

const VERSION = 'v0.203.0';
const FOLDER = fileURLToPath(new URL(`../../../.stripe-mock/${VERSION}`, import.meta.url));
const PROGRAM = `${FOLDER}/stripe-mock`;
const READY_MS = 20_000;

/** Installs the mock if needed, and starts it on loopback. */
export async function startStripeMock(): Promise<StripeMock> {
  install();
  const mock = await startProgram(PROGRAM, await findPort());
  const requests: StripeRequest[] = [];
  const changes: [RegExp, Change][] = [];
  const proxy = await startLoopbackServer((req, res) => {
    void (async () => {
      const { each, body } = await forward(req, mock.url);
      requests.push(each);
      const change =
        changes.findLast(([pattern]) => pattern.test(each.path))?.[1] ?? ((same: string) => same);
      res.writeHead(each.status, { 'Content-Type': 'application/json' }).end(change(body, each));
    })().catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
  return {
    url: proxy.endpoint,
    requests,
    alter: (path, change) => void changes.push([path, change]),
    resend: (like, params) => resend(mock.url, like, params),
    reset() {
      requests.length = 0;
      changes.length = 0;
    },
    async dispose() {
      await proxy.dispose();
      await mock.stop();
    },
  };
}

/** Forwards a request to the mock. */
async function forward(req: IncomingMessage, mock: string): Promise<{ each: StripeRequest; body: string }> {
  const { method = '', url = '', headers } = req;
  const sent = await text(req);
  const { authorization = '', 'stripe-version': version, 'idempotency-key': idempotencyKey } = headers;
  const type = headers['content-type'] ?? 'application/x-www-form-urlencoded';
  const answer = await fetch(`${mock}${url}`, {
    method,
    headers: { Authorization: authorization, 'Content-Type': type },
    ...(method === 'POST' ? { body: sent } : {}),
  });
  const path = url.replace(/\?.*/, '');
  const only = (value: string | string[] | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined;
  const each: StripeRequest = {
    method,
    path,
    params: Object.fromEntries(new URLSearchParams(sent || url.slice(path.length + 1))),
    idempotencyKey: only(idempotencyKey),
    version: only(version),
    status: answer.status,
  };
  return { each, body: await answer.text() };
}

async function resend(mock: string, { method, path }: StripeRequest, params: Params): Promise<number> {
  const text = new URLSearchParams(params).toString();
  const headers = { Authorization: 'Bearer sk_test_1', 'Content-Type': 'application/x-www-form-urlencoded' };
  const isGet = method === 'GET';
  const answer = await fetch(`${mock}${path}${isGet ? `?${text}` : ''}`, {
    method,
    headers,
    ...(isGet ? {} : { body: text }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Returns variants of parameters with one fault each: a misspelt name, a wrong shape, or an unknown parameter. */
export function spoil(params: Params): Params[] {
  const faults = Object.entries(params).flatMap(([name, value]) => {
    const { [name]: _removed, ...rest } = params;
    return [
      { ...rest, [name.replace(/^\w+/, '$&x')]: value },
      { ...rest, [`${name}[no_such]`]: value },
    ];
  });
  return [...faults, { ...params, no_such_parameter: '1' }];
}

function install(): void {
  if (existsSync(PROGRAM)) return;
  process.stderr.write(`installing stripe-mock ${VERSION} (about a minute, once)\n`);
  const { status, stderr, error } = spawnSync('go', ['install', `github.com/stripe/stripe-mock@${VERSION}`], {
    env: { ...process.env, GOBIN: FOLDER },
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new Error(`go install failed: ${error?.message ?? stderr}. Install Go 1.21 or later.`);
}

/** Starts the mock and waits until it answers. Stops it if it does not. */
async function startProgram(
  program: string,
  port: number,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(program, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', resolve).once('error', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitUntilReady(child, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  const endMs = performance.now() + READY_MS;
  while (performance.now() < endMs) {
    if (child.exitCode !== null || child.pid === undefined) break;
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`stripe-mock ended or did not answer within ${READY_MS / 1000} s`);
}

/** Returns a free port. */
async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
