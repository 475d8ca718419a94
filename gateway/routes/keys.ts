import type { ServerResponse } from 'node:http';
import type { RequestHandler, Router } from 'express';
import { ENDPOINTS } from '../../schemas/paths.js';
import { describeKeys, isLabel } from '../core/accounts/account.js';
import { isKeyId } from '../core/access/api-key.js';
import { GatewayError } from '../core/problems.js';
import type { Accounts } from '../io/accounts/accounts.js';
import { readCurrentAccount, type CurrentAccountOptions } from '../io/billing/current-account.js';
import { readCredential, type Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { parseJsonBody, readMembers } from '../http/request-body.js';
import { accountOf, contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendJson } from '../http/send-json.js';

/** Options for `createKeysRouter`. */
export type KeysRouterOptions = CurrentAccountOptions & {
  readonly authentication: Authentication;
  readonly accounts: Accounts;
  readonly dashboardOrigins: readonly string[];
};

/** Returns the routes with which a session lists, creates and revokes keys. A key can also revoke itself. */
export function createKeysRouter(options: KeysRouterOptions): Router {
  const { authentication, dashboardOrigins: origins } = options;
  const requestHeaders = ['Authorization', 'Content-Type', 'X-API-Key'];
  const router = createRouter();
  router
    .route(ENDPOINTS.keys)
    .all(
      ...beginRoute({
        template: ENDPOINTS.keys,
        methods: ['GET', 'POST', 'DELETE'],
        origins,
        requestHeaders,
      }),
    )
    .get(rejectQuery, authentication.requireSession, listKeys(options))
    .post(rejectQuery, authentication.requireSession, parseJsonBody, createKey(options))
    .delete(requireKeyOrSession(options), parseJsonBody, revokeKey(options));
  return router;
}

function listKeys({ accounts }: KeysRouterOptions): RequestHandler {
  return async (_req, res) => {
    const account = await accounts.readAccount(accountOf(res));
    const usage = await accounts.readUsage(Object.keys(account?.keys ?? {}));
    contextOf(res).decision = 'listed';
    sendJson(res, 200, { keys: account === undefined ? [] : describeKeys(account, usage) });
  };
}

function createKey(options: KeysRouterOptions): RequestHandler {
  return async (req, res) => {
    const { label } = readMembers(req.body, 'label');
    if (label !== undefined && label !== null && !(typeof label === 'string' && isLabel(label))) {
      throw new GatewayError('request-malformed', {
        detail:
          '"label" must be a string of 1 to 64 printable characters. Omit it to create a key without a label.',
      });
    }
    const account = accountOf(res);
    await readCurrentAccount(options, account); // access may have begun a moment ago
    const created = await options.accounts.createKey(account, {
      label: label ?? null,
      needsGrant: true,
      isLimited: true,
    });
    contextOf(res).decision = 'key-created';
    sendJson(res, 201, created);
  };
}

function requireKeyOrSession({ authentication }: KeysRouterOptions): RequestHandler {
  return async (req, res, next) => {
    const { key, other } = readCredential(req);
    if (key === undefined && !other) await authentication.authenticateSession(req, res);
    else await authentication.authenticateKey(req, res);
    next();
  };
}

function revokeKey({ accounts, authentication }: KeysRouterOptions): RequestHandler {
  return async (req, res) => {
    const ownId = contextOf(res).keyId;
    const keyId = readKeyId(req.body, res) ?? ownId;
    if (keyId === undefined) {
      throw new GatewayError('request-malformed', {
        detail: 'Missing key id. Send {"id": "..."} in the body or ?id=... in the query.',
      });
    }
    const isAllowed = isKeyId(keyId) && (ownId === undefined || keyId === ownId);
    // The same answer as for a key that never existed.
    if (!isAllowed) throw new GatewayError('not-found', { detail: 'The account has no such key.' });
    const revoked = await accounts.revokeKey(accountOf(res), keyId);
    authentication.refuseKey(keyId);
    contextOf(res).decision = 'key-revoked';
    sendJson(res, 200, revoked);
  };
}

/** Returns the id in the query or the body, or `undefined` when neither has one. */
function readKeyId(body: unknown, res: ServerResponse): string | undefined {
  const { id } = readMembers(body, 'id');
  const [[name, value] = [], ...others] = new URLSearchParams(contextOf(res).query);
  const isKnown = others.length === 0 && (name === undefined || name === 'id');
  if (!isKnown || (id !== undefined && (typeof id !== 'string' || value !== undefined))) {
    throw new GatewayError('request-malformed', {
      detail: '"id" must be a string. Send it once, in the body or in the query.',
    });
  }
  return id ?? value;
}
