/**
 * An S3 server that discards all data, so that a slow server does not hide the cost of the writer: it answers each PUT at
 * once with an ETag, and each GET with 404. It prints its port, and exits when stdin closes.
 */
import { type Socket, createServer } from 'node:net';

const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nETag: "${'0'.repeat(32)}"\r\nContent-Length: 0\r\n\r\n`,
  'latin1',
);
const MISSING_BODY = '<Error><Code>NoSuchKey</Code><Message>No such key</Message></Error>';
const MISSING = Buffer.from(
  `HTTP/1.1 404 Not Found\r\nContent-Type: application/xml\r\nContent-Length: ${MISSING_BODY.length}\r\n\r\n${MISSING_BODY}`,
  'latin1',
);
const HEAD_END = '\r\n\r\n';

/** Answers the requests of a connection. It parses only methods and lengths. */
function serve(socket: Socket): void {
  let head = '';
  let unreadBytes = 0; // of the current body
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    let rest = chunk.toString('latin1');
    while (rest !== '') {
      const taken = Math.min(unreadBytes, rest.length);
      unreadBytes -= taken;
      rest = rest.slice(taken);
      if (taken > 0 && unreadBytes === 0) socket.write(ANSWER);
      if (rest === '') return;
      head += rest;
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      unreadBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      rest = head.slice(end + HEAD_END.length);
      if (unreadBytes === 0) socket.write(head.startsWith('GET ') ? MISSING : ANSWER);
      head = '';
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.resume().once('end', () => process.exit());
