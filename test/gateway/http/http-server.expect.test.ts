import { startSlowServer, type SlowServer } from '../../support/gateway/slow-server.js';

const HOST = 'Host: gateway\r\n';
let server: SlowServer;
beforeAll(async () => {
  server = await startSlowServer();
});
afterAll(() => server.stop());

describe('startHttpServer, for Expect: 100-continue', () => {
  const expecting = `POST /two HTTP/1.1\r\n${HOST}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`;

  it('sends 100 Continue before the response', async () => {
    expect(await server.send(expecting)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*this is \/two/,
    );
  });

  it('writes no 100 Continue into a pending response', async () => {
    const answers = (await server.send(`GET /one HTTP/1.1\r\n${HOST}\r\n${expecting}`)).split(
      /(?=HTTP\/1\.1 )/,
    );
    expect(answers).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 [^]*this is \/one$/),
      expect.stringMatching(/^HTTP\/1\.1 200 [^]*this is \/two$/),
    ]);
  });
});
