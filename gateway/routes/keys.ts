import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeKeys, isLabel } from '../core/account.js';
import { isKeyId } from '../core/api-key.js';
import { GatewayError } from '../core/problems.js';
import type { Accounts } from '../io/accounts.js';
import { readCurrentAccount, type CurrentAccountTerms } from '../io/billing/current-account.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Answer, Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { readJsonBody, readMembers } from './json-body.js';
import { assertNoQuery } from './path-guard.js';
import { sendDocument } from './send-document.js';

/** What managing keys needs. */
export type KeysTerms = CurrentAccountTerms & {
  readonly doorkeeper: Doorkeeper;
  readonly accounts: Accounts;
  readonly dashboardOrigins: readonly string[];
};

const PATH = '/api/v1/keys';

/** The keys of an account: made, listed and revoked with its session; a key may also revoke itself. */
export function keysEndpoint(terms: KeysTerms): Endpoint {
  return {
    template: PATH,
    has: (path) => path === PATH,
    crossOrigin: { origins: terms.dashboardOrigins, headers: ['Authorization', 'Content-Type', 'X-API-Key'] },
    answers: { GET: listKeys(terms), POST: createKey(terms), DELETE: revokeKey(terms) },
  };
}

function listKeys({ doorkeeper, accounts }: KeysTerms): Answer {
  return async (req, res) => {
    assertNoQuery(res);
    const { account: id } = await doorkeeper.admitSession(req, res);
    const account = await accounts.readAccount(id);
    const usage = await accounts.readUsage(Object.keys(account?.keys ?? {}));
    exchangeOf(res).decision = 'listed';
    sendDocument(res, 200, { keys: account === undefined ? [] : describeKeys(account, usage) });
  };
}

function createKey(terms: KeysTerms): Answer {
  const { doorkeeper, accounts } = terms;
  return async (req, res) => {
    assertNoQuery(res);
    const { account } = await doorkeeper.admitSession(req, res);
    const { label } = readMembers(await readJsonBody(req, res), ['label']);
    if (label !== undefined && label !== null && !(typeof label === 'string' && isLabel(label))) {
      throw new GatewayError('request-malformed', {
        detail: 'label is a text of 1 to 64 printable characters, or is left out',
      });
    }
    await readCurrentAccount(terms, account); // access may just have begun
    const created = await accounts.createKey(account, { label: label ?? null, needsGrant: true });
    exchangeOf(res).decision = 'key-created';
    sendDocument(res, 201, created);
  };
}

function revokeKey({ doorkeeper, accounts }: KeysTerms): Answer {
  return async (req, res) => {
    if (req.headers['x-api-key'] !== undefined) {
      const { account, keyId } = await doorkeeper.admitKey(req, res);
      const named = await readKeyId(req, res);
      if (named !== undefined && named !== keyId) throw notYours();
      await revoke(res, accounts, account, keyId);
      return;
    }
    const { account } = await doorkeeper.admitSession(req, res);
    const named = await readKeyId(req, res);
    if (named === undefined) {
      throw new GatewayError('request-malformed', {
        detail: 'name the key: {"id": "..."} as the body, or ?id=...',
      });
    }
    await revoke(res, accounts, account, named);
  };
}

async function revoke(
  res: ServerResponse,
  accounts: Accounts,
  account: string,
  keyId: string,
): Promise<void> {
  if (!isKeyId(keyId)) throw notYours();
  const revoked = await accounts.revokeKey(account, keyId).catch((error: unknown) => {
    throw error instanceof GatewayError && error.code === 'not-found' ? notYours() : error;
  });
  exchangeOf(res).decision = 'key-revoked';
  sendDocument(res, 200, revoked);
}

/** Another account's key and one that never was are the same to a caller. */
function notYours(): GatewayError {
  return new GatewayError('not-found', { detail: 'the account has no such key' });
}

/** The id that the query or the body names; `undefined` when neither does. */
async function readKeyId(req: IncomingMessage, res: ServerResponse): Promise<string | undefined> {
  const body = readMembers(await readJsonBody(req, res), ['id']).id;
  const query = [...new URLSearchParams(exchangeOf(res).query)];
  const [[name, value] = [], ...others] = query;
  const isKnown = others.length === 0 && (name === undefined || name === 'id');
  if (!isKnown || (body !== undefined && (typeof body !== 'string' || value !== undefined))) {
    throw new GatewayError('request-malformed', {
      detail: 'id is a text, given once, in the body or the query',
    });
  }
  return body ?? value;
}
