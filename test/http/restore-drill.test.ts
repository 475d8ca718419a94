import { execFile } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import { bundlePath, keyRecordKey } from '../../schemas/paths.js';
import { idOf } from '../../gateway/core/access/api-key.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import {
  asJson,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { readDocument } from '../support/gateway/http-answers.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';

const now = (): number => Date.parse('2026-08-20T12:00:00Z');
const CHECKOUT = '/api/v1/checkout';
const WEBHOOK = '/api/v1/stripe/webhook';

let folder: TemporaryFolder;
let billing: FakeBilling;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  billing = createFakeBilling({ now, prices: PRICES });
});
afterEach(() => folder.dispose());

const root = (): string => path.join(folder.path, 'accounts');

/** Runs a gateway on the directory, with empty caches. */
async function withGateway<T>(work: (server: DashboardServer) => Promise<T>): Promise<T> {
  const accountsStore = createDirectoryStore(root(), { isPrivate: true });
  const server = await startDashboardServer(now, {
    accountsStore,
    billing,
    configuration: { billing: BILLING },
  });
  try {
    return await work(server);
  } finally {
    await server.dispose();
  }
}

const copy = (): string => path.join(folder.path, 'copy');
const backUp = (): Promise<void> => cp(root(), copy(), { recursive: true });

/** Loses the store, and puts back the copy with the commands of the runbook. */
async function restore(): Promise<void> {
  await rm(root(), { recursive: true });
  const runbook = await readFile('gateway/RUNBOOK.md', 'utf8');
  const [, commands = ''] = /^### Restore\n.*?```sh\n(.*?)```/ms.exec(runbook) ?? [];
  const env = { PATH: process.env['PATH'], COPY: copy(), STORE: root() };
  await promisify(execFile)('sh', ['-euc', commands], { env });
}

/** Puts back the records of keys too, except of those that were revoked since the copy. */
async function restoreKeys(revoked: readonly string[]): Promise<void> {
  await cp(path.join(copy(), 'keys'), path.join(root(), 'keys'), { recursive: true });
  for (const id of revoked) await rm(path.join(root(), keyRecordKey(id)));
}

const openSession = (server: DashboardServer, account: string): Promise<Dashboard> =>
  server.openSession({ account, granted: false });

async function createKey(dashboard: Dashboard): Promise<{ key: string; id: string }> {
  const { key, id } = await readDocument(await dashboard.request('POST', asJson({})));
  return { key: String(key), id: String(id) };
}

async function revoke(dashboard: Dashboard, id: string): Promise<void> {
  expect((await dashboard.request('DELETE', asJson({ id }))).status).toBe(200);
}

async function deliverAll(server: DashboardServer): Promise<unknown[]> {
  const outcomes = [];
  for (const event of billing.events) {
    const headers = { 'Stripe-Signature': FAKE_SIGNATURE, 'Content-Type': 'application/json' };
    const body = Buffer.from(billing.toBody(event));
    const response = await server.gateway.request(WEBHOOK, { method: 'POST', body, headers });
    outcomes.push((await readDocument(response)).outcome);
  }
  return outcomes;
}

const buy = (dashboard: Dashboard): Promise<Response> =>
  dashboard.request('POST', { path: CHECKOUT, ...asJson({ plan: 'research' }) });

/** Returns the status of a file request with each key. */
async function tryKeys(server: DashboardServer, keys: readonly string[]): Promise<number[]> {
  const statuses = [];
  for (const key of keys) {
    const headers = { 'X-API-Key': key };
    statuses.push((await server.gateway.request(bundlePath('gold', 'base', '7d'), { headers })).status);
  }
  return statuses;
}

/** Makes accounts as people do: by buying, by a grant, by creating and revoking keys. */
async function populate(server: DashboardServer): Promise<Record<'bought' | 'granted' | 'revoked', string>> {
  const [buyer, granted] = [await openSession(server, 'buyer'), await openSession(server, 'granted')];
  const { session_id: session } = await readDocument(await buy(buyer));
  billing.complete(String(session));
  await deliverAll(server);
  const until = '2026-12-31T00:00:00Z';
  await server.gateway.accounts.grant('granted', {
    plan: 'single-chain',
    chain: 'base',
    until,
    reason: 'trial',
  });
  const [{ key: bought }, { key: byGrant }, old] = [
    await createKey(buyer),
    await createKey(granted),
    await createKey(granted),
  ];
  await revoke(granted, old.id);
  return { bought, granted: byGrant, revoked: old.key };
}

/** Copies the store, then revokes a key of the account "granted". Returns the keys, and the id of this one. */
async function copyThenRevoke(): Promise<{ readonly keys: readonly string[]; readonly id: string }> {
  return withGateway(async (server) => {
    const { bought, granted, revoked } = await populate(server);
    await backUp();
    const id = idOf(granted);
    await revoke(await openSession(server, 'granted'), id);
    const keys = [bought, granted, revoked];
    expect(await tryKeys(server, keys)).toEqual([307, 401, 401]);
    return { keys, id };
  });
}

it('a copy that is put back as it is makes a key valid again that was revoked since', async () => {
  const { keys } = await copyThenRevoke();
  await restore();
  await restoreKeys([]);
  await withGateway(async (server) => expect(await tryKeys(server, keys)).toEqual([307, 307, 401]));
});

it('a copy that is put back by the steps of the runbook makes no key valid, keeps plans, and lets owners create keys', async () => {
  const { keys } = await copyThenRevoke();
  await restore();
  await withGateway(async (server) => {
    expect(await tryKeys(server, keys)).toEqual([401, 401, 401]);
    const owner = await openSession(server, 'granted');
    const { keys: listed } = await readDocument(await owner.request('GET'));
    for (const { id } of listed as { id: string }[]) await revoke(owner, id);
    const { key } = await createKey(owner);
    expect(await tryKeys(server, [...keys, key])).toEqual([401, 401, 401, 307]);
    expect(new Set(await deliverAll(server))).toEqual(new Set(['duplicate']));
    expect((await buy(await openSession(server, 'buyer'))).status).toBe(409);
  });
});

it('with the records of keys too, except of those revoked since, all other keys work', async () => {
  const { keys, id } = await copyThenRevoke();
  await restore();
  await restoreKeys([id]);
  await withGateway(async (server) => expect(await tryKeys(server, keys)).toEqual([307, 401, 401]));
});
