import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../io/metrics.js';
import type { RequestLog } from '../io/request-log.js';
import { beginExchange } from './exchange.js';

/** What the observer needs; `clock` is monotonic, in milliseconds. */
export type ObserverTerms = {
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly clock: () => number;
  readonly newId: () => string;
};

/** Begins an exchange, and puts it down once its answer has gone out or its caller has left. */
export type Observer = (req: IncomingMessage, res: ServerResponse) => void;

/** An observer that counts and logs. */
export function createObserver({ log, metrics, clock, newId }: ObserverTerms): Observer {
  return (req, res) => {
    const exchange = beginExchange(req, res, newId(), clock());
    res.once('close', () => {
      const ms = clock() - exchange.startedMs;
      const status = res.writableFinished ? res.statusCode : 499; // the caller left before the answer
      metrics.count(exchange.route, exchange.decision, status, ms / 1000);
      log.request(exchange, req.method ?? '', status, ms);
    });
  };
}
