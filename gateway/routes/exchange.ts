import type { Request, Response } from 'express';

/** What is put down of one request for the log and the metrics: templates and names, never what the caller wrote. */
export type Exchange = {
  /** Names the request in the log, in problems and in the header X-Request-Id. */
  readonly id: string;
  readonly startedMs: number;
  /** Template of the path. */
  route: string;
  /** What was decided: a problem's code, or what was given. */
  decision: string;
  keyId: string | undefined;
};

/** Begins the exchange of a request. */
export function beginExchange(res: Response, id: string, startedMs: number): Exchange {
  const exchange: Exchange = { id, startedMs, route: 'none', decision: 'none', keyId: undefined };
  res.locals['exchange'] = exchange;
  return exchange;
}

/** The exchange that a response belongs to. */
export function exchangeOf(res: Response): Exchange {
  return res.locals['exchange'] as Exchange; // the observer, first of all, puts it there
}

/** The query of a request as it was sent, without its question mark. */
export function rawQueryOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
