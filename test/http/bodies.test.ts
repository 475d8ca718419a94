import { gzipSync } from 'node:zlib';
import {
  asJson,
  KEYS_PATH,
  startDashboardServer,
  type RequestParts,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { readProblem, readProblemCode } from '../support/gateway/http-answers.js';

const LIMIT_BYTES = 65_536;
const JSON_TYPE = { 'Content-Type': 'application/json' };
let server: DashboardServer;

beforeAll(async () => (server = await startDashboardServer(() => Date.now())));
afterAll(() => server.dispose());

describe('the body of a request', () => {
  const padded = (size: number): string => '{}'.padStart(size);
  const stream = (text: string): ReadableStream => new Blob([text]).stream();

  it.each<[string, RequestParts, number]>([
    ['no body', {}, 201],
    ['an empty body', { body: '', headers: JSON_TYPE }, 201],
    ['an empty object', asJson({}), 201],
    [
      'an explicit UTF-8 charset',
      { body: '{}', headers: { 'Content-Type': 'application/json; charset=UTF-8' } },
      201,
    ],
    ['64 KiB', { body: padded(LIMIT_BYTES), headers: JSON_TYPE }, 201],
    ['64 KiB and a byte', { body: padded(LIMIT_BYTES + 1), headers: JSON_TYPE }, 413],
    ['a megabyte', { body: padded(1_000_000), headers: JSON_TYPE }, 413],
    ['half an object', { body: '{"label":', headers: JSON_TYPE }, 400],
    [
      'bytes that are not UTF-8 inside JSON',
      { body: Buffer.from([0x7b, 0xff, 0x7d]), headers: JSON_TYPE },
      400,
    ],
    ['an array', asJson([]), 400],
    ['a string', asJson('x'), 400],
    ['a number', asJson(7), 400],
    ['null', asJson(null), 400],
    ['an unknown member', asJson({ label: 'x', id: 'x' }), 400],
    ['a __proto__ member', { body: '{"__proto__":{"label":"x"}}', headers: JSON_TYPE }, 400],
    ['a form', { body: 'label=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
    ['text/plain', { body: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
    ['no media type', { body: Buffer.from('{}') }, 415],
    [
      'application/problem+json',
      { body: '{}', headers: { 'Content-Type': 'application/problem+json' } },
      415,
    ],
    ['Latin 1', { body: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } }, 415],
    ['gzip', { body: gzipSync('{}'), headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' } }, 415],
  ])('is answered with the expected status: %s', async (_name, asked, status) => {
    const response = await (await server.openSession()).request('POST', asked);
    expect(response.status).toBe(status);
    if (status !== 201) await readProblem(response);
  });

  it.each([
    [LIMIT_BYTES, 201],
    [LIMIT_BYTES + 1, 413],
  ])('of %i bytes in chunks is answered with %i', async (size, status) => {
    const { authorization } = await server.openSession();
    const init = { method: 'POST', body: stream(padded(size)), duplex: 'half' } as RequestInit; // Node needs duplex
    const headers = { ...JSON_TYPE, Authorization: authorization };
    const response = await server.gateway.request(KEYS_PATH, { ...init, headers });
    expect(response.status).toBe(status);
  });

  it('is not read before the caller is authenticated', async () => {
    for (const method of ['POST', 'DELETE']) {
      const init = { method, body: padded(LIMIT_BYTES + 1), headers: JSON_TYPE };
      expect(await readProblemCode(await server.gateway.request(KEYS_PATH, init))).toBe('session-invalid');
    }
  });
});
