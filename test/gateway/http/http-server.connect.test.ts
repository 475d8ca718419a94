import { startSlowServer, type SlowServer } from '../../support/gateway/slow-server.js';

const HOST = 'Host: gateway\r\n';
let server: SlowServer;
beforeAll(async () => {
  server = await startSlowServer();
});
afterAll(() => server.stop());

describe('startHttpServer, for CONNECT', () => {
  it('answers with a problem and closes the connection', async () => {
    expect(await server.send(`CONNECT /x HTTP/1.1\r\n${HOST}\r\n`)).toMatch(
      /^HTTP\/1\.1 400 [^]*Connection: close\r\n[^]*CONNECT is not supported/,
    );
  });

  it('closes the connection of a CONNECT that follows a pending request, without an answer, and keeps serving', async () => {
    const both = `GET /one HTTP/1.1\r\n${HOST}\r\nCONNECT /two HTTP/1.1\r\n${HOST}\r\n`;
    expect(await server.send(both)).not.toMatch(/this is \/two|HTTP\/1.1 400/);
    expect(await (await fetch(`${server.url}/three`)).text()).toBe('this is /three');
  });
});
