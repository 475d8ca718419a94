import type { Logger } from 'pino';

/** What the log says of a request. */
export type LoggedRequest = {
  readonly id: string;
  readonly route: string;
  readonly decision: string;
  readonly keyId: string | undefined;
};

/** The log of requests: one line each, with the route's template; never a path, query, header, key or address. */
export type RequestLog = {
  readonly request: (request: LoggedRequest, method: string, status: number, ms: number) => void;
  /** A fault of ours, with its stack. */
  readonly fault: (id: string, error: unknown) => void;
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** A log of requests on a logger. */
export function createRequestLog(logger: Logger): RequestLog {
  return {
    request({ id, route, decision, keyId }, method, status, ms) {
      logger.info({
        id,
        method: METHODS.has(method) ? method : 'other',
        route,
        decision,
        status,
        ms: Math.round(ms * 1000) / 1000,
        key: keyId,
      });
    },
    fault(id, error) {
      logger.error({ id, err: error }, 'a fault of ours');
    },
  };
}
