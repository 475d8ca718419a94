import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import { GatewayError } from '../core/problems.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** The methods that an endpoint can have; HEAD comes with GET. */
export type Method = 'GET' | 'POST' | 'DELETE';

/** Answers one method of an endpoint; what it throws is answered with its problem. */
export type Answer = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** What a browser's pages of other origins may do at an endpoint. */
export type CrossOrigin = {
  readonly origins: '*' | readonly string[];
  /** Request headers beyond those that any page may send. */
  readonly headers: readonly string[];
};

/** One or more paths that are answered alike. */
export type Endpoint = {
  /** How log and metrics name it. */
  readonly template: string;
  readonly has: (path: string) => boolean;
  readonly crossOrigin: CrossOrigin;
  /** Request headers, beside the origin, that a private answer depends on. */
  readonly dependsOn?: readonly string[];
  readonly answers: { readonly [method in Method]?: Answer };
};

const EXPOSED_HEADERS = [
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Published-Revision',
  'X-Content-SHA256',
  'X-Url-Expires-In',
];
const PREFLIGHT_SECONDS = 600;

/** Answers the requests of one endpoint. */
export type EndpointServer = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** What serves an endpoint. Its other methods are 405, and OPTIONS says which it has. */
export function serve({
  crossOrigin: { origins, headers },
  dependsOn = [],
  answers,
}: Endpoint): EndpointServer {
  const methods = Object.keys(answers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = [...methods, 'OPTIONS'].join(', ');
  const letIn = cors({
    origin: origins === '*' ? '*' : [...origins],
    methods,
    allowedHeaders: [...headers],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    preflightContinue: true,
  });
  const vary = ['Vary', [...dependsOn, 'Origin'].join(', ')];
  const answer = (req: IncomingMessage, res: ServerResponse): void | Promise<void> => {
    if (req.method === 'OPTIONS') {
      exchangeOf(res).decision = 'options';
      reply(res, 204, { Allow: allow });
      return;
    }
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '');
    const chosen = Object.hasOwn(answers, method) ? answers[method as Method] : undefined; // as just seen
    if (chosen === undefined) {
      throw new GatewayError('method-not-allowed', {
        detail: `this path allows ${allow}`,
        headers: { Allow: allow },
      });
    }
    return chosen(req, res);
  };
  return (req, res) => {
    if (origins !== '*') {
      exchangeOf(res).vary = vary;
      if (req.headers.origin === undefined) return answer(req, res);
    }
    let answered: Promise<void> | undefined;
    letIn(req, res, () => void (answered = answer(req, res) ?? undefined)); // calls back at once
    return answered;
  };
}
