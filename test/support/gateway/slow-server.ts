import { startHttpServer } from '../../../gateway/http/http-server.js';
import { sendBytes } from './raw-http.js';

/** Time until the response to `/one`. All others are answered at once. */
const SLOW_MS = 100;

/** A server whose responses repeat the path: `this is /one`. */
export type SlowServer = {
  readonly url: string;
  /** Sends bytes on a new connection and returns everything received. */
  readonly send: (text: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

export async function startSlowServer(): Promise<SlowServer> {
  const server = await startHttpServer(
    (req, res) => {
      setTimeout(() => res.end(`this is ${req.url ?? ''}`), req.url === '/one' ? SLOW_MS : 0);
    },
    { host: '127.0.0.1', port: 0 },
  );
  return {
    url: server.url,
    send: async (text) => (await sendBytes(server.url, text)).toString('latin1'),
    stop: () => server.stop(0),
  };
}
