import { setTimeout as sleep } from 'node:timers/promises';
import { PROBLEMS } from '../../../gateway/core/problems.js';
import { bundlePath, manifestPath } from '../../../schemas/paths.js';
import {
  createFuzzClient,
  remember,
  makeRequest,
  type FuzzAnswer,
  type FuzzRequest,
} from '../../support/fuzz/fuzz-requests.js';
import { startFuzzGateway, type FuzzGateway, type RouteCounts } from '../../support/fuzz/fuzz-gateway.js';
import { sendRaw } from '../../support/gateway/raw-http.js';
import { createRandom } from '../../support/random/seeded.js';

/** Number of requests. */
const REQUESTS = Number(process.env['CRD_TEST_FUZZ'] ?? '20000');
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
/** Number of concurrent requests. Many of them wait a second for a refresh from the store. */
const AT_ONCE = 64;
const MAX_FAULTS = 20;
/** Number of times that the memory is measured. */
const STAGES = 10;
/** The gateway writes its log at least once a second. */
const LOG_MS = 1_500;
const SLOW_MS = 3_600_000;

let fuzz: FuzzGateway;
beforeAll(async () => {
  fuzz = await startFuzzGateway();
}, SLOW_MS);
afterAll(() => fuzz.dispose(), SLOW_MS);

function faultOf(request: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  const what = `${request.method} ${request.target} gave ${status} ${type} ${text.slice(0, 200)}`;
  if (status >= 500) return what;
  if (status < 400 || request.method === 'HEAD') return undefined;
  const isPage = request.headers['Accept'] === 'text/html' && type === 'text/html; charset=utf-8';
  if (!isPage && type !== 'application/problem+json') return what;
  return Object.hasOwn(PROBLEMS, isPage ? codeOfPage(text) : codeOfDocument(text)) ? undefined : what;
}

function codeOfDocument(text: string): string {
  return (JSON.parse(text) as { code: string }).code; // a problem
}

function codeOfPage(html: string): string {
  return / href="\/problems\/([a-z-]+)">\1</.exec(html)?.[1] ?? '';
}

async function sendSeparately({ method, target, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  const request = { method, target, headers: Object.entries(headers), body };
  const response = await sendRaw(fuzz.gateway.url, request);
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
}

/** Sends a request, and returns the fault of the answer, or `undefined`. */
async function tryOut(
  request: FuzzRequest,
  client: ReturnType<typeof createFuzzClient>,
): Promise<string | undefined> {
  try {
    const sent = await client.send(request);
    const answer = sent === 'unsendable' ? await sendSeparately(request) : sent;
    remember(fuzz.context, answer);
    return faultOf(request, answer);
  } catch (error) {
    return `${request.method} ${request.target}: ${String(error)}`;
  }
}

/** Returns the numbers of answers by route and status, and of requests with an accepted key, from the log. */
function readLog(): { readonly counts: Record<string, number>; readonly admitted: number } {
  const counts: Record<string, number> = {};
  let admitted = 0;
  for (const line of fuzz.gateway.stdout().split('\n')) {
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
  'answers random requests as documented, without internal errors and without growing memory',
  async () => {
    const random = createRandom(SEED);
    const client = createFuzzClient(fuzz.gateway.url);
    const faults: string[] = [];
    const tally = { sent: 0, keyed: 0 };
    const memory: number[] = [];
    for (let stage = 1; stage <= STAGES; stage += 1) {
      const work = async (): Promise<void> => {
        while (tally.sent < (REQUESTS * stage) / STAGES && faults.length < MAX_FAULTS) {
          tally.sent += 1;
          const request = makeRequest(random, fuzz.context);
          tally.keyed += request.isKeyed ? 1 : 0;
          const fault = await tryOut(request, client);
          if (fault !== undefined) faults.push(fault);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      memory.push((await fuzz.readMetric('process_resident_memory_bytes')) / 1e6);
    }
    client.close();
    await sleep(LOG_MS);
    const counts = await fuzz.readCounts();
    const log = readLog();
    const rows = [...counts].map(([route, { statuses }]) => `${route}  ${JSON.stringify(statuses)}`).sort();
    const summary = `${tally.sent} requests, ${tally.keyed} with a valid key, ${log.admitted} of them accepted`;
    process.stderr.write(`${summary}; ${memory.map(Math.round).join(', ')} MB\n${rows.join('\n')}\n`);
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
    await expectUnchanged();
  },
  SLOW_MS,
);

/** Asserts that the keys have the same access as before. */
async function expectUnchanged(): Promise<void> {
  const [research = '', single = ''] = fuzz.context.keys;
  const statusOf = async (path: string, key: string): Promise<number> => {
    const headers = { 'X-API-Key': key };
    return (await fetch(`${fuzz.gateway.url}${path}`, { headers, redirect: 'manual' })).status;
  };
  expect(await statusOf(manifestPath('gold', 'base'), research)).toBe(307);
  expect(await statusOf(bundlePath('gold', 'bitcoin', '7d'), single)).toBe(403);
}

const FILE_DECISIONS = ['redirect', 'document', 'not-modified', 'not-found', 'not-entitled'] as const;
/** Routes, each with decisions (outcomes in the metrics) that the requests must reach. */
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
