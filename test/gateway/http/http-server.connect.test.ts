import { startHttpServer, type HttpServer } from '../../../gateway/http/http-server.js';
import { sendBytes } from '../../support/gateway/raw-http.js';

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

const send = async (text: string): Promise<string> => (await sendBytes(server.url, text)).toString('latin1');

describe('startHttpServer, for CONNECT', () => {
  it('answers with a problem and closes the connection', async () => {
    expect(await send(`CONNECT /x HTTP/1.1\r\n${HOST}\r\n`)).toMatch(
      /^HTTP\/1\.1 400 [^]*Connection: close\r\n[^]*CONNECT is not supported/,
    );
  });

  it('drops a CONNECT that follows a pending request, and keeps serving', async () => {
    const both = `GET /one HTTP/1.1\r\n${HOST}\r\nCONNECT /two HTTP/1.1\r\n${HOST}\r\n`;
    expect(await send(both)).not.toContain('this is /two');
    expect(await (await fetch(`${server.url}/three`)).text()).toBe('this is /three');
  });
});
