import { once } from 'node:events';
import type { Server } from 'node:http';

/** Listens on a free loopback port, and prints the address on stderr in the format of `gateway serve`. */
export async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stderr.write(`serving on http://127.0.0.1:${port}\n`);
}
