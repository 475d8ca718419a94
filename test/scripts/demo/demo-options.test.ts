import { createServer, type AddressInfo } from 'node:net';
import { assertFreePort, parseDemoOptions, parsePort } from '../../../scripts/demo/demo-options.js';

describe('parsePort', () => {
  it.each([
    ['1', 1],
    ['8080', 8080],
    ['65535', 65_535],
  ])('accepts %s', (text, port) => {
    expect(parsePort(text)).toBe(port);
  });

  it.each(['nonsense', '', '0', '65536', '99999', '-1', '80.5', '0x50', '8080 ', '1e3'])(
    'refuses "%s" and says which numbers it takes',
    (text) => {
      expect(() => parsePort(text)).toThrow('--port needs a number from 1 to 65535');
    },
  );
});

it('assertFreePort refuses a port that is in use and suggests another, and accepts it once it is free', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  await expect(assertFreePort(port)).rejects.toThrow(
    new RegExp(`^Port ${port} is in use\\. Choose another: npm run demo -- --port \\d+$`),
  );
  await new Promise((resolve) => server.close(resolve));
  await expect(assertFreePort(port)).resolves.toBeUndefined();
});

it('parseDemoOptions uses port 8080, or any free port to check the demo', () => {
  const parse = (...args: readonly string[]): number => parseDemoOptions(['node', 'demo', ...args]).port;
  expect([parse(), parse('--check'), parse('--check', '--port', '8081')]).toEqual([8080, 0, 8081]);
});
