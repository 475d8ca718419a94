import type { ServerResponse } from 'node:http';
import helmet from 'helmet';
import { exchangeOf } from './exchange.js';

/** Headers of an answer by their names, or as the list that goes out: each name before its value. */
export type Headers = Readonly<Record<string, string | number>> | readonly (string | number)[];

/** What a browser may make of our answers: nothing but data. The rest of what the library sends is for pages. */
const SECURITY_HEADERS = collectHeaders(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
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

const POLICY = 'Content-Security-Policy';
const POLICY_AT = SECURITY_HEADERS.indexOf(POLICY);
/** The same for an answer that says itself what a browser may make of it: of two policies, browsers hold to both. */
const WITHOUT_POLICY = SECURITY_HEADERS.toSpliced(POLICY_AT, 2);

/**
 * Sends an answer with these headers, those of its exchange and those of every answer. A policy among the first takes
 * the place of that of every answer. They go out in one list: to set
 * them one by one takes longer than to decide and to sign.
 */
export function reply(res: ServerResponse, status: number, headers: Headers, body?: Uint8Array): void {
  const { id, rateHeaders, vary } = exchangeOf(res);
  const own = isList(headers) ? headers : Object.entries(headers).flat();
  const security = !isList(headers) && POLICY in headers ? WITHOUT_POLICY : SECURITY_HEADERS;
  const list = [...security, 'X-Request-Id', id, ...rateHeaders, ...vary, ...own];
  res.writeHead(status, list as string[]); // Node writes a number as its digits
  res.end(body);
}

function isList(headers: Headers): headers is readonly (string | number)[] {
  return Array.isArray(headers);
}

/** The headers that a library sets on every answer alike: once, instead of each time. */
function collectHeaders(middleware: ReturnType<typeof helmet>): readonly string[] {
  const list: string[] = [];
  const answer = { setHeader: (name: string, value: string) => void list.push(name, value) };
  middleware({} as never, answer as never, () => undefined); // it asks no more of either
  return list;
}
