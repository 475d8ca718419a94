import path from 'node:path';
import { PROBLEMS } from '../../gateway/core/problems.js';
import { bundlePath, manifestPath } from '../../schemas/paths.js';
import { openStore } from '../../infra/store/open-store.js';
import {
  createFuzzClient,
  makeRequest,
  type FuzzAnswer,
  type FuzzCast,
  type FuzzRequest,
} from '../fixtures/gateway-fuzz.js';
import { runGatewayProcess, startGatewayProcess, type GatewayProcess } from '../fixtures/gateway-process.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { askRaw } from '../fixtures/raw-http.js';
import { createRandom } from '../fixtures/seeded.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

/** Number of requests; by hand 200,000. */
const REQUESTS = Number(process.env['CRD_TEST_FUZZ'] ?? '20000');
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
const AT_ONCE = 16;
const SLOW_MS = 3_600_000;

let folder: TemporaryFolder;
let provider: IdentityProvider;
let gateway: GatewayProcess;
let cast: FuzzCast;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  provider = await startIdentityProvider(() => Date.now());
  const env = {
    CRD_STORE: `file:${path.join(folder.path, 'store')}`,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder.path, 'accounts')}`,
    CRD_LINK_SECRET: 'a secret of at least thirty-two bytes',
    CRD_KEY_MODE: 'test',
    CRD_JWKS: provider.jwksUrl,
    CRD_JWT_ISSUER: provider.issuer,
    CRD_JWT_AUDIENCE: provider.audience,
    CRD_CORS_ORIGINS: 'https://app.example.com',
    CRD_RATE_KEY_PER_MINUTE: '1000000',
    CRD_RATE_ADDRESS_PER_MINUTE: '1000000',
  };
  const inputs = (['base', 'bitcoin'] as const).map((chain, seed) =>
    randomSeries({ chain, seed, days: 13, firstDate: '2025-01-01' }),
  );
  await publishSeries(await openStore(env.CRD_STORE), { inputs, asOf: '2025-01-14' });
  const until = ['--until', '2999-01-01', '--reason', 'fuzz'];
  const single = ['--plan', 'single-chain', '--chain', 'base'];
  const keyOf = async (account: string, ...plan: string[]): Promise<string> => {
    await runGatewayProcess(['grant', '--account', account, ...plan, ...until], env);
    return (await runGatewayProcess(['keys', 'create', '--account', account], env)).stdout.trim();
  };
  const keys = [await keyOf('research', '--plan', 'research'), await keyOf('single', ...single)];
  await keyOf('dashboard', '--plan', 'research');
  const sessions = [
    await provider.sign({ account: 'dashboard' }),
    await provider.sign({ account: 'nobody' }),
  ];
  cast = { keys, sessions, seen: { links: [], etags: [] } };
  gateway = await startGatewayProcess(env);
}, SLOW_MS);
afterAll(async () => {
  expect(await gateway.stop()).toMatchObject({ code: 0 });
  await Promise.all([provider.dispose(), folder.dispose()]);
}, SLOW_MS);

async function readMetrics(): Promise<string> {
  return (await fetch(`${gateway.operatorUrl}/metrics`)).text();
}

async function readMemory(): Promise<number> {
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await readMetrics())?.[1]) / 1e6;
}

/** Answers by route and status, and the decisions of each route, as the gateway itself counted them. */
async function readCounts(): Promise<
  Map<string, { statuses: Record<string, number>; decisions: Set<string> }>
> {
  const counts = new Map<string, { statuses: Record<string, number>; decisions: Set<string> }>();
  const line = /^gateway_requests_total\{route="(.+?)",decision="(.+?)",status="(\d+)"\} (\d+)$/gm;
  for (const [, route = '', decision = '', status = '', count] of (await readMetrics()).matchAll(line)) {
    const row = counts.get(route) ?? { statuses: {}, decisions: new Set() };
    row.statuses[status] = (row.statuses[status] ?? 0) + Number(count);
    row.decisions.add(decision);
    counts.set(route, row);
  }
  return counts;
}

function faultOf(made: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  const what = `${made.method} ${made.target} gave ${status} ${type} ${text.slice(0, 200)}`;
  if (status >= 500) return what;
  if (status < 400 || made.method === 'HEAD') return undefined;
  if (type !== 'application/problem+json') return what;
  const { code } = JSON.parse(text) as { code: string }; // a problem
  return Object.hasOwn(PROBLEMS, code) ? undefined : what;
}

function learn({ text, type }: FuzzAnswer): void {
  if (type !== 'application/json' || !text.startsWith('{"url"')) return;
  const { url, sha256 } = JSON.parse(text) as { url: string; sha256: string }; // the answer in JSON mode
  const { pathname, search } = new URL(url);
  cast.seen.links = [...cast.seen.links.slice(-20), `${pathname}${search}`];
  cast.seen.etags = [...cast.seen.etags.slice(-20), `"sha256:${sha256}"`];
}

async function sendRaw({ method, target, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  const request = { method, target, headers: Object.entries(headers), body };
  const response = await askRaw(gateway.url, request);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

it(
  'a gateway under made-up requests answers each with sense, breaks nowhere and keeps its memory',
  async () => {
    const random = createRandom(SEED);
    const client = createFuzzClient(gateway.url);
    const faults: string[] = [];
    const tally = { sent: 0, keyed: 0 };
    const memory: number[] = [];
    for (const half of [0, 1]) {
      const untilSent = (REQUESTS * (half + 1)) / 2;
      const work = async (): Promise<void> => {
        while (tally.sent < untilSent && faults.length < 20) {
          tally.sent += 1;
          const made = makeRequest(random, cast);
          tally.keyed += made.isKeyed ? 1 : 0;
          const sent = await client
            .send(made)
            .catch((error: unknown) => `${made.method} ${made.target}: ${String(error)}`);
          if (typeof sent === 'string' && sent !== 'unsendable') {
            faults.push(sent);
            continue;
          }
          const answer = sent === 'unsendable' ? await sendRaw(made) : sent;
          if (typeof answer === 'string') continue;
          const fault = faultOf(made, answer);
          if (fault !== undefined) faults.push(fault);
          learn(answer);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      memory.push(await readMemory());
    }
    client.close();
    const counts = await readCounts();
    const table = [...counts].map(([route, { statuses }]) => `${route}  ${JSON.stringify(statuses)}`).sort();
    process.stderr.write(
      `${tally.sent} requests, ${tally.keyed} with a valid key, ${memory.map(Math.round).join(' then ')} MB\n${table.join('\n')}\n`,
    );
    expect(faults).toEqual([]);
    expect(tally.keyed / tally.sent).toBeGreaterThan(0.5);
    expect(memory[1]).toBeLessThan((memory[0] ?? 0) * 1.5 + 50);
    for (const [route, decision] of REACHED) {
      expect([route, [...(counts.get(route)?.decisions ?? [])]]).toEqual([
        route,
        expect.arrayContaining([decision]),
      ]);
    }
    const served = await fetch(`${gateway.url}${manifestPath('gold', 'base')}`, {
      headers: { 'X-API-Key': cast.keys[0] ?? '' },
      redirect: 'manual',
    });
    const refused = await fetch(`${gateway.url}${bundlePath('gold', 'bitcoin', '7d')}`, {
      headers: { 'X-API-Key': cast.keys[1] ?? '' },
    });
    expect([served.status, refused.status]).toEqual([307, 403]);
  },
  SLOW_MS,
);

/** Each route with what it decides beyond the check of a key or session. */
const REACHED = [
  ['/api/v1/files/{genre}/{chain}/{date}.json', 'redirect'],
  ['/api/v1/files/{genre}/{chain}/{date}.json', 'document'],
  ['/api/v1/files/{genre}/{chain}/{window}/latest.json', 'redirect'],
  ['/api/v1/files/{genre}/{chain}/{window}/latest.json', 'not-modified'],
  ['/api/v1/files/{genre}/{chain}/manifest.json', 'redirect'],
  ['/api/v1/files/{genre}/{chain}/manifest.json', 'not-entitled'],
  ['/api/v1/keys', 'listed'],
  ['/api/v1/keys', 'key-created'],
  ['/api/v1/entitlements', 'answered'],
  ['/api/v1/{public}', 'sent'],
  ['/_objects/{digest}', 'sent'],
  ['/problems/{code}', 'sent'],
  ['/healthz', 'answered'],
  ['/readyz', 'ready'],
] as const;
