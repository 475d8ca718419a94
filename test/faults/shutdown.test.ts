import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePath } from '../../schemas/paths.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { createMoodyStore } from '../fixtures/moody-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { watchStore } from '../fixtures/watched-store.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const SLOW_MS = 500;
/** How long a stop may take, beside what is under way, on a busy machine. */
const SOON_MS = 1_500;
const store = createMemoryStore();
beforeAll(() =>
  publishSeries(store, { inputs: [randomSeries({ chain: 'base', seed: 7, days: 3 })], asOf: '2022-01-04' }),
);

/** Stops a gateway; resolves after how many milliseconds it was over. */
async function timeStop(gateway: GatewayServer): Promise<number> {
  const startedMs = performance.now();
  await gateway.stop();
  return performance.now() - startedMs;
}

async function expectNobody(gateway: GatewayServer): Promise<void> {
  for (const url of [gateway.url, gateway.operatorUrl]) {
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  }
}

/** A gateway on an accounts store that may become slow, and a key that it does not know yet. */
async function startSlow(slow: (behind: ObjectStore, isSlow: () => boolean) => ObjectStore) {
  let isSlow = false;
  const accountsStore = slow(createMemoryStore(), () => isSlow);
  const gateway = await startGateway({ store, accountsStore, storeMs: SLOW_MS });
  const key = await gateway.createKey({ plan: 'research' });
  isSlow = true;
  return { gateway, key };
}

describe('stopping', () => {
  it('without requests is over at once, and nobody answers on either port', async () => {
    const gateway = await startGateway({ store });
    expect((await gateway.ask('/readyz')).status).toBe(200); // its connection is kept
    expect(await timeStop(gateway)).toBeLessThan(SOON_MS);
    await expectNobody(gateway);
  });

  it('lets a request that waits for its store end well, and takes no other', async () => {
    const { gateway, key } = await startSlow((behind, isSlow) =>
      watchStore(behind, async (_operation, run) => {
        if (isSlow()) await sleep(SLOW_MS / 2);
        return run();
      }),
    );
    const asked = gateway.ask(BUNDLE, { headers: { 'X-API-Key': key } });
    await sleep(50);
    const stopped = timeStop(gateway);
    await sleep(50);
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow('fetch failed');
    const { status } = await asked;
    expect(status).toBe(307);
    expect(await stopped).toBeLessThan(2 * SLOW_MS + SOON_MS);
    await expectNobody(gateway);
  });

  it('waits no longer for stores that hang than they are given: for a request, a look, and a use', async () => {
    const hanging = createMoodyStore(store);
    const accounts = createMoodyStore(createMemoryStore());
    const gateway = await startGateway({
      store: hanging.store,
      accountsStore: accounts.store,
      storeMs: SLOW_MS,
      configuration: { pollSeconds: 0.05 },
    });
    const known = await gateway.createKey({ plan: 'research' });
    const unknown = await gateway.createKey({ plan: 'research' });
    Object.assign(hanging, { mood: 'hanging' });
    await sleep(100); // a look is under way
    const ask = (key: string) => gateway.ask(BUNDLE, { headers: { 'X-API-Key': key } });
    expect((await ask(known)).status).toBe(307);
    Object.assign(accounts, { mood: 'hanging' });
    const asked = ask(unknown);
    await sleep(50);
    expect(await timeStop(gateway)).toBeLessThan(SLOW_MS + 1_000 + SOON_MS); // a second for the uses
    expect((await asked).status).toBe(503);
    const lines = gateway.log().trim().split('\n').length;
    await sleep(SLOW_MS + 200);
    expect(gateway.log().trim().split('\n')).toHaveLength(lines); // nothing goes on
  });

  it('closes a connection that has said nothing yet', async () => {
    const gateway = await startGateway({ store });
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await sleep(50);
    expect(await timeStop(gateway)).toBeLessThan(SOON_MS);
    await closed;
  });
});
