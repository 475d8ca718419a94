import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is known of one request while it is answered. Log and metrics are told templates and names alone. */
export type Exchange = {
  /** Names the request in the log, in problems and in the header X-Request-Id. */
  readonly id: string;
  readonly startedMs: number;
  /** The path as it was sent. */
  readonly path: string;
  /** The query as it was sent, without its question mark. */
  readonly query: string;
  /** What the answer says of the caller's limit, each header's name before its value. */
  rateHeaders: readonly string[];
  /** Which request headers every answer of the endpoint depends on: the header that says so, or nothing. */
  vary: readonly string[];
  /** Whether the answer is a page, which a browser draws with a stylesheet and pictures from here. */
  isPage: boolean;
  /** Template of the path. */
  route: string;
  /** What was decided: a problem's code, or what was given. */
  decision: string;
  keyId: string | undefined;
};

/**
 * Where an answer keeps its exchange. A WeakMap would be the tidier place, but its entries outlive the quick collections
 * of memory: the long ones then come three times as often, and each keeps requests waiting for tens of milliseconds.
 */
const EXCHANGE = Symbol('exchange');

type Answering = ServerResponse & { [EXCHANGE]?: Exchange };

/** Begins the exchange of a request. */
export function beginExchange(
  { url = '' }: IncomingMessage,
  res: ServerResponse,
  id: string,
  startedMs: number,
): Exchange {
  const at = url.indexOf('?');
  const exchange: Exchange = {
    id,
    startedMs,
    path: at < 0 ? url : url.slice(0, at),
    query: at < 0 ? '' : url.slice(at + 1),
    rateHeaders: [],
    vary: [],
    isPage: false,
    route: 'none',
    decision: 'none',
    keyId: undefined,
  };
  (res as Answering)[EXCHANGE] = exchange; // whoever answers may keep something on it
  return exchange;
}

/**
 * The exchange that a response belongs to.
 * @throws TypeError for a response whose exchange was never begun: the caller broke the precondition.
 */
export function exchangeOf(res: ServerResponse): Exchange {
  const exchange = (res as Answering)[EXCHANGE]; // as begun
  if (exchange === undefined) throw new TypeError('the exchange was never begun');
  return exchange;
}
