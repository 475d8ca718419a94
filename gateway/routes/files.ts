import { Buffer } from 'node:buffer';
import type { Response } from 'express';
import { FILES_PATH } from '../../schemas/paths.js';
import { formOfAccept } from '../core/answer-form.js';
import { isKnownToReader } from '../core/conditions.js';
import { decide } from '../core/entitlements.js';
import { parseFileRequest, type AnswerForm, type FileRequest } from '../core/file-request.js';
import { GatewayError } from '../core/problems.js';
import { locate, type FileFacts, type ReleaseView } from '../core/release-view.js';
import type { Caller } from '../io/account-cache.js';
import type { Metrics } from '../io/metrics.js';
import type { Releases } from '../io/releases.js';
import type { UrlSigner } from '../io/url-signer.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Answer, Endpoint } from './endpoint.js';
import { exchangeOf, rawQueryOf } from './exchange.js';

/** What answering for files needs; `clock` is monotonic, in milliseconds. */
export type FilesTerms = {
  readonly doorkeeper: Doorkeeper;
  readonly releases: Releases;
  readonly signer: UrlSigner;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly clock: () => number;
  readonly corsOrigins: readonly string[];
};

/** Route templates by what is asked for. */
const TEMPLATES = {
  bundle: '/api/v1/files/{genre}/{chain}/{window}/latest.json',
  manifest: '/api/v1/files/{genre}/{chain}/manifest.json',
  day: '/api/v1/files/{genre}/{chain}/{date}.json',
} as const satisfies Record<FileRequest['kind'], string>;

/** The subscriber files: ask, decide, answer. The bytes never pass through here. */
export function filesEndpoint(terms: FilesTerms): Endpoint {
  return {
    template: `${FILES_PATH}/{path}`,
    has: (path) => path.startsWith(`${FILES_PATH}/`),
    crossOrigin: { origins: terms.corsOrigins, headers: ['X-API-Key'] },
    answers: { GET: answerFile(terms) },
  };
}

function answerFile(terms: FilesTerms): Answer {
  return async (req, res) => {
    const exchange = exchangeOf(res);
    const { file, form } = parseFileRequest(req.path, rawQueryOf(req));
    exchange.route = TEMPLATES[file.kind];
    const admitted = terms.doorkeeper.admitKey(req, res);
    const caller = admitted instanceof Promise ? await admitted : admitted;
    await assertEntitled(terms, caller, file);
    const facts = await find(terms.releases, file);
    if (isKnownToReader(req.headers['if-none-match'], facts.etag)) answerKnown(res, facts);
    else if (req.method === 'HEAD') answerHead(res, facts);
    else await answerGet(terms, res, facts, form ?? formOfAccept(req.headers.accept));
  };
}

/** Looks again where access may just have begun. @throws GatewayError 'subscription-inactive' or 'not-entitled' */
async function assertEntitled(
  { doorkeeper, now }: FilesTerms,
  caller: Caller,
  file: FileRequest,
): Promise<void> {
  let decision = decide(caller.grants, file, now());
  if (!decision.allowed && decision.code === 'subscription-inactive') {
    decision = decide((await doorkeeper.refresh(caller)).grants, file, now());
  }
  if (!decision.allowed) throw new GatewayError(decision.code, { detail: decision.detail });
}

/** Finds a file, also in a release that came just now. @throws GatewayError 'not-published', 'not-found' or 'gone'. */
async function find(releases: Releases, file: FileRequest): Promise<FileFacts> {
  let release: ReleaseView | undefined = releases.current();
  let found = release && locate(release, file);
  if (found === undefined || found.kind === 'ahead') {
    release = await releases.catchUp();
    found = release && locate(release, file);
  }
  if (found === undefined) throw new GatewayError('not-published');
  if (found.kind === 'found') return found.facts;
  if (found.kind === 'gone') throw new GatewayError('gone');
  throw new GatewayError('not-found', { detail: explainAbsence(file) });
}

function explainAbsence(file: FileRequest): string {
  if (file.kind !== 'day') return 'no release has this file yet';
  return file.revision === null
    ? `${file.date} was never published; the manifest lists the dates that were`
    : `${file.date} was not published as of that revision, or there is no such revision; the manifest lists both`;
}

/** Caches may not keep an answer: it is for one key, for a while. */
const PRIVATE = { 'Cache-Control': 'private, no-store', Vary: 'X-API-Key, Accept, Origin' } as const;

function headersOf({ etag, sha256, revision }: FileFacts): Record<string, string> {
  return { ...PRIVATE, ETag: etag, 'X-Content-SHA256': sha256, 'X-Published-Revision': revision };
}

function answerKnown(res: Response, facts: FileFacts): void {
  exchangeOf(res).decision = 'not-modified';
  res.writeHead(304, headersOf(facts));
  res.end();
}

function answerHead(res: Response, facts: FileFacts): void {
  exchangeOf(res).decision = 'described';
  res.writeHead(200, {
    ...headersOf(facts),
    'Content-Type': facts.mediaType,
    'Content-Length': facts.sizeBytes,
    'Content-Disposition': facts.disposition,
    'Repr-Digest': `sha-256=:${Buffer.from(facts.sha256, 'hex').toString('base64')}:`,
  });
  res.end();
}

async function answerGet(
  terms: FilesTerms,
  res: Response,
  facts: FileFacts,
  form: AnswerForm,
): Promise<void> {
  const startedMs = terms.clock();
  const signing = terms.signer.sign(facts);
  const signed = signing instanceof Promise ? await signing : signing;
  terms.metrics.signed((terms.clock() - startedMs) / 1000);
  exchangeOf(res).decision = form;
  const headers = { ...headersOf(facts), 'X-Url-Expires-In': String(signed.expiresInSeconds) };
  if (form === 'redirect') {
    res.writeHead(307, { ...headers, Location: signed.url, 'Content-Length': 0 });
    res.end();
    return;
  }
  const body = Buffer.from(
    JSON.stringify({
      url: signed.url,
      expires_in: signed.expiresInSeconds,
      sha256: facts.sha256,
      bytes: facts.sizeBytes,
      media_type: facts.mediaType,
      published_revision: facts.revision,
    }),
  );
  res.writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length });
  res.end(body);
}
