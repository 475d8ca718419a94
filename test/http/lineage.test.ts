import { sha256Hex } from '../../schemas/digest.js';
import { dayPath, lineageManifestPath, lineagePath } from '../../schemas/paths.js';
import { assertValid } from '../../schemas/validate.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { rollBack } from '../support/release/operate.js';
import { collectValues, publishCollection } from '../support/release/publish-collection.js';
import { readCurrent } from '../support/release/read-release.js';
import { createMemoryStore } from '../support/stores/memory-store.js';

const store = createMemoryStore();
let gateway: GatewayServer;
let key: string;
let single: string;

beforeAll(async () => {
  const collection = createMemoryStore();
  await collectValues(collection, [
    { date: '2025-01-01', txCount: 5 },
    { date: '2025-01-02', txCount: 6 },
  ]);
  await publishCollection(store, collection, '2025-01-11');
  await collectValues(collection, [
    { date: '2025-01-02', txCount: 7, reason: 'revised' },
    { date: '2025-01-04', txCount: 8 },
  ]);
  await publishCollection(store, collection, '2025-01-12');
  gateway = await startGateway({ store });
  key = await gateway.createKey({ plan: 'research' });
  single = await gateway.createKey({ plan: 'single-chain', chain: 'base' });
}, 120_000);
afterAll(() => gateway.stop());

const send = (path: string, apiKey = key): Promise<Response> =>
  gateway.request(path, { headers: { 'X-API-Key': apiKey } });

async function problemOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { code: unknown }).code;
}

it('redirects to the lineage of a date, with every line of the ledger about it', async () => {
  const response = await send(lineagePath('base', '2025-01-02'));
  expect(response.status).toBe(307);
  expect(response.headers.get('x-published-revision')).toBe('2025-01-12.000001');
  const object = await fetch(response.headers.get('location') ?? '');
  const text = await object.text();
  expect(sha256Hex(text)).toBe(response.headers.get('x-content-sha256'));
  expect(object.headers.get('content-disposition')).toContain('base-gold-2025-01-02-lineage.json');
  const { accepted } = assertValid('day-lineage', JSON.parse(text));
  expect(accepted.map(({ line }) => [line.values.tx_count, line.reason])).toEqual([
    ['6', null],
    ['7', 'revised'],
  ]);
});

it('serves the manifest of lineage, which lists the dates that have one', async () => {
  const response = await send(lineageManifestPath('base'));
  const object = await fetch(response.headers.get('location') ?? '');
  const { dates } = assertValid('manifest', await object.json());
  expect(dates.map(({ date }) => date)).toEqual(['2025-01-01', '2025-01-02', '2025-01-04']);
});

it('is part of Research only', async () => {
  for (const path of [lineagePath('base', '2025-01-02'), lineageManifestPath('base')]) {
    const response = await send(path, single);
    expect([response.status, await problemOf(response)]).toEqual([403, 'not-entitled']);
  }
});

it.each([
  ['a date without lineage', lineagePath('base', '2025-01-03')],
  ['a date that is not published', lineagePath('base', '2025-02-01')],
  ['a chain that is not collected', lineagePath('bitcoin', '2025-01-02')],
  ['a date that does not exist', lineagePath('base', '2025-02-30')],
  ['another genre', lineagePath('base', '2025-01-02').replace('/gold/', '/meta/')],
])('answers 404 for %s', async (_what, path) => {
  const response = await send(path);
  expect([response.status, await problemOf(response)]).toEqual([404, 'not-found']);
});

it('takes no revision', async () => {
  const response = await send(`${lineagePath('base', '2025-01-02')}?revision=2025-01-11.000001`);
  expect(await problemOf(response)).toBe('request-malformed');
});

it('answers 410 for a date that a rollback withdrew, and serves the earlier lineage of the others', async () => {
  await rollBack(store, { to: '2025-01-11.000001', reason: 'wrong', asOf: '2025-01-13' });
  const rolledBack = await startGateway({ store });
  try {
    const research = await rolledBack.createKey({ plan: 'research' });
    const read = (path: string): Promise<Response> =>
      rolledBack.request(path, { headers: { 'X-API-Key': research } });
    expect((await read(dayPath('gold', 'base', '2025-01-04'))).status).toBe(410);
    expect((await read(lineagePath('base', '2025-01-04'))).status).toBe(410);
    const object = await fetch((await read(lineagePath('base', '2025-01-02'))).headers.get('location') ?? '');
    const { accepted } = assertValid('day-lineage', await object.json());
    expect(accepted.map(({ line }) => line.values.tx_count)).toEqual(['6']);
    expect((await readCurrent(store)).changes.rollback).toBe('2025-01-11.000001');
  } finally {
    await rolledBack.stop();
  }
});
