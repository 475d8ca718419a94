import { isJsonNumber } from '../../core/collection/values/json-digits.js';
import { createHttpClient } from '../http-client.js';
import { SYSTEM_TOOLS, type HttpTools } from '../http/http-tools.js';
import type { Pace } from '../http/pace.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import { describeValue, shapeError } from '../shape-error.js';
import { SourceError } from '../source.js';
import { parseNodeEndpoint } from './node-endpoint.js';

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
    ...{ source, pace, tools: tools ?? SYSTEM_TOOLS },
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
    ...{ jsonrpc: '2.0', id: (lastId += 1) },
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
