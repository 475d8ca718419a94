import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createDirectoryStore } from '../../infra/store/directory/directory-store.js';
import { bundlePath } from '../../schemas/paths.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import { readTexts } from '../support/gateway/accounts-scene.js';
import {
  asJson,
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type Dashboard,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { runGateway } from '../support/gateway/gateway-run.js';
import { readDocument, type AnyDocument } from '../support/gateway/http-answers.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';

const NOW = '2026-08-20T12:00:00Z';
const now = (): number => Date.parse(NOW);
const CHECKOUT = '/api/v1/checkout';
const WEBHOOK = '/api/v1/stripe/webhook';
/** Accounts that bought, were granted a plan, and never had one. */
const ACCOUNTS = ['buyer', 'granted', 'nobody'] as const;

let folder: TemporaryFolder;
let billing: FakeBilling;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  billing = createFakeBilling({ now, prices: PRICES });
  await writeFile(path.join(folder.path, 'backup.key'), randomBytes(32).toString('base64'));
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

async function run(...args: readonly string[]): Promise<AnyDocument> {
  const files = { '--key-file': 'backup.key', '--to': 'a.jwe', '--from': 'a.jwe' };
  const words = args.flatMap((arg) =>
    arg in files ? [arg, path.join(folder.path, files[arg as keyof typeof files])] : [arg],
  );
  const { code, stdout, stderr } = await runGateway([...words, '--json'], {
    env: { CRD_ACCOUNTS_STORE: `file:${root()}` },
    now: NOW,
  });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as AnyDocument;
}

const backUp = (): Promise<AnyDocument> => run('accounts', 'export', '--key-file', '--to');
const restore = (...more: string[]): Promise<AnyDocument> =>
  run('accounts', 'import', '--key-file', '--from', ...more);
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

/** Returns what each account can read, and its keys, as the dashboard shows them. */
async function describeAll(server: DashboardServer): Promise<unknown[]> {
  const sessions = await Promise.all(ACCOUNTS.map((account) => openSession(server, account)));
  return Promise.all(
    sessions.flatMap((session) =>
      [ENTITLEMENTS_PATH, KEYS_PATH].map(async (at) =>
        readDocument(await session.request('GET', { path: at })),
      ),
    ),
  );
}

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
  await server.gateway.accounts.createKey('nobody', { label: null, needsGrant: false });
  const [{ key: bought }, { key: byGrant }, old] = [
    await createKey(buyer),
    await createKey(granted),
    await createKey(granted),
  ];
  await revoke(granted, old.id);
  return { bought, granted: byGrant, revoked: old.key };
}

it('restores a lost store: keys and plans are as before, revoked keys stay revoked, nothing is paid twice', async () => {
  const keys = await withGateway(async (server) => {
    const { bought, granted, revoked } = await populate(server);
    expect(await tryKeys(server, [bought, granted, revoked])).toEqual([307, 307, 401]);
    return [bought, granted, revoked];
  });
  const before = await withGateway(describeAll);
  const documents = await readTexts(createDirectoryStore(root()));
  expect(await backUp()).toMatchObject({ outcome: 'exported', accounts: 3, keys: 3 });
  await rm(root(), { recursive: true });
  await withGateway(async (server) => expect(await tryKeys(server, keys)).toEqual([401, 401, 401]));

  expect(await restore()).toMatchObject({ accounts: { created: 3 }, revoked: [], skipped: [] });
  const restored = await readTexts(createDirectoryStore(root()));
  const lost = Object.keys(documents).filter((key) => documents[key] !== restored[key]);
  expect(lost).toEqual([expect.stringMatching(/^keys\//)]); // the record of the revoked key, and nothing else
  await withGateway(async (server) => {
    expect(await describeAll(server)).toEqual(before);
    expect(await tryKeys(server, keys)).toEqual([307, 307, 401]);
    expect(new Set(await deliverAll(server))).toEqual(new Set(['duplicate']));
    expect((await buy(await openSession(server, 'buyer'))).status).toBe(409);
  });
  expect(await restore()).toMatchObject({ accounts: { created: 0, merged: 0, kept: 3 } });
});

it('keeps a key revoked that was revoked after the export, beside a running gateway', async () => {
  await withGateway(async (server) => {
    const { bought, granted } = await populate(server);
    await backUp();
    const session = await openSession(server, 'granted');
    const { keys } = await readDocument(await session.request('GET'));
    const [active] = (keys as { id: string; revoked_at: string | null }[]).filter(
      (each) => each.revoked_at === null,
    );
    await revoke(session, String(active?.id));
    const later = await createKey(session);
    expect(await restore()).toMatchObject({ accounts: { kept: 3 }, keys: { created: 0 } });
    expect(await tryKeys(server, [bought, granted, later.key])).toEqual([307, 401, 307]);
  });
});

it('restores accounts without their keys if asked to, and the owners create new ones', async () => {
  const { bought, granted } = await withGateway(populate);
  await backUp();
  await rm(root(), { recursive: true });
  expect(await restore('--revoke-keys')).toMatchObject({ keys: { created: 1, revoked: 3 } });
  await withGateway(async (server) => {
    const { key } = await createKey(await openSession(server, 'buyer'));
    expect(await tryKeys(server, [bought, granted, key])).toEqual([401, 401, 307]);
  });
});
