import { once } from 'node:events';
import type { Server } from 'node:http';

/** Listens on a free port of loopback until SIGTERM, and says where on stderr in the words of `gateway serve`. */
export async function listen(server: Server): Promise<void> {
  process.once('SIGTERM', () => process.exit()); // not by the signal itself: a profile is written on the way out
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stderr.write(`serving on http://127.0.0.1:${port}\n`);
}
