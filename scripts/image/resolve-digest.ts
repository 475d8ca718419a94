import { createHash } from 'node:crypto';

/** The parts of the name of an image, such as `node:24-slim` or `registry.example.com/team/app:1`. */
type ImageName = { readonly host: string; readonly repository: string; readonly tag: string };

const DEFAULT_HOST = 'registry-1.docker.io';
const NAME = /^(?:([a-z0-9.-]+(?:\.[a-z0-9.-]+|:\d+)|localhost)\/)?([a-z0-9._/-]+?)(?::([\w.-]+))?$/;
/** Media types of a list of images for several platforms. */
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Options for `resolveDigest`. */
type DigestOptions = {
  /** URL of the registry, instead of the host in the name. */
  readonly endpoint?: string;
};

/**
 * Asks the registry for the newest image of a tag, and returns its name with the SHA-256 of the answer: `node:24-slim@sha256:…`.
 * Uses no credentials: if the registry requires a token, requests an anonymous one.
 * @throws Error that names the image, if the registry does not answer or the image is not for several platforms.
 */
export async function resolveDigest(name: string, { endpoint }: DigestOptions = {}): Promise<string> {
  const { host, repository, tag } = parseName(name);
  const url = `${endpoint ?? `https://${host}`}/v2/${repository}/manifests/${tag}`;
  const response = await requestManifest(name, url);
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const body = new Uint8Array(await response.arrayBuffer());
  if (!INDEX_TYPES.includes(type) || body.length > MAX_BYTES)
    throw new Error(`${name} is not an image for several platforms. Use another tag.`);
  return `${name}@sha256:${createHash('sha256').update(body).digest('hex')}`;
}

function parseName(name: string): ImageName {
  const [, host, path = '', tag] = NAME.exec(name) ?? [];
  if (path === '' || tag === undefined)
    throw new Error(`${name} is not the name of an image with its tag. Write it like node:24-slim.`);
  const isOfficial = host === undefined && !path.includes('/');
  return { host: host ?? DEFAULT_HOST, repository: isOfficial ? `library/${path}` : path, tag };
}

/** Requests a manifest; if that needs a token, requests one as the registry says, and tries again. */
async function requestManifest(name: string, url: string): Promise<Response> {
  const first = await request(name, url, { Accept: INDEX_TYPES.join() });
  if (first.status !== 401) return assertOk(name, first);
  const { access_token, token = access_token } = (await assertOk(
    name,
    await request(name, toTokenUrl(name, first.headers.get('www-authenticate') ?? ''), {}),
  ).json()) as { token?: string; access_token?: string }; // the format of the registry API; a wrong token is refused
  const headers = { Accept: INDEX_TYPES.join(), Authorization: `Bearer ${token ?? ''}` };
  return assertOk(name, await request(name, url, headers));
}

/** Returns the URL that a `WWW-Authenticate: Bearer realm="…",service="…",scope="…"` names. */
function toTokenUrl(name: string, challenge: string): string {
  const { realm, ...parameters } = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
  if (!/^Bearer /i.test(challenge) || realm === undefined || !URL.canParse(realm))
    throw new Error(`${name}: the registry wants a login, which this program does not have.`);
  const url = new URL(realm);
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  return url.href;
}

async function request(name: string, url: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new Error(`${name}: ${new URL(url).host} does not answer. Try again.`, { cause: error });
  }
}

function assertOk(name: string, response: Response): Response {
  if (response.ok) return response;
  const advice = response.status === 404 ? 'Correct its name.' : 'Try again later.';
  throw new Error(`${name}: ${new URL(response.url).host} answers ${response.status}. ${advice}`);
}
