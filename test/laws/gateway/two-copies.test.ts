import { dayPath, manifestPath } from '../../../schemas/paths.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { startGateway, type GatewayServer } from '../../support/gateway/gateway-server.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';

const series = (days: number) => randomSeries({ chain: 'base', seed: 7, days });
const acceptance = { reason: 'corrected' };
const MANIFEST = manifestPath('gold', 'base');

describe('two copies of the gateway that poll the store at different times', () => {
  const store = createMemoryStore();
  const accountsStore = createMemoryStore();
  let late: GatewayServer;
  let key: string;
  beforeAll(async () => {
    await publishSeries(store, { inputs: [series(10)], asOf: '2022-01-11' });
    late = await startGateway({ store, accountsStore });
    key = await late.createKey({ plan: 'research' });
  });
  afterAll(() => late.stop());

  async function readManifest(gateway: GatewayServer): Promise<Manifest> {
    const response = await gateway.request(MANIFEST, { headers: { 'X-API-Key': key } });
    return (await (await fetch(response.headers.get('location') ?? '')).json()) as Manifest; // the generator has validated it
  }

  /** Requests every date of a manifest as of its own revision, and returns the digests or status codes. */
  async function requestDays(
    gateway: GatewayServer,
    manifest: Manifest,
  ): Promise<[string, string | number][]> {
    const answers: [string, string | number][] = [];
    for (const { date } of manifest.dates) {
      const path = `${dayPath('gold', 'base', date)}?revision=${manifest.published_revision}`;
      const { status, headers } = await gateway.request(path, { headers: { 'X-API-Key': key } });
      answers.push([date, status === 307 ? (headers.get('x-content-sha256') ?? '') : status]);
    }
    return answers;
  }

  const listedIn = ({ dates }: Manifest): [string, string | number][] =>
    dates.map(({ date, sha256, status }) => [date, status === 'withdrawn' ? 410 : sha256]);

  it.each([
    ['a new date', () => publishSeries(store, { inputs: [series(11)], asOf: '2022-01-12' })],
    [
      'a restatement',
      () =>
        publishSeries(store, {
          inputs: [editSeries(series(12), 'tx_count', '2022-01-05', 42)],
          asOf: '2022-01-13',
          acceptance,
        }),
    ],
    ['a rollback', () => rollBack(store, { to: '2022-01-12.000001', reason: 'wrong', asOf: '2022-01-14' })],
    ['a release that only ends the hold', () => setHold(store, null, '2022-01-15')],
  ])('agree on every date after %s, whichever copy returned the manifest', async (_name, publish) => {
    await publish();
    const early = await startGateway({ store, accountsStore }); // knows the new release; the other has not polled yet
    const manifest = await readManifest(early);
    expect(await requestDays(late, manifest)).toEqual(listedIn(manifest));
    await early.stop();
  });

  it('agree too when the late one returned the manifest', async () => {
    const manifest = await readManifest(late);
    await publishSeries(store, {
      inputs: [editSeries(series(13), 'tx_count', '2022-01-07', 7)],
      asOf: '2022-01-16',
      acceptance,
    });
    const early = await startGateway({ store, accountsStore });
    expect(await requestDays(early, manifest)).toEqual(listedIn(manifest));
    await early.stop();
  });

  it('both find a new date as soon as it is requested', async () => {
    await publishSeries(store, {
      inputs: [editSeries(series(14), 'tx_count', '2022-01-07', 7)],
      asOf: '2022-01-17',
    });
    const { status } = await late.request(dayPath('gold', 'base', '2022-01-14'), {
      headers: { 'X-API-Key': key },
    });
    expect(status).toBe(307);
  });
});
