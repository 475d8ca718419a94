import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { runMiddleware, type Middleware } from '../../../gateway/http/middleware.js';

const server: Server = createServer();
let middleware: readonly Middleware[] = [];
let errors: unknown[] = [];
beforeAll(async () => {
  server.on('request', (req, res) =>
    runMiddleware(middleware, (error, failed) => {
      errors.push(error);
      failed.writeHead(500).end();
    })(req, res),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => server.close());

async function run(...list: readonly Middleware[]): Promise<readonly [number, string]> {
  [middleware, errors] = [list, []];
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on a port
  return [response.status, await response.text()];
}

const pass: Middleware = (_req, _res, next) => next();
const passLater: Middleware = async (_req, _res, next) => {
  await Promise.resolve();
  next();
};
const answer: Middleware = (_req, res) => void res.end('here');
const fault = new Error('a fault');

it('runs middleware in order until one of them answers', async () => {
  const never: Middleware = () => {
    throw fault;
  };
  expect(await run(pass, passLater, pass, answer, never)).toEqual([200, 'here']);
  expect(errors).toEqual([]);
});

// prettier-ignore
it.each<[string, Middleware]>([
  ['throws', () => { throw fault; }],
  ['rejects', () => Promise.reject(fault)],
  ['calls next with an error', (_req, _res, next) => next(fault)],
])('calls the error handler once when middleware %s', async (_how, fail) => {
  for (const before of [pass, passLater]) {
    expect(await run(before, fail, answer)).toEqual([500, '']);
    expect(errors).toEqual([fault]);
  }
});
