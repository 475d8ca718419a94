import {
  exchangeBytes,
  faultOfAnswer,
  parseAnswers,
  type StreamAnswer,
} from '../../support/fuzz/fuzz-answers.js';
import {
  asLast,
  listValidRequests,
  makeStream,
  type FuzzStream,
  type ValidRequest,
} from '../../support/fuzz/fuzz-bytes.js';
import { startFuzzGateway, type FuzzGateway } from '../../support/fuzz/fuzz-gateway.js';
import { createRandom } from '../../support/random/seeded.js';

/** Number of connections. Each sends several requests, about four. */
const CONNECTIONS = Number(process.env['CRD_TEST_FUZZ'] ?? '20000') / 4;
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
/** Number of concurrent connections. */
const AT_ONCE = 32;
/** Idle time after which the test closes a connection: one that the gateway must close, and one that it may keep. */
const VALID_IDLE_MS = 10_000;
const DAMAGED_IDLE_MS = 300;
const MAX_FAULTS = 10;
/** Maximum size of a body. */
const LIMIT_BYTES = 65_536;
const SLOW_MS = 3_600_000;

let fuzz: FuzzGateway;
let valid: readonly ValidRequest[];
/** The answer to each request on a separate connection. */
const expected = new Map<ValidRequest, string>();
beforeAll(async () => {
  fuzz = await startFuzzGateway();
  valid = listValidRequests(fuzz.context);
  for (const request of valid) {
    const [answer, ...others] = await exchange([Buffer.from(asLast(request))], VALID_IDLE_MS);
    if (answer === undefined || others.length > 0) throw new Error('there must be one answer');
    expected.set(request, describeAnswer(answer));
  }
}, SLOW_MS);
afterAll(() => fuzz.dispose(), SLOW_MS);

async function exchange(pieces: readonly Uint8Array[], idleMs: number): Promise<StreamAnswer[]> {
  return parseAnswers(await exchangeBytes(fuzz.gateway.url, pieces, idleMs));
}

/** Returns the parts of an answer that are the same each time. */
function describeAnswer({ status, headers, body }: StreamAnswer): string {
  const { code } = body.startsWith('{"type"') ? (JSON.parse(body) as { code: string }) : { code: '' }; // a problem
  return [status, headers.get('etag'), headers.get('content-type'), code].join(' ');
}

/** Returns true for the answer to bytes that are not a request, which is the last one of its connection. */
function isUnreadable({ status, headers }: StreamAnswer): boolean {
  return status === 400 && !headers.has('x-request-id');
}

/** Returns true for a request with a body that is not read, whose answer is the last one of its connection. */
function isTooLarge({ text }: ValidRequest): boolean {
  return Number(/^Content-Length: (\d+)\r$/m.exec(text)?.[1] ?? 0) > LIMIT_BYTES;
}

/** Returns the fault of the answers to a stream, or `undefined`. */
function faultOfStream(stream: FuzzStream, answers: readonly StreamAnswer[]): string | undefined {
  for (const answer of answers) {
    const fault = faultOfAnswer(answer);
    if (fault !== undefined) return fault;
  }
  if (answers.slice(0, -1).some(isUnreadable))
    return 'an answer came after the answer to an unreadable request';
  for (const [i, request] of stream.valid.entries()) {
    const answer = answers[i];
    const isEnded = answer === undefined || isUnreadable(answer);
    if (isEnded && stream.isDamaged) return undefined; // damaged bytes may end the connection at any time
    const found = answer === undefined ? 'nothing' : describeAnswer(answer);
    if (found !== expected.get(request)) return `${found}, not ${expected.get(request) ?? ''}`;
    if (isTooLarge(request))
      return answers.length === i + 1 ? undefined : 'an answer came after a large body';
  }
  const isComplete = stream.isDamaged || answers.length === stream.valid.length;
  return isComplete ? undefined : `${answers.length} answers to ${stream.valid.length} requests`;
}

it('the valid requests get each of these statuses', () => {
  const found = [...expected.values()].map((each) => each.slice(0, 3));
  expect([...new Set(found)].sort()).toEqual([
    '200',
    '204',
    '206',
    '304',
    '307',
    '400',
    '401',
    '403',
    '404',
    '405',
    '413',
    '415',
  ]);
});

it(
  'answers damaged, split and pipelined bytes one by one in their order, without internal errors',
  async () => {
    const random = createRandom(SEED);
    const faults: string[] = [];
    const tally = { sent: 0, answers: 0, unreadable: 0 };
    const work = async (): Promise<void> => {
      while (tally.sent < CONNECTIONS && faults.length < MAX_FAULTS) {
        tally.sent += 1;
        const stream = makeStream(random, valid);
        const text = Buffer.concat(stream.pieces).toString('latin1');
        try {
          const answers = await exchange(stream.pieces, stream.isDamaged ? DAMAGED_IDLE_MS : VALID_IDLE_MS);
          tally.answers += answers.length;
          tally.unreadable += answers.filter(isUnreadable).length;
          const fault = faultOfStream(stream, answers);
          if (fault !== undefined)
            faults.push(`${fault}: ${JSON.stringify(text.replaceAll(/x{99,}/g, 'x...').slice(0, 3_000))}`);
        } catch (error) {
          faults.push(
            `${String(error)}: ${JSON.stringify(text.replaceAll(/x{99,}/g, 'x...').slice(0, 3_000))}`,
          );
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const memory = await fuzz.readMetric('process_resident_memory_bytes');
    const { sent, answers, unreadable } = tally;
    process.stderr.write(
      `${sent} connections, ${answers} answers, ${unreadable} to unreadable requests, ${Math.round(memory / 1e6)} MB\n`,
    );
    expect(faults).toEqual([]);
    const counts = await fuzz.readCounts();
    expect(
      [...counts].filter(([, { statuses }]) => Object.keys(statuses).some((status) => status >= '500')),
    ).toEqual([]);
    // A route is a template, or none if no template matches. Text of a request must never become one.
    expect([...counts.keys()].filter((route) => !route.startsWith('/') && route !== 'none')).toEqual([]);
  },
  SLOW_MS,
);
