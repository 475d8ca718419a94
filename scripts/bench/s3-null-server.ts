/**
 * An S3 server that keeps nothing: it answers each PUT at once with an etag, and does nothing else, so that what a
 * publication costs itself is not hidden by a server's slowness. Prints its port; ends when its stdin does.
 */
import { createServer, type Socket } from 'node:net';

const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nETag: "${'0'.repeat(32)}"\r\nContent-Length: 0\r\n\r\n`,
  'latin1',
);
const HEAD_END = '\r\n\r\n';

/** Answers every request that comes in over a connection; only their ends are looked for. */
function serve(socket: Socket): void {
  let head = '';
  let missing = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    let rest = chunk.toString('latin1');
    while (rest !== '') {
      const taken = Math.min(missing, rest.length);
      missing -= taken;
      rest = rest.slice(taken);
      if (taken > 0 && missing === 0) socket.write(ANSWER);
      if (rest === '') return;
      head += rest;
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      rest = head.slice(end + HEAD_END.length);
      head = '';
      if (missing === 0) socket.write(ANSWER);
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.resume().once('end', () => process.exit());
