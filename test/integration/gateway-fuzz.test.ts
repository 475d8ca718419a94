import { setTimeout as sleep } from 'node:timers/promises';
import { PROBLEMS } from '../../gateway/core/problems.js';
import { bundlePath, manifestPath } from '../../schemas/paths.js';
import {
  createFuzzClient,
  learn,
  makeRequest,
  type FuzzAnswer,
  type FuzzRequest,
} from '../fixtures/gateway-fuzz.js';
import { startFuzzScene, type FuzzScene, type RouteCounts } from '../fixtures/gateway-fuzz-scene.js';
import { askRaw } from '../fixtures/raw-http.js';
import { createRandom } from '../fixtures/seeded.js';

/** Number of requests; by hand 200,000. */
const REQUESTS = Number(process.env['CRD_TEST_FUZZ'] ?? '20000');
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
/** Many wait a second for a look at the store. */
const AT_ONCE = 64;
const MOST_FAULTS = 20;
/** Number of times that the memory is looked at. */
const STAGES = 10;
/** The log is written once a second. */
const LOG_MS = 1_500;
const SLOW_MS = 3_600_000;

let scene: FuzzScene;
beforeAll(async () => {
  scene = await startFuzzScene();
}, SLOW_MS);
afterAll(() => scene.dispose(), SLOW_MS);

function faultOf(made: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  const what = `${made.method} ${made.target} gave ${status} ${type} ${text.slice(0, 200)}`;
  if (status >= 500) return what;
  if (status < 400 || made.method === 'HEAD') return undefined;
  if (type !== 'application/problem+json') return what;
  const { code } = JSON.parse(text) as { code: string }; // a problem
  return Object.hasOwn(PROBLEMS, code) ? undefined : what;
}

async function sendRaw({ method, target, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  const request = { method, target, headers: Object.entries(headers), body };
  const response = await askRaw(scene.gateway.url, request);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

/** Sends what was made up; resolves what is wrong with the answer, if anything is. */
async function tryOut(
  made: FuzzRequest,
  client: ReturnType<typeof createFuzzClient>,
): Promise<string | undefined> {
  try {
    const sent = await client.send(made);
    const answer = sent === 'unsendable' ? await sendRaw(made) : sent;
    learn(scene.cast, answer);
    return faultOf(made, answer);
  } catch (error) {
    return `${made.method} ${made.target}: ${String(error)}`;
  }
}

/** Answers by route and status, and how many had a key that was let in, as the log tells. */
function readLog(): { readonly counts: Record<string, number>; readonly admitted: number } {
  const counts: Record<string, number> = {};
  let admitted = 0;
  for (const line of scene.gateway.stdout().split('\n')) {
    const [, route = '', status = ''] = /"route":"([^"]*)".*"status":(\d+)/.exec(line) ?? [];
    if (route === '') continue;
    counts[`${route} ${status}`] = (counts[`${route} ${status}`] ?? 0) + 1;
    if (line.includes('"key":"')) admitted += 1;
  }
  return { counts, admitted };
}

const flatten = (counts: ReadonlyMap<string, RouteCounts>): Record<string, number> =>
  Object.fromEntries(
    [...counts].flatMap(([route, { statuses }]) =>
      Object.entries(statuses).map(([status, count]) => [`${route} ${status}`, count]),
    ),
  );

it(
  'a gateway under made-up requests answers each with sense, breaks nowhere and keeps its memory',
  async () => {
    const random = createRandom(SEED);
    const client = createFuzzClient(scene.gateway.url);
    const faults: string[] = [];
    const tally = { sent: 0, keyed: 0 };
    const memory: number[] = [];
    for (let stage = 1; stage <= STAGES; stage += 1) {
      const work = async (): Promise<void> => {
        while (tally.sent < (REQUESTS * stage) / STAGES && faults.length < MOST_FAULTS) {
          tally.sent += 1;
          const made = makeRequest(random, scene.cast);
          tally.keyed += made.isKeyed ? 1 : 0;
          const fault = await tryOut(made, client);
          if (fault !== undefined) faults.push(fault);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      memory.push((await scene.readMetric('process_resident_memory_bytes')) / 1e6);
    }
    client.close();
    await sleep(LOG_MS);
    const counts = await scene.readCounts();
    const log = readLog();
    const rows = [...counts].map(([route, { statuses }]) => `${route}  ${JSON.stringify(statuses)}`).sort();
    const said = `${tally.sent} requests, ${tally.keyed} with a valid key, of which ${log.admitted} were looked at`;
    process.stderr.write(`${said}; ${memory.map(Math.round).join(', ')} MB\n${rows.join('\n')}\n`);
    expect(faults).toEqual([]);
    expect(tally.keyed / tally.sent).toBeGreaterThan(0.5);
    const [firstHalf, secondHalf] = [memory.slice(0, STAGES / 2), memory.slice(STAGES / 2)];
    expect(Math.max(...secondHalf)).toBeLessThan(Math.max(...firstHalf) * 1.5 + 32);
    expect(log.counts).toEqual(flatten(counts));
    for (const [route, ...decisions] of REACHED) {
      expect({ route, decisions: [...(counts.get(route)?.decisions ?? [])] }).toEqual({
        route,
        decisions: expect.arrayContaining(decisions),
      });
    }
    await expectUsual();
  },
  SLOW_MS,
);

/** What was asked before has changed nothing of what a key may read. */
async function expectUsual(): Promise<void> {
  const [research = '', single = ''] = scene.cast.keys;
  const ask = async (path: string, key: string): Promise<number> => {
    const headers = { 'X-API-Key': key };
    return (await fetch(`${scene.gateway.url}${path}`, { headers, redirect: 'manual' })).status;
  };
  expect(await ask(manifestPath('gold', 'base'), research)).toBe(307);
  expect(await ask(bundlePath('gold', 'bitcoin', '7d'), single)).toBe(403);
}

/** Each route with what it decides beyond the check of a key, session or link. */
const FILE_DECISIONS = [
  'redirect',
  'document',
  'described',
  'not-modified',
  'not-found',
  'not-entitled',
] as const;
const REACHED = [
  ['/api/v1/files/{genre}/{chain}/{date}.json', ...FILE_DECISIONS, 'gone'],
  ['/api/v1/files/{genre}/{chain}/{window}/latest.json', ...FILE_DECISIONS],
  ['/api/v1/files/{genre}/{chain}/manifest.json', ...FILE_DECISIONS],
  ['/api/v1/keys', 'listed', 'key-created', 'key-revoked', 'key-limit-reached', 'subscription-inactive'],
  ['/api/v1/entitlements', 'answered'],
  ['/api/v1/checkout', 'request-malformed', 'session-invalid', 'method-not-allowed'],
  ['/api/v1/checkout/portal', 'subscription-inactive', 'request-malformed', 'session-invalid'],
  [
    '/api/v1/stripe/webhook',
    'event-ignored',
    'event-mode-foreign',
    'event-customer-unknown',
    'webhook-signature-invalid',
  ],
  ['/api/v1/{public}', 'sent', 'not-modified', 'described', 'range-not-satisfiable'],
  ['/_objects/{digest}', 'sent', 'not-modified', 'range-not-satisfiable', 'link-invalid'],
  ['/{page}', 'sent'],
  ['/healthz', 'answered'],
  ['/readyz', 'ready'],
] as const;
