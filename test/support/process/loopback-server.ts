import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** A server on a free loopback port. */
export type LoopbackServer = { readonly endpoint: string; readonly dispose: () => Promise<void> };

/** Starts a server. Disposing of it closes all connections. */
export async function startLoopbackServer(answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async dispose() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
