import { ALIASES_KEY, publicKey, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { openStore } from '../../../infra/store/open-store.js';
import { runInProcess } from '../../support/process/generator-run.js';
import { createPublishedStore, publish, type PublishedStore } from '../../support/release/published-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };

describe('a rollback that stopped between its commit and the public copies', () => {
  let published: PublishedStore;
  beforeAll(async () => (published = await createPublishedStore()), 30_000);
  afterAll(() => published.dispose());

  it('is finished by the next publish, although that is held; until then status names the lag, not the hold, as the next step', async () => {
    const root = await published.copy();
    const store = await openStore(`file:${root}`);
    const key = publicKey(PUBLIC_PATHS.landing);
    const [bad, oldAliases] = [await store.get(key), await store.get(ALIASES_KEY)];
    const to = [
      '--to',
      '2025-02-01.000001',
      '--reason',
      'a bad restatement',
      '--as-of',
      '2025-02-02T13:00:00Z',
    ];
    const rolled = await runInProcess(['rollback', '--store', `file:${root}`, ...to]);
    expect(rolled.code).toBe(0);
    const good = await store.get(key);
    await store.compareAndSwap(key, bad?.bytes ?? new Uint8Array(), good?.etag ?? null, META);
    const newAliases = await store.get(ALIASES_KEY);
    await store.compareAndSwap(
      ALIASES_KEY,
      oldAliases?.bytes ?? new Uint8Array(),
      newAliases?.etag ?? null,
      META,
    );

    const status = await runInProcess(['status', '--store', `file:${root}`]);
    expect(status.stdout).toContain(
      `the public copies lag; to refresh the public copies: generator repair --store`,
    );
    const held = await publish(published.input, root, '2025-02-02T14:00:00Z');
    expect([held.code, held.stderr]).toEqual([9, expect.stringContaining('a bad restatement')]);
    expect((await store.get(key))?.bytes).toEqual(good?.bytes);
    expect((await store.get(ALIASES_KEY))?.bytes).toEqual(newAliases?.bytes);
  });
});
