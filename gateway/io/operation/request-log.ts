import type { Logger } from 'pino';

/** A request as it is logged; `decision` is the outcome. */
type LoggedRequest = {
  readonly id: string;
  readonly route: string;
  readonly decision: string;
  readonly keyId: string | undefined;
};

/** The log of requests: one line each, with the template of the route; never a path, query, header, key or address. */
export type RequestLog = {
  readonly request: (request: LoggedRequest, method: string, status: number, ms: number) => void;
  /** Logs an unexpected error with its stack. */
  readonly unexpectedError: (id: string, error: unknown) => void;
};

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Creates a log of requests on a logger. */
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
    unexpectedError(id, error) {
      logger.error({ id, err: error }, 'unexpected error');
    },
  };
}
