import type { ServerResponse } from 'node:http';
import { FILES_PATH } from '../../schemas/paths.js';
import { formOfAccept } from '../core/answer-form.js';
import { isKnownToReader } from '../core/conditions.js';
import { decide, type Decision } from '../core/entitlements.js';
import { parseFileRequest, type AnswerForm, type FileRequest } from '../core/file-request.js';
import { GatewayError } from '../core/problems.js';
import type { FileFacts } from '../core/release-view.js';
import type { Renewals } from '../io/billing/renewals.js';
import type { Caller } from '../io/account-cache.js';
import type { Metrics } from '../io/metrics.js';
import { findFile } from '../io/find-file.js';
import type { Releases } from '../io/releases.js';
import type { SignedUrl, UrlSigner } from '../io/url-signer.js';
import type { Doorkeeper } from './doorkeeper.js';
import { andThen } from './and-then.js';
import type { Answer, Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** What answering for files needs; `clock` is monotonic, in milliseconds. */
export type FilesTerms = {
  readonly doorkeeper: Doorkeeper;
  readonly renewals: Renewals;
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
    crossOrigin: { origins: terms.corsOrigins, headers: ['X-API-Key', 'Accept', 'If-None-Match'] },
    dependsOn: ['X-API-Key', 'Accept'],
    answers: { GET: answerFile(terms) },
  };
}

function answerFile(terms: FilesTerms): Answer {
  return (req, res) => {
    const exchange = exchangeOf(res);
    const { file, form } = parseFileRequest(exchange.path, exchange.query);
    exchange.route = TEMPLATES[file.kind];
    return andThen(terms.doorkeeper.admitKey(req, res), (caller) =>
      andThen(assertEntitled(terms, caller, file), () =>
        andThen(findFile(terms.releases, file), (facts) => {
          if (isKnownToReader(req.headers['if-none-match'], facts.etag)) answerKnown(res, facts);
          else if (req.method === 'HEAD') answerHead(res, facts);
          else return answerGet(terms, res, facts, form ?? formOfAccept(req.headers.accept));
          return undefined;
        }),
      ),
    );
  };
}

/** Looks again before it refuses: access may just have begun. @throws GatewayError 'subscription-inactive' or 'not-entitled' */
function assertEntitled(terms: FilesTerms, caller: Caller, file: FileRequest): void | Promise<void> {
  const { doorkeeper, renewals, now } = terms;
  if (decide(caller.grants, file, now()).allowed) return;
  return (async () => {
    let { grants } = await doorkeeper.refresh(caller);
    if (await renewals.onLapse(caller.account, grants)) ({ grants } = await doorkeeper.refresh(caller, 0));
    assertAllowed(decide(grants, file, now()));
  })();
}

function assertAllowed(decision: Decision): void {
  if (!decision.allowed) throw new GatewayError(decision.code, { detail: decision.detail });
}

/** What is said of a file in every answer; made once for each, for it is asked for all day. */
const DESCRIPTIONS = new WeakMap<FileFacts, readonly string[]>();

/** Caches may not keep an answer: it is for one key, for a while. */
function headersOf(facts: FileFacts): readonly string[] {
  const known = DESCRIPTIONS.get(facts);
  if (known !== undefined) return known;
  const { etag, sha256, revision } = facts;
  const headers = [
    ...['Cache-Control', 'private, no-store', 'ETag', etag],
    ...['X-Content-SHA256', sha256, 'X-Published-Revision', revision],
  ];
  DESCRIPTIONS.set(facts, headers);
  return headers;
}

function answerKnown(res: ServerResponse, facts: FileFacts): void {
  exchangeOf(res).decision = 'not-modified';
  reply(res, 304, headersOf(facts));
}

function answerHead(res: ServerResponse, facts: FileFacts): void {
  exchangeOf(res).decision = 'described';
  const digest = Buffer.from(facts.sha256, 'hex').toString('base64');
  reply(res, 200, [
    ...headersOf(facts),
    ...['Content-Type', facts.mediaType, 'Content-Length', facts.sizeBytes],
    ...['Content-Disposition', facts.disposition, 'Repr-Digest', `sha-256=:${digest}:`],
  ]);
}

/** Signs the file's object, and answers at once where nothing need be waited for. */
function answerGet(
  terms: FilesTerms,
  res: ServerResponse,
  facts: FileFacts,
  form: AnswerForm,
): Promise<void> | undefined {
  const { clock, metrics, signer } = terms;
  const startedMs = clock();
  const give = (signed: SignedUrl): void => {
    metrics.signed((clock() - startedMs) / 1000);
    exchangeOf(res).decision = form;
    if (form === 'redirect') redirect(res, facts, signed);
    else describe(res, facts, signed);
  };
  const signing = signer.sign(facts);
  if (signing instanceof Promise) return signing.then(give);
  give(signing);
  return undefined;
}

function redirect(res: ServerResponse, facts: FileFacts, { url, expiresInSeconds }: SignedUrl): void {
  const headers = headersOf(facts);
  reply(res, 307, [...headers, 'X-Url-Expires-In', expiresInSeconds, 'Location', url, 'Content-Length', 0]);
}

function describe(res: ServerResponse, facts: FileFacts, { url, expiresInSeconds }: SignedUrl): void {
  const body = Buffer.from(
    JSON.stringify({
      url,
      expires_in: expiresInSeconds,
      sha256: facts.sha256,
      bytes: facts.sizeBytes,
      media_type: facts.mediaType,
      published_revision: facts.revision,
    }),
  );
  const headers = [
    ...headersOf(facts),
    ...['X-Url-Expires-In', expiresInSeconds],
    ...['Content-Type', 'application/json', 'Content-Length', body.length],
  ];
  reply(res, 200, headers, body);
}
