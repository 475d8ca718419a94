import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolveDigest } from '../../../scripts/image/resolve-digest.js';
import { startLoopbackServer, type LoopbackServer } from '../../support/process/loopback-server.js';

const INDEX = '{"schemaVersion": 2,\n "manifests": []}'; // the digest is of the bytes, also of their blanks
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';
const DIGEST = `sha256:${createHash('sha256').update(INDEX).digest('hex')}`;
const TOKEN = 'a-token';

let registry: LoopbackServer;
let requests: string[] = [];
/** Whether the registry wants a token, and the media type of what it answers. */
let [needsToken, type]: [boolean, string] = [true, INDEX_TYPE];

function answer({ url = '', headers }: IncomingMessage, res: ServerResponse): void {
  requests.push(url);
  if (url.startsWith('/token')) {
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ token: TOKEN }));
  } else if (needsToken && headers.authorization !== `Bearer ${TOKEN}`) {
    const realm = `Bearer realm="${registry.endpoint}/token",service="images",scope="repository:library/node:pull"`;
    res.writeHead(401, { 'www-authenticate': realm }).end();
  } else if (url.endsWith('/manifests/24-slim') || url.endsWith('/manifests/1.2')) {
    const isAsked = headers.accept?.split(',').includes(INDEX_TYPE) === true;
    res.writeHead(isAsked ? 200 : 406, { 'content-type': type }).end(INDEX);
  } else res.writeHead(404).end();
}

beforeAll(async () => {
  registry = await startLoopbackServer(answer);
});
afterAll(() => registry.dispose());
beforeEach(() => {
  [needsToken, type, requests] = [true, INDEX_TYPE, []];
});

const resolve = (name: string): Promise<string> => resolveDigest(name, { endpoint: registry.endpoint });

it('returns the name with the SHA-256 of what the registry answers, with a token that it issues', async () => {
  expect(await resolve('node:24-slim')).toBe(`node:24-slim@${DIGEST}`);
  expect(requests).toEqual([
    '/v2/library/node/manifests/24-slim',
    '/token?service=images&scope=repository%3Alibrary%2Fnode%3Apull',
    '/v2/library/node/manifests/24-slim',
  ]);
});

it.each([
  ['team/app:1.2', '/v2/team/app/manifests/1.2'],
  ['registry.example.com/app:1.2', '/v2/app/manifests/1.2'],
  ['localhost:5000/team/app:1.2', '/v2/team/app/manifests/1.2'],
])('asks for the repository of %s, without a token where none is needed', async (name, path) => {
  needsToken = false;
  expect(await resolve(name)).toBe(`${name}@${DIGEST}`);
  expect(requests).toEqual([path]);
});

it('refuses an image for one platform, because the builder and the image may differ', async () => {
  type = 'application/vnd.oci.image.manifest.v1+json';
  await expect(resolve('node:24-slim')).rejects.toThrow(
    'node:24-slim is not an image for several platforms.',
  );
});

it.each(['node', 'node@sha256:00', 'Node:1', ''])('refuses the name "%s", which has no tag', async (name) => {
  await expect(resolve(name)).rejects.toThrow('is not the name of an image with its tag');
  expect(requests).toEqual([]);
});

it('says which image does not exist', async () => {
  await expect(resolve('node:99')).rejects.toThrow(
    /^node:99: 127\.0\.0\.1:\d+ answers 404\. Correct its name/,
  );
});

it('says when the registry does not answer', async () => {
  const closed = await startLoopbackServer(answer);
  await closed.dispose();
  await expect(resolveDigest('node:24-slim', { endpoint: closed.endpoint })).rejects.toThrow(
    'does not answer. Try again.',
  );
});
