import type { ServerResponse } from 'node:http';
import helmet from 'helmet';
import { exchangeOf } from './exchange.js';

/** Headers of an answer by their names, or as the list that goes out: each name before its value. */
export type Headers = Readonly<Record<string, string | number>> | readonly (string | number)[];

/** What a browser may make of our answers: nothing but data. */
const DATA_HEADERS = securityHeaders({});

/** What it may make of our pages: text with a stylesheet and pictures from here, and nothing that runs. */
const PAGE_HEADERS = securityHeaders({
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
});

/**
 * Sends an answer with these headers, those of its exchange and those of every answer. They go out in one list: to set
 * them one by one takes longer than to decide and to sign.
 */
export function reply(res: ServerResponse, status: number, headers: Headers, body?: Uint8Array): void {
  const { id, rateHeaders, vary, isPage } = exchangeOf(res);
  const own = isList(headers) ? headers : Object.entries(headers).flat();
  const list = [
    ...(isPage ? PAGE_HEADERS : DATA_HEADERS),
    'X-Request-Id',
    id,
    ...rateHeaders,
    ...vary,
    ...own,
  ];
  res.writeHead(status, list as string[]); // Node writes a number as its digits
  res.end(body);
}

function isList(headers: Headers): headers is readonly (string | number)[] {
  return Array.isArray(headers);
}

/** What the library says with these directives besides those of all answers. The rest of what it sends is for scripts. */
function securityHeaders(directives: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return collectHeaders(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], ...directives },
      },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      referrerPolicy: { policy: 'no-referrer' },
      strictTransportSecurity: { maxAge: 31_536_000 },
      xContentTypeOptions: true,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xFrameOptions: false,
      xPermittedCrossDomainPolicies: false,
      xPoweredBy: false,
      xXssProtection: false,
    }),
  );
}

/** The headers that a library sets on every answer alike: once, instead of each time. */
function collectHeaders(middleware: ReturnType<typeof helmet>): readonly string[] {
  const list: string[] = [];
  const answer = { setHeader: (name: string, value: string) => void list.push(name, value) };
  middleware({} as never, answer as never, () => undefined); // it asks no more of either
  return list;
}
