import type { ServerResponse } from 'node:http';
import {
  bundlePath,
  dayPath,
  FILES_PATH,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  volumePath,
} from '../../schemas/paths.js';
import { responseFormOf } from '../core/http/response-form.js';
import { matchesEtag } from '../core/http/conditions.js';
import { decide, type AccessDecision } from '../core/access/entitlements.js';
import { parseFileRequest, type FileRequest } from '../core/access/file-request.js';
import { GatewayError } from '../core/problems.js';
import type { FileFacts } from '../core/releases/release-view.js';
import type { StripeRefresh } from '../io/billing/stripe-refresh.js';
import type { Caller } from '../io/accounts/account-cache.js';
import type { Metrics } from '../io/operation/metrics.js';
import { findFile } from '../io/releases/find-file.js';
import type { Releases } from '../io/releases/releases.js';
import type { SignedUrl, UrlSigner } from '../io/signing/url-signer.js';
import type { Authentication } from '../http/authentication.js';
import type { Middleware } from '../http/middleware.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute } from '../http/route.js';

/** Options for `createFilesHandlers`. */
export type FilesOptions = {
  readonly authentication: Authentication;
  readonly stripeRefresh: StripeRefresh;
  readonly releases: Releases;
  readonly signer: UrlSigner;
  readonly metrics: Metrics;
  readonly now: () => number;
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly corsOrigins: readonly string[];
};

/** Path prefix of the subscriber files. */
export const FILES_PREFIX = `${FILES_PATH}/`;

const TEMPLATES = {
  bundle: bundlePath('{genre}', '{chain}', '{window}'),
  volume: volumePath('{genre}', '{chain}', '{period}', '{format}'),
  manifest: manifestPath('{genre}', '{chain}'),
  day: dayPath('{genre}', '{chain}', '{date}'),
  lineage: lineagePath('{chain}', '{date}'),
  'lineage-manifest': lineageManifestPath('{chain}'),
} as const satisfies Record<FileRequest['kind'], string>;

/**
 * Returns the handlers of the subscriber files: authenticate, check the plan, redirect to a signed URL. File contents
 * never pass through them. This is not a router, because `createFastLane` runs the handlers without Express.
 */
export function createFilesHandlers(options: FilesOptions): Middleware[] {
  const begin = beginRoute({
    template: `${FILES_PREFIX}{path}`,
    methods: ['GET'],
    origins: options.corsOrigins,
    requestHeaders: ['X-API-Key', 'Accept', 'If-None-Match'],
    vary: ['X-API-Key', 'Accept'],
  });
  return [...begin, answerFile(options)];
}

function answerFile(options: FilesOptions): Middleware {
  const { authentication, releases, signer, metrics, clock } = options;
  return async (req, res) => {
    const context = contextOf(res);
    const request = parseFileRequest(context.path, context.query);
    context.route = TEMPLATES[request.file.kind];
    const caller = await authentication.authenticateKey(req, res);
    await assertEntitled(options, caller, request.file);
    const facts = await findFile(releases, request.file);
    if (matchesEtag(req.headers['if-none-match'], facts.etag)) {
      context.decision = 'not-modified';
      res.writeHead(304, headersOf(facts)).end();
      return;
    }
    if (req.method === 'HEAD') {
      sendFacts(res, facts);
      return;
    }
    const form = request.form ?? responseFormOf(req.headers.accept);
    const startedMs = clock();
    const signed = await signer.sign(facts);
    metrics.signed((clock() - startedMs) / 1000);
    context.decision = form;
    if (form === 'redirect') sendRedirect(res, facts, signed);
    else sendDocument(res, facts, signed);
  };
}

/**
 * Refreshes the grants before it refuses, because access may have begun a moment ago.
 * @throws GatewayError 'subscription-inactive' or 'not-entitled'
 */
async function assertEntitled(options: FilesOptions, caller: Caller, file: FileRequest): Promise<void> {
  const { authentication, stripeRefresh, now } = options;
  if (decide(caller.grants, file, now()).allowed) return;
  let { grants } = await authentication.refresh(caller);
  if (await stripeRefresh.refreshIfLapsed(caller.account, grants))
    ({ grants } = await authentication.refresh(caller, 0));
  assertAllowed(decide(grants, file, now()));
}

function assertAllowed(decision: AccessDecision): void {
  if (!decision.allowed) throw new GatewayError(decision.code, { detail: decision.detail });
}

/** Returns the headers of every response about a file. Caches must not store them: they apply to one key for a limited time. */
function headersOf({ etag, sha256, revision }: FileFacts): Record<string, string | number> {
  return {
    'Cache-Control': 'private, no-store',
    ETag: etag,
    'X-Content-SHA256': sha256,
    'X-Published-Revision': revision,
  };
}

/** Answers HEAD from the indexed release, without a redirect: a signed URL is valid for GET only. */
function sendFacts(res: ServerResponse, facts: FileFacts): void {
  contextOf(res).decision = 'described';
  const digest = Buffer.from(facts.sha256, 'hex').toString('base64');
  res.writeHead(200, {
    ...headersOf(facts),
    'Content-Type': facts.mediaType,
    'Content-Length': facts.sizeBytes,
    'Content-Disposition': facts.disposition,
    'Repr-Digest': `sha-256=:${digest}:`,
  });
  res.end();
}

function sendRedirect(res: ServerResponse, facts: FileFacts, { url, expiresInSeconds }: SignedUrl): void {
  res.writeHead(307, {
    ...headersOf(facts),
    'X-Url-Expires-In': expiresInSeconds,
    Location: url,
    'Content-Length': 0,
  });
  res.end();
}

function sendDocument(res: ServerResponse, facts: FileFacts, { url, expiresInSeconds }: SignedUrl): void {
  const document = {
    url,
    expires_in: expiresInSeconds,
    sha256: facts.sha256,
    bytes: facts.sizeBytes,
    media_type: facts.mediaType,
    published_revision: facts.revision,
  };
  const body = Buffer.from(JSON.stringify(document));
  res.writeHead(200, {
    ...headersOf(facts),
    'X-Url-Expires-In': expiresInSeconds,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  });
  res.end(body);
}
