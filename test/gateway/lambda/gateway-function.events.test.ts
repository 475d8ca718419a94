import { toRequest, toResult, type GatewayEvent } from '../../../gateway/lambda/gateway-function.js';
import { readEvent } from '../../support/aws/lambda-process.js';

/** Returns an event of an HTTP API with another path and query. */
async function eventOf(path: string, query = ''): Promise<GatewayEvent> {
  const event = (await readEvent('http-api.json')) as unknown as GatewayEvent; // in the documented format
  return { ...event, rawPath: path, rawQueryString: query };
}

it.each([
  ['/api/v1/keys', 'id=a&b=%20', '/api/v1/keys?id=a&b=%20'],
  ['/a b', '', '/a%20b'],
  ['/é', 'é', '/%C3%A9?%C3%A9'],
  ['/a?b#c', 'd#e', '/a%3Fb%23c?d%23e'],
  ['/a\r\nb', '', '/a%0D%0Ab'],
  ['/%zz', '', '/%zz'],
])('keeps path and query of a request apart: %j %j', async (path, query, target) => {
  expect(toRequest(await eventOf(path, query)).target).toBe(target);
});

it.each([
  ['/docs/index.html', '/docs'],
  ['/index.html', '/'],
  ['/api/v1/index.html', '/api/v1/index.html'],
])('reads the copy %s of a page as %s', async (copy, page) => {
  expect(toRequest(await eventOf(copy)).path).toBe(page);
});

it('returns text as text and other bytes in base64', () => {
  const answer = (body: Buffer): object => toResult({ status: 200, headers: [], body });
  expect(answer(Buffer.from('é'))).toMatchObject({ body: 'é', isBase64Encoded: false });
  expect(answer(Buffer.from([0xff]))).toMatchObject({ body: '/w==', isBase64Encoded: true });
});
