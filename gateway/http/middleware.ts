import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Middleware that needs only Node's request and response, so that it runs with and without Express. */
export type Middleware = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>;

/** Runs middleware in order without Express. `onError` gets each error that is thrown or passed to `next`. The last one must answer. */
export function runMiddleware(
  middleware: readonly Middleware[],
  onError: (error: unknown, res: ServerResponse) => void,
): RequestListener {
  return (req, res) => {
    let position = 0;
    const next = (error?: unknown): void => {
      if (error !== undefined) {
        onError(error, res);
        return;
      }
      const current = middleware[position];
      position += 1;
      try {
        current?.(req, res, next)?.catch((rejection: unknown) => onError(rejection, res));
      } catch (thrown) {
        onError(thrown, res);
      }
    };
    next();
  };
}
