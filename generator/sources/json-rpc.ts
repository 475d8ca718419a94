import { isJsonNumber } from '../core/collection/decimal.js';
import {
  createHttpClient,
  type HttpTools,
  isSafe,
  type Pace,
  SYSTEM_TOOLS,
  type TransferLimits,
} from './http-client.js';
import {
  describeValue,
  PersistentError,
  shapeError,
  SourceError,
  StatusError,
  TooLargeError,
} from './source.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';

const MAX_BYTES = 32_000_000;

/** A call of a method. */
export type RpcCall = {
  readonly method: string;
  readonly params: readonly (string | number | boolean | readonly string[])[];
};

type RpcError = { readonly code: number; readonly message: string };

/** The answer to a call: its result, in which every number is a `JsonNumber`, or the node's error. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: RpcError };

/** A node that answers JSON-RPC 2.0 over HTTP. */
export type JsonRpc = {
  /** Name of the source and address without secrets, for messages. */
  readonly where: string;
  /** Sends a call by itself. @throws SourceError, or the reason of `signal` */
  readonly call: (call: RpcCall, signal: AbortSignal, maxBytes?: number) => Promise<RpcAnswer>;
  /**
   * Sends calls in one request, and returns their answers in the order of the calls. If the node refuses so many, they are
   * sent in halves, as are all later batches. They are sent in halves too if their answers are too long together.
   * @throws SourceError, also if the node refuses a batch of one call; the reason of `signal`
   */
  readonly batch: (
    calls: readonly RpcCall[],
    signal: AbortSignal,
    maxBytes?: number,
  ) => Promise<readonly RpcAnswer[]>;
  /** Sends as many of the calls, from the first, as the node takes in one request, and returns their answers, as `batch` does. */
  readonly part: (
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
  /** Most requests at the same time. */
  readonly atOnce?: number;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/** Creates a client of a node. @throws GeneratorError 'usage' for an endpoint that is not safe */
export function createJsonRpc({ source, endpoint, limits, tools, ...pacing }: JsonRpcOptions): JsonRpc {
  const { url, origin, authorization, scrub } = parseNodeEndpoint(source, endpoint);
  const where = `${source}: ${origin}`;
  const client = createHttpClient({
    source,
    ...pacing,
    tools: tools ?? SYSTEM_TOOLS,
    endpoint: origin,
    ...(authorization !== undefined && { authorization }),
    ...(limits && { limits }),
  });
  let lastId = 0;

  async function post(
    body: RpcRequest | readonly RpcRequest[],
    signal: AbortSignal,
    maxBytes = MAX_BYTES,
  ): Promise<unknown> {
    const last = { isRate: false };
    const findPassing = (value: unknown): string | undefined => {
      const found = findPassingError(value, scrub);
      last.isRate = found?.isRate === true;
      return found?.got;
    };
    try {
      return (await client.postJson(url, JSON.stringify(body), { maxBytes, signal, findPassing })).value;
    } catch (error) {
      // some nodes say of a batch that is too large what others say of too many requests
      if (error instanceof PersistentError && last.isRate)
        throw new BatchError(error.code, scrub(error.message));
      throw toNodeError(error, { where, scrub, calls: [body].flat(), hasUser: authorization !== undefined });
    }
  }

  const numbered = (call: RpcCall): RpcRequest => ({ jsonrpc: '2.0', id: (lastId += 1), ...call });

  /** Sends calls as one request. Resolves to the failure if the node may take fewer calls. */
  async function tryBatch(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    maxBytes?: number,
  ): Promise<readonly RpcAnswer[] | SourceError> {
    const requests = calls.map(numbered);
    try {
      return parseBatch(requests, await post(requests, signal, maxBytes), { where, scrub });
    } catch (error) {
      if (error instanceof BatchError || error instanceof TooLargeError) return error;
      throw error;
    }
  }

  return {
    where,
    scrub,
    ...createBatches(tryBatch),
    async call(call, signal, maxBytes) {
      const request = numbered(call);
      const read = parseAnswer(where, await post(request, signal, maxBytes), scrub);
      // JSON-RPC 2.0 §5: the id of an error is null if the node could not read that of the request
      return read.id === String(request.id) || 'error' in read.answer
        ? read.answer
        : refuseId(where, request.id, read.id);
    },
  };
}

/**
 * Creates the methods that send batches, by one that sends a single one and resolves to a failure if fewer calls may pass. A
 * number of calls that a node refused is never sent again.
 */
function createBatches(
  tryBatch: (...args: Parameters<JsonRpc['batch']>) => Promise<readonly RpcAnswer[] | SourceError>,
): Pick<JsonRpc, 'part' | 'batch'> {
  let most = Infinity;
  const part: JsonRpc['part'] = async (calls, signal, maxBytes) => {
    let isForCalls = false;
    for (let size = Math.min(most, calls.length); ; size = Math.ceil(size / 2)) {
      const got = await tryBatch(calls.slice(0, size), signal, maxBytes);
      if (!(got instanceof SourceError)) {
        if (isForCalls) most = Math.min(most, size);
        return got;
      }
      if (size === 1) throw got;
      isForCalls ||= !(got instanceof TooLargeError);
    }
  };
  return {
    part,
    async batch(calls, signal, maxBytes) {
      const answers: RpcAnswer[] = [];
      while (answers.length < calls.length)
        answers.push(...(await part(calls.slice(answers.length), signal, maxBytes)));
      return answers;
    },
  };
}

/** A call as it is sent. */
type RpcRequest = RpcCall & { readonly jsonrpc: string; readonly id: number };

/** A refusal of a whole batch, maybe because it has too many calls. */
class BatchError extends SourceError {}

/**
 * Errors that say that the answers of a batch are too long together. Sources: geth 1.17.10, which answers the other calls;
 * jsonrpsee (reth).
 */
const TOO_LARGE: readonly number[] = [-32003, -32011];

/** Returns the answers of a batch in the order of its calls. @throws SourceError, a BatchError if fewer calls may pass */
function parseBatch(
  requests: readonly RpcRequest[],
  answered: unknown,
  { where, scrub }: Pick<JsonRpc, 'where' | 'scrub'>,
): readonly RpcAnswer[] {
  if (!Array.isArray(answered)) {
    const { answer } = parseAnswer(where, answered, scrub);
    if ('result' in answer) throw shapeError(where, 'an array of answers', 'a single one');
    throw toBatchError(where, answer.error);
  }
  const answers = new Map<string, RpcAnswer>();
  for (const each of answered as unknown[]) {
    const { id, answer } = parseAnswer(where, each, scrub);
    if (answers.has(id)) throw shapeError(where, `one answer ${id}`, 'another one');
    answers.set(id, answer);
  }
  const { length } = requests;
  if (answers.size > length) throw shapeError(where, `${length} answers`, `${answers.size}`);
  const errors = [...answers.values()].flatMap((answer) => ('error' in answer ? [answer.error] : []));
  const tooLarge = errors.find(({ code }) => TOO_LARGE.includes(code));
  // geth 1.17.10 refuses a batch by one entry with the id of the first call
  const refusal = answers.size < length ? errors[0] : length > 1 ? tooLarge : undefined;
  if (refusal !== undefined) throw toBatchError(where, refusal);
  return requests.map(({ id }) => answers.get(String(id)) ?? refuseId(where, id, 'none'));
}

function toBatchError(where: string, error: RpcError): SourceError {
  const { code, message } = toResultError(where, 'a batch', error);
  return TOO_LARGE.includes(error.code) ? new TooLargeError(message) : new BatchError(code, message);
}

/** The error of Bitcoin Core until it has loaded its blocks. */
const STARTING = -28;
/** Errors of a limit of requests: EIP-1474, and the status that some services repeat in the answer to each call. */
const LIMIT_EXCEEDED: readonly number[] = [-32005, 429];
const RATE = /too many requests|rate.?limit|rate exceeded|per second|throttl/i;

/** Returns the error of a node that is starting or asked too often, in an answer or in one of a batch. */
function findPassingError(
  value: unknown,
  scrub: JsonRpc['scrub'],
): { readonly got: string; readonly isRate: boolean } | undefined {
  for (const each of [value].flat()) {
    const error = (each as { error?: { message?: unknown } | null } | null | undefined)?.error;
    const { code, message } = parseError(error ?? {}, scrub);
    const words = typeof error?.message === 'string' ? message : ''; // not a description of another form
    // a batch that is too large has the same code with some nodes
    const isRate = !/batch/i.test(words) && (LIMIT_EXCEEDED.includes(code) || RATE.test(words));
    if (code === STARTING || isRate) return { got: `the error ${code}: ${message}`, isRate };
  }
  return undefined;
}

/** Returns what a failed request says about the node, without secrets, and without its cause, which quotes the answer. */
function toNodeError(
  error: unknown,
  {
    where,
    scrub,
    calls,
    hasUser,
  }: Pick<JsonRpc, 'where' | 'scrub'> & {
    readonly calls: readonly RpcCall[];
    /** True if the endpoint has a user and password. */
    readonly hasUser: boolean;
  },
): unknown {
  if (!(error instanceof SourceError)) return error;
  if (error instanceof StatusError && error.status === 401) {
    const refused = hasUser
      ? 'the user or password (status 401). Correct them.'
      : 'the endpoint, which has no user and password (status 401). Add them, or correct the key in its path.';
    return new StatusError(401, `${where}: the node refuses ${refused}`);
  }
  if (error instanceof StatusError && error.status === 403) {
    const methods = [...new Set(calls.map(({ method }) => method))].join(', ');
    const remedy = 'Allow this user all methods that the source needs.';
    return new StatusError(
      403,
      `${where}: the node refuses to be asked for ${methods} (status 403). ${remedy}`,
    );
  }
  const message = scrub(error.message);
  if (error instanceof TooLargeError) return new TooLargeError(message);
  const isBatchError = error instanceof StatusError && error.status === 413;
  return isBatchError ? new BatchError(error.code, message) : new SourceError(error.code, message);
}

/** Returns the result of an answer. @throws SourceError for an error of the node */
export function resultOf(where: string, what: string, answer: RpcAnswer): unknown {
  if ('result' in answer) return answer.result;
  throw toResultError(where, what, answer.error);
}

/**
 * Errors that another try would not change: a request that is not valid, and a method or parameters that the node does not
 * know. Sources: JSON-RPC 2.0 §5.1; EIP-1474, -32004 `Method not supported`, which Hardhat 3.18.0 sends; Bitcoin Core, -3 for
 * a parameter of another type.
 */
const FINAL_ERRORS: readonly number[] = [-32700, -32600, -32601, -32602, -32004, -3];
/** Bitcoin SV 1.0.13 says with -1 that a parameter has another type. */
const WRONG_TYPE = /^JSON value is not a/;

function toResultError(where: string, what: string, { code, message }: RpcError): SourceError {
  return new SourceError(
    FINAL_ERRORS.includes(code) || WRONG_TYPE.test(message) ? 'shape' : 'unavailable',
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

function parseError(error: unknown, scrub: JsonRpc['scrub']): RpcError {
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
