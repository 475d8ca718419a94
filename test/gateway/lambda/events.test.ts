import { toRequest, toResult, type GatewayEvent } from '../../../gateway/lambda/events.js';
import { readEvent } from '../../support/aws/lambda-process.js';

/** Returns an event of `test/aws/events` with another path and query. */
async function eventOf(name: string, path: string, query = ''): Promise<GatewayEvent> {
  const event = (await readEvent(name)) as unknown as GatewayEvent; // in the documented format
  if (!('Records' in event)) return { ...event, rawPath: path, rawQueryString: query };
  const [record] = event.Records;
  if (record === undefined) throw new Error('the event has no record');
  const request = { ...record.cf.request, uri: path, querystring: query };
  return { Records: [{ cf: { ...record.cf, request } }] };
}

const EVENTS = ['http-api.json', 'cloudfront.json'];

describe.each(EVENTS)('the request of the event %s', (name) => {
  it.each([
    ['/api/v1/keys', 'id=a&b=%20', '/api/v1/keys?id=a&b=%20'],
    ['/a b', '', '/a%20b'],
    ['/é', 'é', '/%C3%A9?%C3%A9'],
    ['/a?b#c', 'd#e', '/a%3Fb%23c?d%23e'],
    ['/a\r\nb', '', '/a%0D%0Ab'],
    ['/%zz', '', '/%zz'],
  ])('keeps path and query apart: %j %j', async (path, query, target) => {
    expect(toRequest(await eventOf(name, path, query)).target).toBe(target);
  });
});

it.each([
  ['/docs/index.html', '/docs'],
  ['/index.html', '/'],
  ['/api/v1/index.html', '/api/v1/index.html'],
])('reads the copy %s of a page as %s', async (copy, page) => {
  expect(toRequest(await eventOf('http-api.json', copy)).path).toBe(page);
});

it.each(EVENTS)('returns text as text and other bytes in base64: %s', async (name) => {
  const event = await eventOf(name, '/');
  const answer = (body: Buffer): object => toResult(event, { status: 200, headers: [], body });
  expect(answer(Buffer.from('é'))).toMatchObject({ body: 'é' });
  expect(answer(Buffer.from([0xff]))).toMatchObject({ body: '/w==' });
});
