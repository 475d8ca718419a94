import { GeneratorError, RUN_AGAIN } from '../../core/generator-error.js';
import { isSafe } from '../http-client.js';

/** Shortest texts of an endpoint that count as secret. Shorter ones, such as `v1` and `base`, occur by chance. */
const SHORTEST_SECRET = { credential: 4, part: 8 };

/** The address of a node. Its user, password, path and query may be secret. */
type NodeEndpoint = {
  readonly url: string;
  /** The part of the address that may be shown. */
  readonly origin: string;
  /** Value of the header `Authorization`. */
  readonly authorization: string | undefined;
  /** Replaces all secrets of the address in a text. */
  readonly scrub: (text: string) => string;
};

/** Parses `https://user:password@host/path?query`. @throws GeneratorError 'usage', whose message does not show it */
export function parseNodeEndpoint(source: string, endpoint: string): NodeEndpoint {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const credentials = url && decodeCredentials(url);
  if (url === undefined || !isSafe(url) || credentials === undefined) {
    throw new GeneratorError(
      'usage',
      `${source}: the endpoint must be an https URL, or an http URL on loopback. Fix it in the policy.`,
      { next: RUN_AGAIN },
    );
  }
  const raw = [url.username, url.password];
  url.username = url.password = url.hash = '';
  const [user, password] = credentials;
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  const hasCredentials = user !== '' || password !== '';
  const secrets = [
    ...[...raw, ...credentials, encoded].filter(({ length }) => length >= SHORTEST_SECRET.credential),
    ...partsOf(url).filter(({ length }) => length >= SHORTEST_SECRET.part),
  ];
  return {
    url: url.href,
    origin: url.origin,
    authorization: hasCredentials ? `Basic ${encoded}` : undefined,
    scrub: createScrubber(secrets),
  };
}

function decodeCredentials({ username, password }: URL): readonly [string, string] | undefined {
  try {
    return [decodeURIComponent(username), decodeURIComponent(password)];
  } catch {
    return undefined; // a percent sign that begins no byte
  }
}

function partsOf({ pathname, search, searchParams }: URL): string[] {
  return [pathname.slice(1), search.slice(1), ...pathname.split('/'), ...searchParams.values()];
}

function createScrubber(secrets: readonly string[]): NodeEndpoint['scrub'] {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
