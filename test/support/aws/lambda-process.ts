import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';

/** A request to create an event from. */
export type LambdaRequest = {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** An answer to an HTTP API event. */
export type LambdaAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A function that runs in a separate process. */
export type LambdaProcess = {
  readonly invoke: (event: object) => Promise<Readonly<Record<string, unknown>>>;
  /** Sends a request as an event of an HTTP API. */
  readonly send: (request: LambdaRequest) => Promise<LambdaAnswer>;
  /** Suspends the process, as AWS does between two events. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Lines of the function's log. */
  readonly log: () => readonly string[];
  readonly stop: () => Promise<void>;
};

const RUNNER = path.join(import.meta.dirname, 'invoke-lambda.mjs');
const EVENTS = path.join(import.meta.dirname, '../../aws/events');

/** Starts the function from its bundle. @throws Error with its stderr if it does not start. */
export async function startLambda(
  bundle: string,
  env: Readonly<Record<string, string>>,
): Promise<LambdaProcess> {
  const child = spawn(process.execPath, [RUNNER, bundle], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const waiting: ((message: Message) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('@')) waiting.shift()?.(JSON.parse(line.slice(1)) as Message);
    else log.push(line);
  });
  const closed = once(child, 'close');
  const ended = closed.then((): never => {
    throw new Error(`the function exited:\n${errors}`);
  });
  ended.catch(() => undefined); // `next` rejects too
  const next = (): Promise<Message> =>
    Promise.race([ended, new Promise<Message>((resolve) => waiting.push(resolve))]);
  const template = await readEvent('http-api.json');
  await next(); // the function has started
  const invoke = async (event: object): Promise<Readonly<Record<string, unknown>>> => {
    const answered = next();
    child.stdin.write(`${JSON.stringify(event)}\n`);
    return (await answered).answer;
  };
  return {
    invoke,
    send: async (request) => toAnswer(await invoke(toEvent(template, request))),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    log: () => log,
    async stop() {
      child.stdin.end();
      child.kill('SIGKILL');
      await closed;
    },
  };
}

type Message = { readonly answer: Readonly<Record<string, unknown>> };

/** Reads an event of the folder test/aws/events. */
export async function readEvent(name: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await readFile(path.join(EVENTS, name), 'utf8')) as Readonly<Record<string, unknown>>;
}

function toEvent(
  template: Readonly<Record<string, unknown>>,
  { method = 'GET', path: rawPath, query = '', headers = {}, body }: LambdaRequest,
): object {
  const context = template['requestContext'] as { http: object };
  return {
    ...template,
    rawPath,
    rawQueryString: query,
    headers: { ...(template['headers'] as object), ...headers },
    requestContext: { ...context, http: { ...context.http, method, path: rawPath } },
    ...(body === undefined ? {} : toBody(body, headers['content-type'] ?? '')),
  };
}

/** Encodes a body like an HTTP API: text unchanged, everything else in base64. */
function toBody(body: string, type: string): object {
  return /^(text\/|application\/(json|javascript|xml))/.test(type)
    ? { body, isBase64Encoded: false }
    : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
}

function toAnswer(answer: Readonly<Record<string, unknown>>): LambdaAnswer {
  const {
    statusCode,
    headers = {},
    body = '',
    isBase64Encoded,
  } = answer as {
    statusCode: number;
    headers?: Record<string, string>;
    body?: string;
    isBase64Encoded?: boolean;
  };
  const bytes = Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8');
  const plain = headers['content-encoding'] === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes;
  return { status: statusCode, headers, body: plain.toString() };
}
