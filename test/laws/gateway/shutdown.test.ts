import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePath } from '../../../schemas/paths.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { startGateway, type GatewayServer } from '../../support/gateway/gateway-server.js';
import { createOutageStore } from '../../support/stores/outage-store.js';
import { openSmallRelease } from '../../support/release/small-release.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
/** Time limit for stores. */
const STORE_MS = 500;
/** Maximum duration of a stop on a busy machine, not counting requests in progress. */
const SOON_MS = 1_500;
let store: ObjectStore;
beforeAll(async () => {
  store = await openSmallRelease();
});

/** Stops a gateway, and returns the duration in milliseconds. */
async function timeStop(gateway: GatewayServer): Promise<number> {
  const startedMs = performance.now();
  await gateway.stop();
  return performance.now() - startedMs;
}

async function expectNoAnswer(gateway: GatewayServer): Promise<void> {
  for (const url of [gateway.url, gateway.operatorUrl]) {
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  }
}

/** Starts a gateway on an accounts store that becomes slow, and creates a key that it does not know yet. */
async function startSlow(slow: (behind: ObjectStore, isSlow: () => boolean) => ObjectStore) {
  let isSlow = false;
  const accountsStore = slow(createMemoryStore(), () => isSlow);
  const gateway = await startGateway({ store, accountsStore, storeMs: STORE_MS });
  const key = await gateway.createKey({ plan: 'research' });
  isSlow = true;
  return { gateway, key };
}

describe('stopping', () => {
  it('ends immediately without requests, and closes both ports', async () => {
    const gateway = await startGateway({ store });
    expect((await gateway.request('/readyz')).status).toBe(200); // its connection stays open
    expect(await timeStop(gateway)).toBeLessThan(SOON_MS);
    await expectNoAnswer(gateway);
  });

  it('finishes a request that waits for its store, and accepts no other', async () => {
    const { gateway, key } = await startSlow((behind, isSlow) =>
      interceptStore(behind, async (_operation, run) => {
        if (isSlow()) await sleep(STORE_MS / 2);
        return run();
      }),
    );
    const asked = gateway.request(BUNDLE, { headers: { 'X-API-Key': key } });
    await sleep(50);
    const stopped = timeStop(gateway);
    await sleep(50);
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow('fetch failed');
    const { status } = await asked;
    expect(status).toBe(307);
    expect(await stopped).toBeLessThan(2 * STORE_MS + SOON_MS);
    await expectNoAnswer(gateway);
  });

  it('waits no longer than its time limit for a request, a poll or a record of key usage that hangs', async () => {
    const hanging = createOutageStore(store);
    const accounts = createOutageStore(createMemoryStore());
    const gateway = await startGateway({
      store: hanging.store,
      accountsStore: accounts.store,
      storeMs: STORE_MS,
      configuration: { pollSeconds: 0.05 },
    });
    const known = await gateway.createKey({ plan: 'research' });
    const unknown = await gateway.createKey({ plan: 'research' });
    Object.assign(hanging, { state: 'hanging' });
    await sleep(100); // a poll is running
    const send = (key: string) => gateway.request(BUNDLE, { headers: { 'X-API-Key': key } });
    expect((await send(known)).status).toBe(307);
    Object.assign(accounts, { state: 'hanging' });
    const asked = send(unknown);
    await sleep(50);
    expect(await timeStop(gateway)).toBeLessThan(STORE_MS + 1_000 + SOON_MS); // one second for the record of key usage
    expect((await asked).status).toBe(503);
    const lines = gateway.log().trim().split('\n').length;
    await sleep(STORE_MS + 200);
    expect(gateway.log().trim().split('\n')).toHaveLength(lines); // nothing runs any more
  });

  it('closes a connection that has sent nothing yet', async () => {
    const gateway = await startGateway({ store });
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await sleep(50);
    expect(await timeStop(gateway)).toBeLessThan(SOON_MS);
    await closed;
  });
});
