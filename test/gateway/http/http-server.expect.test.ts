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
