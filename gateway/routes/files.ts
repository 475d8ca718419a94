import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  bundlePath,
  dayPath,
  FILES_PATH,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  objectKey,
  volumePath,
} from '../../schemas/paths.js';
import type { VolumeFormat } from '../../schemas/catalog.js';
import type { BriefDay } from '../../schemas/types.generated.js';
import { responseFormOf, matchesEtag } from '../core/http/conditions.js';
import { type AccessDecision, decide } from '../core/access/entitlements.js';
import { parseFileRequest, type FileRequest } from '../core/access/file-request.js';
import { GatewayError } from '../core/problems.js';
import { type FileFacts, type ReleaseView, volumesOf } from '../core/releases/release-view.js';
import { type CurrentAccountOptions, readCurrentAccount } from '../io/billing/current-account.js';
import type { Metrics } from '../io/operation/metrics.js';
import { findFile } from '../io/releases/find-file.js';
import type { Releases } from '../io/releases/releases.js';
import type { SignedUrl, UrlSigner } from '../io/signing/url-signer.js';
import { grantsOf } from '../core/accounts/account.js';
import { type Authentication, readCredential } from '../http/authentication.js';
import type { Middleware } from '../http/middleware.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute } from '../http/route.js';
import type { PublicSource } from './public.js';

/** Options for `createFilesHandlers`. */
export type FilesOptions = CurrentAccountOptions & {
  readonly authentication: Authentication;
  readonly releases: Releases;
  readonly source: Pick<PublicSource, 'objects'>;
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
 * Returns the handlers of the subscriber files. This is not a router, because `createFastLane` runs them without Express.
 * From the request to the redirect, in this order:
 *
 * - The path must name a file that a release can have. Anything else is refused before the key is looked at.
 * - The credential is an API key, in `X-API-Key` or as a bearer token. It is valid if its record has its digest and its
 *   account lists it as active. All reasons against it give the same `api-key-invalid`.
 * - For a document, the session of the account page is a credential too, so that a person downloads with a click. It gets no
 *   redirect, so that a browser never follows one with it.
 * - A valid key counts towards the limits of the key and of its account, and a failed one only towards that of its address.
 * - A grant that is active now must include the file. Before a refusal, the account is read again and, if a purchase has
 *   lapsed, updated from Stripe, because access may have begun a moment ago.
 * - The newest release says which object the path is. If it may be too old to have the file, a newer one is looked for.
 * - `If-None-Match` with the digest is answered from the release, without a URL.
 * - Any other request gets a URL for this object and its method, which expires: as a redirect, or in a JSON document, which
 *   for a manifest can have the URLs of its volumes. Files never pass through here. Only the text of a brief does, in the
 *   document that a session gets: the account page may not contact the host of the URL.
 * - So one server answers GET and HEAD of a file, with one ETag: readers of parts of files compare them. A redirect has none.
 */
export function createFilesHandlers(options: FilesOptions): Middleware[] {
  const begin = beginRoute({
    template: `${FILES_PREFIX}{path}`,
    methods: ['GET'],
    origins: options.corsOrigins,
    requestHeaders: ['X-API-Key', 'Authorization', 'Accept', 'If-None-Match'],
    vary: ['X-API-Key', 'Authorization', 'Accept'],
  });
  return [...begin, authorize(options)];
}

function authorize(options: FilesOptions): Middleware {
  const { releases, source, signer, metrics, clock } = options;
  return async (req, res) => {
    const context = contextOf(res);
    const {
      file,
      form = responseFormOf(req.headers.accept),
      volumes: format,
    } = parseFileRequest(context.path, context.query);
    context.route = TEMPLATES[file.kind];

    const isSession = form === 'document' && readCredential(req).session === true;
    const decision = await (isSession ? decideForSession : decideForKey)(options, file, req, res);
    if (!decision.allowed) throw new GatewayError(decision.code, { detail: decision.detail });

    const facts = await findFile(releases, file);
    const release = releases.current(); // the one that has the facts, as nothing was awaited since
    if (matchesEtag(req.headers['if-none-match'], facts.etag)) {
      context.decision = 'not-modified';
      res.writeHead(304, { ...headersOf(facts), ETag: facts.etag }).end();
      return;
    }
    const startedMs = clock();
    const isHead = req.method === 'HEAD' && form === 'redirect'; // a document has a URL for GET, also when only its head is sent
    const signed = await signer.sign(facts, isHead ? 'HEAD' : 'GET');
    metrics.signed((clock() - startedMs) / 1000);
    context.decision = form;
    if (form === 'redirect') {
      sendRedirect(res, facts, signed);
      return;
    }
    const isBrief = file.kind === 'day' && file.genre === 'briefs';
    sendDocument(res, facts, signed, {
      ...(format && { volumes: await signVolumes(signer, release, file, format) }),
      ...(isSession && isBrief && { brief: await readBrief(source, facts) }),
    });
  };
}

async function decideForKey(
  { authentication, stripeRefresh, now }: FilesOptions,
  file: FileRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<AccessDecision> {
  const caller = await authentication.authenticateKey(req, res);
  const decision = decide(caller.grants, file, now());
  if (decision.allowed) return decision;
  let { grants } = await authentication.refresh(caller);
  if (await stripeRefresh.refreshIfLapsed(caller.account, grants))
    ({ grants } = await authentication.refresh(caller, 0));
  return decide(grants, file, now());
}

async function decideForSession(
  options: FilesOptions,
  file: FileRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<AccessDecision> {
  const { account: id } = await options.authentication.authenticateSession(req, res);
  options.authentication.limitAccount(res, id); // other requests of a session are not: an owner must be able to revoke a key that uses it up
  return decide(grantsOf(await readCurrentAccount(options, id)), file, options.now());
}

/** A volume of an archive, and its URL. */
type VolumeLink = {
  readonly path: string;
  readonly url: string;
  readonly sha256: string;
  readonly bytes: number;
};

/** Returns links to all volumes of an archive. Each plan that includes its manifest includes them. */
function signVolumes(
  signer: UrlSigner,
  release: ReleaseView | undefined,
  file: FileRequest,
  format: VolumeFormat,
): Promise<VolumeLink[]> {
  const volumes = release === undefined ? [] : volumesOf(release, file, format);
  return Promise.all(
    volumes.map(async (facts) => {
      const { url } = await signer.sign(facts, 'GET');
      return { path: facts.path, url, sha256: facts.sha256, bytes: facts.sizeBytes };
    }),
  );
}

/** Returns the headers of every response about a file. Caches must not store them: they apply to one key for a limited time. */
function headersOf({ sha256, revision }: FileFacts): Record<string, string | number> {
  return {
    'Cache-Control': 'private, no-store',
    'X-Content-SHA256': sha256,
    'X-Published-Revision': revision,
  };
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

/** The text of a brief. */
type BriefText = Pick<BriefDay, 'headline' | 'body'>;

/** Reads the text of a brief. @throws StoreError when its object is missing or has another digest */
async function readBrief({ objects }: FilesOptions['source'], { sha256 }: FileFacts): Promise<BriefText> {
  const bytes = await objects.read(objectKey(sha256), sha256);
  const { headline, body } = JSON.parse(Buffer.from(bytes).toString('utf8')) as BriefDay; // the generator has validated it
  return { headline, body };
}

/** Members that only some documents have. */
type MoreMembers = { readonly volumes?: readonly VolumeLink[]; readonly brief?: BriefText };

function sendDocument(
  res: ServerResponse,
  facts: FileFacts,
  { url, expiresInSeconds }: SignedUrl,
  more: MoreMembers,
): void {
  const document = {
    url,
    expires_in: expiresInSeconds,
    sha256: facts.sha256,
    bytes: facts.sizeBytes,
    media_type: facts.mediaType,
    published_revision: facts.revision,
    ...more,
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
