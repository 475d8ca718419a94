import { isJsonNumber } from '../core/collection/decimal.js';
import {
  createHttpClient,
  type HttpTools,
  isSafe,
  type Pace,
  SYSTEM_TOOLS,
  type TransferLimits,
} from './http-client.js';
import { describeValue, type Probe, shapeError, SourceError } from './source.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';

const MAX_BYTES = 32_000_000;

/** A call of a method. */
export type RpcCall = {
  readonly method: string;
  readonly params: readonly (string | number | boolean | readonly string[])[];
};

/** The answer to a call: its result, in which every number is a `JsonNumber`, or the node's error. */
type RpcAnswer =
  { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** A node that answers JSON-RPC 2.0 over HTTP. */
export type JsonRpc = {
  /** Name of the source and address without secrets, for messages. */
  readonly where: string;
  /** Sends a call by itself. @throws SourceError, or the reason of `signal` */
  readonly call: (call: RpcCall, signal: AbortSignal, maxBytes?: number) => Promise<RpcAnswer>;
  /**
   * Sends calls in one request, and returns their answers in the order of the calls.
   * @throws SourceError, also if the node refuses the batch; the reason of `signal`
   */
  readonly batch: (
    calls: readonly RpcCall[],
    signal: AbortSignal,
    maxBytes?: number,
  ) => Promise<readonly RpcAnswer[]>;
  /** Removes the secrets of the endpoint from a text. */
  readonly scrub: (text: string) => string;
};

/** Options for `createJsonRpc`. */
type JsonRpcOptions = {
  /** Id of the source, for messages. */
  readonly source: string;
  /** https, or http on loopback. Only its origin is ever shown. */
  readonly endpoint: string;
  readonly pace: Pace;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/** Creates a client of a node. @throws GeneratorError 'usage' for an endpoint that is not safe */
export function createJsonRpc({ source, endpoint, pace, limits, tools }: JsonRpcOptions): JsonRpc {
  const { url, origin, authorization, scrub } = parseNodeEndpoint(source, endpoint);
  const where = `${source}: ${origin}`;
  const client = createHttpClient({
    source,
    pace,
    tools: tools ?? SYSTEM_TOOLS,
    endpoint: origin,
    ...(authorization !== undefined && { authorization }),
    ...(limits && { limits }),
  });
  let lastId = 0;

  async function post(body: unknown, signal: AbortSignal, maxBytes = MAX_BYTES): Promise<unknown> {
    try {
      return (await client.postJson(url, JSON.stringify(body), { maxBytes, signal })).value;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw new SourceError(error.code, scrub(error.message)); // without its cause, which quotes the answer
    }
  }

  const numbered = (call: RpcCall): RpcCall & { jsonrpc: string; id: number } => ({
    jsonrpc: '2.0',
    id: (lastId += 1),
    ...call,
  });

  return {
    where,
    scrub,
    async call(call, signal, maxBytes) {
      const request = numbered(call);
      const read = parseAnswer(where, await post(request, signal, maxBytes), scrub);
      // JSON-RPC 2.0 §5: the id of an error is null if the node could not read that of the request
      return read.id === String(request.id) || 'error' in read.answer
        ? read.answer
        : refuseId(where, request.id, read.id);
    },
    async batch(calls, signal, maxBytes) {
      const requests = calls.map(numbered);
      const answered = await post(requests, signal, maxBytes);
      if (!Array.isArray(answered)) {
        resultOf(where, 'a batch', parseAnswer(where, answered, scrub).answer); // throws an error of the node
        throw shapeError(where, 'an array of answers', 'a single one');
      }
      const answers = new Map<string, RpcAnswer>();
      for (const each of answered as unknown[]) {
        const { id, answer } = parseAnswer(where, each, scrub);
        if (answers.has(id)) throw shapeError(where, `one answer ${id}`, 'another one');
        answers.set(id, answer);
      }
      if (answers.size > calls.length) throw shapeError(where, `${calls.length} answers`, `${answers.size}`);
      return requests.map(({ id }) => answers.get(String(id)) ?? refuseId(where, id, 'none'));
    },
  };
}

/** Returns the result of an answer. @throws SourceError for an error of the node */
export function resultOf(where: string, what: string, answer: RpcAnswer): unknown {
  if ('result' in answer) return answer.result;
  const { code, message } = answer.error;
  // JSON-RPC 2.0 §5.1: the method or its parameters are unknown to the node, which another try would not change
  const isFinal = code === -32700 || (code <= -32600 && code >= -32602);
  throw new SourceError(
    isFinal ? 'shape' : 'unavailable',
    `${where}: ${what}: expected a result, got the error ${code}: ${message}.`,
  );
}

function parseAnswer(
  where: string,
  value: unknown,
  scrub: JsonRpc['scrub'],
): { readonly id: string; readonly answer: RpcAnswer } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw shapeError(where, 'an answer of JSON-RPC', describeValue(value));
  }
  const { id, error, result } = value as Readonly<Record<string, unknown>>;
  const idText = isJsonNumber(id) ? id.number : scrub(describeValue(id));
  if (error !== undefined && error !== null)
    return { id: idText, answer: { error: parseError(error, scrub) } };
  if (result === undefined) throw shapeError(where, 'a result or an error', 'neither');
  return { id: idText, answer: { result } };
}

function parseError(error: unknown, scrub: JsonRpc['scrub']): { code: number; message: string } {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : describeValue(error);
  const shown = scrub(text.replace(/\p{C}/gu, '?')).slice(0, 160).replace(/\.+$/, '');
  return { code: isJsonNumber(code) ? Number(code.number) : 0, message: shown };
}

function refuseId(where: string, id: number, got: string): never {
  throw shapeError(where, `an answer with id ${id}`, got);
}

/** Shortest texts of an endpoint that count as secret. Shorter ones, such as `v1` and `base`, occur by chance. */
const SHORTEST_SECRET = { credential: 4, part: 8 };

/** The address of a node. Its user, password, path and query may be secret. */
type NodeEndpoint = {
  readonly url: string;
  /** The part of the address that may be shown. */
  readonly origin: string;
  /** Value of the header `Authorization`. */
  readonly authorization: string | undefined;
  /** Replaces all secrets of the address in a text. */
  readonly scrub: (text: string) => string;
};

/** Parses `https://user:password@host/path?query`. @throws GeneratorError 'usage', whose message does not show it */
function parseNodeEndpoint(source: string, endpoint: string): NodeEndpoint {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const credentials = url && decodeCredentials(url);
  if (url === undefined || !isSafe(url) || credentials === undefined) {
    throw new GeneratorError(
      'usage',
      `${source}: the endpoint must be an https URL, or an http URL on loopback. Fix it in the policy.`,
      { next: RUN_AGAIN },
    );
  }
  const raw = [url.username, url.password];
  url.username = url.password = url.hash = '';
  const [user, password] = credentials;
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  const hasCredentials = user !== '' || password !== '';
  const secrets = [
    ...[...raw, ...credentials, encoded].filter(({ length }) => length >= SHORTEST_SECRET.credential),
    ...partsOf(url).filter(({ length }) => length >= SHORTEST_SECRET.part),
  ];
  return {
    url: url.href,
    origin: url.origin,
    authorization: hasCredentials ? `Basic ${encoded}` : undefined,
    scrub: createScrubber(secrets),
  };
}

function decodeCredentials({ username, password }: URL): readonly [string, string] | undefined {
  try {
    return [decodeURIComponent(username), decodeURIComponent(password)];
  } catch {
    return undefined; // a percent sign that begins no byte
  }
}

function partsOf({ pathname, search, searchParams }: URL): string[] {
  return [pathname.slice(1), search.slice(1), ...pathname.split('/'), ...searchParams.values()];
}

function createScrubber(secrets: readonly string[]): NodeEndpoint['scrub'] {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

const LONGEST_CLIENT = 120;

/** A JSON object of a node. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a value that must be an object. @throws SourceError 'shape' */
export function toFields(where: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw shapeError(where, 'an object', describeValue(value));
}

/** Returns a value that must be an array. @throws SourceError 'shape' */
export function toArray(where: string, value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw shapeError(where, `an array as ${name}`, describeValue(value));
}

/** Returns the name and version of a node's program as text that can be printed; `unknown` for none. */
export function toClientName(value: unknown, scrub: JsonRpc['scrub']): string {
  if (typeof value !== 'string' || value.trim() === '') return 'unknown';
  return scrub(value.replace(/\p{C}/gu, '?')).trim().slice(0, LONGEST_CLIENT);
}

/** Options for `readInOrder`. */
type ReadInOrderOptions<Part, Result> = {
  readonly parts: readonly Part[];
  /** Number of parts that are read at the same time. */
  readonly concurrency: number;
  readonly read: (part: Part, signal: AbortSignal) => Promise<Result>;
  /** Takes the results one after the other, in the order of the parts. */
  readonly take: (result: Result) => void;
  readonly signal: AbortSignal;
};

/** Reads parts, a few at a time, and holds only their results in memory. When one fails, the others are stopped. */
export async function readInOrder<Part, Result>({
  parts,
  concurrency,
  read,
  take,
  signal,
}: ReadInOrderOptions<Part, Result>): Promise<void> {
  const failed = new AbortController();
  const any = AbortSignal.any([signal, failed.signal]);
  try {
    for (let start = 0; start < parts.length; start += concurrency) {
      const some = parts.slice(start, start + concurrency);
      for (const result of await Promise.all(some.map((part) => read(part, any)))) take(result);
    }
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

/** Blocks between the first two that are looked at, about an hour on ethereum. */
const FIRST_STEP = 256;

/** A block and its time in seconds since the epoch. */
export type TimedBlock = { readonly number: number; readonly time: number };

/**
 * Returns the number of the first block whose time is at least `time`, by a search that doubles its steps back from `top`
 * and then halves them: it reads no block much older than the result, which a pruned node may not have.
 * Preconditions: times do not decrease; that of `top` is at least `time`.
 */
export async function findFirstBlock(
  time: number,
  top: TimedBlock,
  read: (number: number) => Promise<TimedBlock>,
): Promise<number> {
  let high = top.number;
  let low = high;
  for (let step = FIRST_STEP; low === high; step *= 2) {
    low = Math.max(-1, high - step); // -1: before the first block
    if (low >= 0 && (await read(low)).time >= time) high = low;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await read(middle)).time >= time) high = middle;
    else low = middle;
  }
  return high;
}

/** The form that a value must have. */
export type Form = {
  /** Such as `a quantity`. */
  readonly expected: string;
  readonly has: (value: unknown) => boolean;
};

/**
 * Sends a call as a batch of one, because Bitcoin Core answers the errors of other calls with status 500. A refusal becomes a
 * text, such as `the error -32601: no such method`. @throws SourceError 'unavailable'
 */
export async function askAnyway(
  rpc: JsonRpc,
  call: RpcCall,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | { readonly refused: string }> {
  try {
    const [answer] = await rpc.batch([call], signal);
    if (answer === undefined || 'result' in answer) return { value: answer?.result };
    return { refused: `the error ${answer.error.code}: ${answer.error.message}` };
  } catch (error) {
    if (error instanceof SourceError && error.code === 'shape') return { refused: error.message };
    throw error;
  }
}

/** Compares a value with a form. A value of the form is shown by its text, if `show` returns one. */
export function probeValue(
  item: string,
  { expected, has }: Form,
  asked: { readonly value: unknown } | { readonly refused: string },
  show: (value: unknown) => string = () => expected,
): Probe {
  if ('refused' in asked) return { item, expected, found: asked.refused, agrees: false };
  const agrees = has(asked.value);
  return { item, expected, found: agrees ? show(asked.value) : describeValue(asked.value), agrees };
}

/** Compares fields of an object with their forms. */
export function probeFields(
  what: string,
  forms: { readonly [field: string]: Form },
  value: unknown,
): Probe[] {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  return Object.entries(forms).map(([name, form]) =>
    probeValue(`field ${name} of ${what}`, form, { value: fields[name] }),
  );
}
