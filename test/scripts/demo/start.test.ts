import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../..');

it('refuses a port that is in use before it builds anything, and suggests another', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  const args = ['--import', 'tsx', 'scripts/demo/start.ts', '--port', String(port)];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  });
  await new Promise((resolve) => server.close(resolve));
  expect(stderr).toMatch(/^demo: Port \d+ is in use\. Choose another: npm run demo -- --port \d+\n$/);
  expect(status).toBe(1);
});
