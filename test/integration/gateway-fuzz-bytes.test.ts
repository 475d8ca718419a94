import {
  exchangeBytes,
  faultOfAnswer,
  parseAnswers,
  type StreamAnswer,
} from '../fixtures/gateway-fuzz-answers.js';
import {
  asLast,
  listSoundRequests,
  makeStream,
  type FuzzStream,
  type SoundRequest,
} from '../fixtures/gateway-fuzz-bytes.js';
import { startFuzzScene, type FuzzScene } from '../fixtures/gateway-fuzz-scene.js';
import { createRandom } from '../fixtures/seeded.js';

/** Number of connections; by hand 50,000. */
const CONNECTIONS = Number(process.env['CRD_TEST_FUZZ'] ?? '20000') / 4;
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
const AT_ONCE = 32;
/** How long a connection is idle before it is ended: one that the gateway should end by itself, and one that it need not. */
const SOUND_IDLE_MS = 10_000;
const SPOILED_IDLE_MS = 300;
const MOST_FAULTS = 10;
const SLOW_MS = 3_600_000;

let scene: FuzzScene;
let sound: readonly SoundRequest[];
/** What each request is answered with on a connection of its own. */
const expected = new Map<SoundRequest, string>();
beforeAll(async () => {
  scene = await startFuzzScene();
  sound = listSoundRequests(scene.cast);
  for (const request of sound) {
    const [answer, ...others] = await exchange([Buffer.from(asLast(request))], SOUND_IDLE_MS);
    if (answer === undefined || others.length > 0) throw new Error('one request, one answer');
    expected.set(request, describeAnswer(answer));
  }
}, SLOW_MS);
afterAll(() => scene.dispose(), SLOW_MS);

async function exchange(pieces: readonly Uint8Array[], idleMs: number): Promise<StreamAnswer[]> {
  return parseAnswers(await exchangeBytes(scene.gateway.url, pieces, idleMs));
}

/** What does not change from one time to the next. */
function describeAnswer({ status, headers, body }: StreamAnswer): string {
  const { code } = body.startsWith('{"type"') ? (JSON.parse(body) as { code: string }) : { code: '' }; // a problem
  return [status, headers.get('etag'), headers.get('content-type'), code].join(' ');
}

/** Whether it is an answer to bytes that were no request; the connection ends with it. */
function isUnreadable({ status, headers }: StreamAnswer): boolean {
  return status === 400 && !headers.has('x-request-id');
}

/** What is wrong with the answers to a stream; `undefined` when nothing is. */
function faultOfStream(stream: FuzzStream, answers: readonly StreamAnswer[]): string | undefined {
  for (const answer of answers) {
    const fault = faultOfAnswer(answer);
    if (fault !== undefined) return fault;
  }
  if (answers.slice(0, -1).some(isUnreadable)) return 'an answer came after the connection was given up';
  for (const [i, request] of stream.sound.entries()) {
    const answer = answers[i];
    const isGivenUp = answer === undefined || isUnreadable(answer);
    if (isGivenUp && stream.isSpoiled) return undefined; // what is spoiled may end the connection at any time
    const said = answer === undefined ? 'nothing' : describeAnswer(answer);
    if (said !== expected.get(request)) return `${said}, not ${expected.get(request) ?? ''}`;
  }
  const isComplete = stream.isSpoiled || answers.length === stream.sound.length;
  return isComplete ? undefined : `${answers.length} answers to ${stream.sound.length} requests`;
}

it('the requests that are sound reach every route', () => {
  const said = [...expected.values()].map((each) => each.slice(0, 3));
  expect([...new Set(said)].sort()).toEqual([
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
  'bytes that are spoiled, torn or piled up are answered one by one, in their order, and break nothing',
  async () => {
    const random = createRandom(SEED);
    const faults: string[] = [];
    const tally = { sent: 0, answers: 0, unreadable: 0 };
    const work = async (): Promise<void> => {
      while (tally.sent < CONNECTIONS && faults.length < MOST_FAULTS) {
        tally.sent += 1;
        const stream = makeStream(random, sound);
        const text = Buffer.concat(stream.pieces).toString('latin1');
        try {
          const answers = await exchange(stream.pieces, stream.isSpoiled ? SPOILED_IDLE_MS : SOUND_IDLE_MS);
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
    const memory = await scene.readMetric('process_resident_memory_bytes');
    const { sent, answers, unreadable } = tally;
    process.stderr.write(
      `${sent} connections, ${answers} answers, ${unreadable} to what was no request, ${Math.round(memory / 1e6)} MB\n`,
    );
    expect(faults).toEqual([]);
    const counts = await scene.readCounts();
    expect(
      [...counts].filter(([, { statuses }]) => Object.keys(statuses).some((status) => status >= '500')),
    ).toEqual([]);
    expect([...counts.keys()].filter((route) => !route.startsWith('/') && route !== 'none')).toEqual([]);
  },
  SLOW_MS,
);
