import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Router } from 'express';
import { sha256Hex } from '../../schemas/digest.js';
import { ACCOUNT_PATHS } from '../../schemas/paths.js';
import { assembleAccountPage, type AccountAsset, type AccountFiles } from '../core/http/account-page.js';
import type { SignInSettings } from '../core/configuration/session-settings.js';
import { GatewayError } from '../core/problems.js';
import type { Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import type { Compressor } from '../io/releases/compressor.js';
import type { Releases } from '../io/releases/releases.js';
import { sendFile } from '../http/send-file.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createAccountPageRouter`. */
export type AccountPageRouterOptions = {
  readonly authentication: Pick<Authentication, 'limitAddress'>;
  readonly files: AccountFiles;
  readonly compressor: Compressor;
  /** How the page signs in; without it, the page says that nobody can. */
  readonly signIn: SignInSettings | undefined;
  /** The site of the current release has the name of the service and the links of its publisher. */
  readonly releases: Pick<Releases, 'current'>;
  /** Whether plans can be bought. */
  readonly sells: boolean;
};

/** Parameters of requests with a token. The page never sends one in an address, where logs and histories would keep it. */
const TOKENS = ['access_token', 'id_token', 'refresh_token', 'token'];

/** Headers that keep other pages from embedding or opening the account page with access to it. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Returns the routes of the account page: the page, its script and stylesheet, and its settings. They send no cookie. */
export function createAccountPageRouter(options: AccountPageRouterOptions): Router {
  const { authentication, files, compressor, signIn, sells, releases } = options;
  const page = assembleAccountPage(files, signIn?.origins ?? []);
  const begin = (template: string) => beginRoute({ template, methods: ['GET'], origins: [] });
  const count: RequestHandler = (req, res, next) => {
    authentication.limitAddress(req, res);
    next();
  };
  const router = createRouter();
  router
    .route(ACCOUNT_PATHS.page)
    .all(...begin(ACCOUNT_PATHS.page))
    .get(rejectToken, count, (req, res) => {
      const headers = { ...ISOLATION, 'Content-Security-Policy': page.policy, 'Cache-Control': 'no-store' };
      send(req, res, page.html(releases.current()?.site), {
        ...headers,
        'Content-Type': 'text/html; charset=utf-8',
      });
    });
  router
    .route(ACCOUNT_PATHS.settings)
    .all(...begin(ACCOUNT_PATHS.settings))
    .get(rejectQuery, count, (_req, res) => sendJson(res, 200, describeSettings(signIn, sells)));
  for (const asset of page.assets) {
    router
      .route(asset.path)
      .all(...begin(asset.path))
      .get(rejectQuery, sendAsset(asset, compressor)); // not counted, so that the page about a limit has its style
  }
  return router;
}

function describeSettings(signIn: SignInSettings | undefined, sells: boolean): object {
  if (signIn === undefined) return { sign_in: null, sells };
  const { issuer, clientId, scopes, resource = null, token, signOut } = signIn;
  return { sign_in: { issuer, client_id: clientId, scopes, resource, token, sign_out: signOut }, sells };
}

const rejectToken: RequestHandler = (_req, res, next) => {
  const query = new URLSearchParams(contextOf(res).query);
  if (TOKENS.some((name) => query.has(name))) {
    throw new GatewayError('request-malformed', {
      detail: 'The address contains a token. Open the page without it, and sign in again.',
    });
  }
  next();
};

function sendAsset({ bytes, mediaType }: AccountAsset, compressor: Compressor): RequestHandler {
  const sha256 = sha256Hex(bytes);
  const headers = {
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'public, max-age=31536000, immutable',
  };
  const source = { read: () => Promise.resolve(bytes), compressor };
  return (req, res) => sendFile(req, res, { sha256, mediaType, sizeBytes: bytes.length, headers, source });
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): void {
  contextOf(res).decision = 'sent';
  res.writeHead(200, { ...headers, 'Content-Length': bytes.length });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
