import { accountKey } from '../../schemas/account-key.js';
import { bundlePath } from '../../schemas/paths.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Account } from '../../schemas/types.generated.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { openSmallRelease } from '../support/release/small-release.js';

const ACCOUNT = 'research';
const META = { contentType: 'application/json', cacheControl: 'no-cache' };
const store = await openSmallRelease();
const accountsStore = createMemoryStore();

/** Runs `work` with a new gateway, whose caches are empty. */
async function withGateway<T>(work: (gateway: GatewayServer) => Promise<T>): Promise<T> {
  const gateway = await startGateway({ store, accountsStore });
  try {
    return await work(gateway);
  } finally {
    await gateway.stop();
  }
}

const statusOf = (key: string): Promise<number> =>
  withGateway(async (gateway) => {
    const path = bundlePath('gold', 'base', '7d');
    return (await gateway.request(path, { headers: { 'X-API-Key': key } })).status;
  });

async function put(at: ObjectStore, text: string): Promise<void> {
  const etag = (await at.head(accountKey(ACCOUNT)))?.etag ?? null;
  await at.compareAndSwap(accountKey(ACCOUNT), Buffer.from(text), etag, META);
}

it('an older version of an account lacks later revocations, so all its keys must be revoked before it is restored', async () => {
  const [lost, own] = await withGateway(async (gateway) => [
    await gateway.createKey({ account: ACCOUNT, plan: 'research' }),
    await gateway.createKey({ account: ACCOUNT }),
  ]);
  const older = Buffer.from((await accountsStore.get(accountKey(ACCOUNT)))?.bytes ?? []).toString();
  const lostId = Object.keys((JSON.parse(older) as Account).keys).find((id) => lost.includes(id)) ?? '';
  await withGateway((gateway) => gateway.accounts.revokeKey(ACCOUNT, lostId));
  expect(await Promise.all([lost, own].map(statusOf))).toEqual([401, 307]);

  await put(accountsStore, older);
  expect(await statusOf(lost)).toBe(307); // the danger that infra/aws/README.md avoids

  // as infra/aws/README.md does with jq
  const whole = JSON.parse(older) as Account;
  const keys = Object.entries(whole.keys).map(([id, key]) => [
    id,
    { ...key, revoked_at: key.revoked_at ?? '2026-11-22T00:00:00Z' },
  ]);
  await put(accountsStore, JSON.stringify({ ...whole, keys: Object.fromEntries(keys) }));
  expect(await Promise.all([lost, own].map(statusOf))).toEqual([401, 401]);
  const fresh = await withGateway((gateway) => gateway.createKey({ account: ACCOUNT }));
  expect(await statusOf(fresh)).toBe(307);
});
