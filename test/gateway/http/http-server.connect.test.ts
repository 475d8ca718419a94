import { connect } from 'node:net';
import { startHttpServer, type HttpServer } from '../../../gateway/http/http-server.js';

const SLOW_MS = 100;
const HOST = 'Host: gateway\r\n';
let server: HttpServer;
beforeAll(async () => {
  const listener = (req: { url?: string | undefined }, res: { end: (body: Uint8Array) => unknown }): void => {
    setTimeout(() => res.end(Buffer.from(`this is ${req.url ?? ''}`)), req.url === '/one' ? SLOW_MS : 0);
  };
  server = await startHttpServer(listener, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.stop(0));

/** Sends bytes on a new connection and returns everything received. */
function send(text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.on('error', () => undefined); // the event close follows
    socket.on('close', () => resolve(received));
  });
}

describe('startHttpServer, for CONNECT', () => {
  it('answers with a problem and closes the connection', async () => {
    expect(await send(`CONNECT /x HTTP/1.1\r\n${HOST}\r\n`)).toMatch(
      /^HTTP\/1\.1 400 [^]*Connection: close\r\n[^]*CONNECT is not supported/,
    );
  });

  it('closes the connection if another response is pending, and does not crash', async () => {
    const both = `GET /one HTTP/1.1\r\n${HOST}\r\nCONNECT /two HTTP/1.1\r\n${HOST}\r\n`;
    expect(await send(both)).not.toContain('this is /two');
    expect(await (await fetch(`${server.url}/three`)).text()).toBe('this is /three');
  });
});

describe('startHttpServer, for Expect: 100-continue', () => {
  const expecting = `POST /two HTTP/1.1\r\n${HOST}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`;

  it('sends 100 Continue before the response', async () => {
    expect(await send(expecting)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*this is \/two/);
  });

  it('writes no 100 Continue into a pending response', async () => {
    const answers = (await send(`GET /one HTTP/1.1\r\n${HOST}\r\n${expecting}`)).split(/(?=HTTP\/1\.1 )/);
    expect(answers).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 [^]*this is \/one$/),
      expect.stringMatching(/^HTTP\/1\.1 200 [^]*this is \/two$/),
    ]);
  });
});
