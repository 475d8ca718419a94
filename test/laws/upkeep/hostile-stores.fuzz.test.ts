/**
 * The commands against a hostile store, by seeds: CRD_TEST_HOSTILE is the number of cases of each command (default 40),
 * CRD_TEST_HOSTILE_SEED the first seed (default 1). A failure names its seed. With CRD_TEST_HOSTILE_GO=1, a command
 * continues after a failure, and reports all.
 */
import type { ExitName } from '../../../generator/core/generator-error.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  ALIASES_KEY,
  GC_KEY,
  objectKey,
  parseObjectKey,
  parseReleaseKey,
  parseStatementKey,
  pathOfPublicKey,
  POINTER_KEY,
  publicKey,
  PUBLIC_PREFIX,
  REFUSAL_KEY,
  STORE_KEY,
  TRUST_PATHS,
} from '../../../schemas/paths.js';
import { isPublicPath } from '../../../schemas/release-paths.js';
import {
  drawCase,
  type HostileCase,
  type HostileCommand,
  runCase,
} from '../../support/hostile/hostile-case.js';
import { createTruth, type Truth } from '../../support/hostile/hostile-truth.js';
import { createRandom } from '../../support/random/seeded.js';

const CASES = Number(process.env['CRD_TEST_HOSTILE'] ?? '40');
const FIRST_SEED = Number(process.env['CRD_TEST_HOSTILE_SEED'] ?? '1');
const GOES_ON = process.env['CRD_TEST_HOSTILE_GO'] === '1';
const MAX_MS = 60_000;
const MAX_HEAP_BYTES = 300_000_000;
/** Number of cases from which on the figures are printed. */
const MANY = 300;

/** Exits that a command may have with a store that answers falsely. */
const EXITS: readonly ExitName[] = ['done', 'usage', 'conflict', 'store-unavailable', 'damaged'];
const FIXED_KEYS = [STORE_KEY, POINTER_KEY, ALIASES_KEY, GC_KEY, REFUSAL_KEY];
const TRUST_KEYS = new Set(Object.values(TRUST_PATHS).map(publicKey));

let truth: Truth;
beforeAll(async () => {
  truth = await createTruth();
}, 300_000);

/** The outcome of a case. */
type Outcome = {
  readonly exit: ExitName;
  readonly ms: number;
  readonly heapBytes: number;
  readonly wrong: string[];
};

/** Returns whether a store has such a key. */
function isOfLayout(key: string): boolean {
  if (FIXED_KEYS.includes(key) || TRUST_KEYS.has(key)) return true;
  if (key.startsWith(PUBLIC_PREFIX)) {
    const path = pathOfPublicKey(key);
    return isPublicPath(path) && publicKey(path) === key;
  }
  return (parseObjectKey(key) ?? parseReleaseKey(key) ?? parseStatementKey(key)) !== undefined;
}

/** Returns what is wrong with an object that is written or stored: its key, or its bytes if the key has their digest. */
function judgeObject(key: string, body: Uint8Array): string[] {
  if (!isOfLayout(key)) return [`wrote ${key}`];
  const sha256 = parseObjectKey(key) ?? parseReleaseKey(key)?.sha256;
  return sha256 === undefined || sha256Hex(body) === sha256 ? [] : [`wrote other bytes to ${key}`];
}

/** Returns what is wrong with what a command wrote and deleted in the hostile store. */
function judgeAsked(command: HostileCommand, { hostile, isTarget }: HostileCase): string[] {
  return hostile.asked.flatMap(({ key, body }) => {
    if (!isTarget) return [`changed ${key} of the source`];
    if (body !== undefined) {
      if (command === 'gc' && key !== GC_KEY) return [`gc wrote ${key}`];
      return judgeObject(key, body);
    }
    if (command === 'gc') return judgeDeleted(key);
    return key.startsWith(PUBLIC_PREFIX) && isOfLayout(key) && !TRUST_KEYS.has(key) ? [] : [`deleted ${key}`];
  });
}

function judgeDeleted(key: string): string[] {
  if (truth.reachable.has(key)) return [`deleted ${key}, which a release needs`];
  const isOwned = (parseObjectKey(key) ?? parseReleaseKey(key) ?? parseStatementKey(key)) !== undefined;
  return isOwned ? [] : [`gc deleted ${key}`];
}

/** Returns what is wrong with accepting the store: with a trust anchor, each public copy must have been read as it was signed. */
function judgeVerified({ hostile: { served } }: HostileCase): string[] {
  return Object.entries(truth.current.public).flatMap(([path, { sha256 }]) => {
    const answers = served.get(publicKey(path)) ?? [];
    const isTrue = answers.length > 0 && answers.every((served) => served === sha256);
    return isTrue ? [] : [`accepted ${publicKey(path)}, of which the bytes are not those that were signed`];
  });
}

/** Returns what is wrong with the target of a copy. With a trust anchor, all that it shows must have been signed. */
async function judgeTarget(target: ObjectStore, isTrusting: boolean, isDone: boolean): Promise<string[]> {
  const wrong: string[] = [];
  for await (const { key } of target.list('')) {
    const bytes = (await target.get(key))?.bytes ?? new Uint8Array();
    wrong.push(...judgeObject(key, bytes));
    const isFixed = FIXED_KEYS.includes(key) || key.startsWith(PUBLIC_PREFIX);
    if (isTrusting && !isFixed && !truth.bodies.has(key))
      wrong.push(`accepted ${key}, which nobody has signed`);
  }
  if (!isTrusting) return wrong;
  const pointer = await target.get(POINTER_KEY);
  if (pointer === undefined) return isDone ? [...wrong, 'the copy has no pointer'] : wrong;
  const { sha256 = '' } = JSON.parse(Buffer.from(pointer.bytes).toString()) as { sha256?: string }; // our own format
  const record = truth.releases.get(sha256);
  if (record === undefined) return [...wrong, `accepted the release ${sha256}, which nobody has signed`];
  if (!isDone) return wrong;
  for (const [path, entry] of Object.entries(record.public)) {
    for (const key of [publicKey(path), objectKey(entry.sha256)])
      if (sha256Hex((await target.get(key))?.bytes ?? new Uint8Array()) !== entry.sha256)
        wrong.push(`the copy has other bytes of ${key}`);
  }
  return wrong;
}

async function judge(
  command: HostileCommand,
  drawn: HostileCase,
  { exit, said, ms }: { readonly exit: ExitName; readonly said: string; readonly ms: number },
): Promise<string[]> {
  const { hostile, own, isTarget, isTrusting } = drawn;
  const isDone = exit === 'done';
  const isToOwn = command === 'copy' && !isTarget;
  return [
    ...(EXITS.includes(exit) ? [] : [`exit ${exit}: ${said}`]),
    ...(!isDone && said === '' ? ['a failure without a sentence'] : []),
    ...(hostile.isEndless() ? ['it does not end'] : []),
    ...(ms > MAX_MS ? [`it took ${ms} ms`] : []),
    ...(drawn.heapBytes() > MAX_HEAP_BYTES ? [`it took ${drawn.heapBytes()} bytes of the heap`] : []),
    ...judgeAsked(command, drawn),
    ...(command === 'verify' && isTrusting && isDone ? judgeVerified(drawn) : []),
    ...(isToOwn ? await judgeTarget(own, isTrusting, isDone) : []),
  ];
}

async function tryCase(command: HostileCommand, seed: number): Promise<Outcome> {
  const drawn = await drawCase(truth, command, createRandom(`${command} ${seed}`));
  const startedMs = performance.now();
  const ended = await runCase(truth, drawn);
  const ms = performance.now() - startedMs;
  const wrong = await judge(command, drawn, { ...ended, ms });
  const how = `${command}, seed ${seed} (${drawn.args.join(' ')}; before: ${drawn.done}; ${drawn.hostile.attacks.join('; ')})`;
  return {
    exit: ended.exit,
    ms,
    heapBytes: drawn.heapBytes(),
    wrong: wrong.slice(0, 5).map((each) => `${how}: ${each}`),
  };
}

it.each<HostileCommand>(['verify', 'copy', 'repair', 'gc'])(
  '%s is not harmed by a hostile store, and does no harm',
  async (command) => {
    const exits: { [exit in ExitName]?: number } = {};
    const wrong: string[] = [];
    let slowestMs = 0;
    let heapBytes = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += 1) {
      const outcome = await tryCase(command, seed);
      exits[outcome.exit] = (exits[outcome.exit] ?? 0) + 1;
      slowestMs = Math.max(slowestMs, outcome.ms);
      heapBytes = Math.max(heapBytes, outcome.heapBytes);
      wrong.push(...outcome.wrong);
      if (!GOES_ON) expect(wrong).toEqual([]);
      for (const each of outcome.wrong) process.stdout.write(`${each}\n`);
    }
    if (CASES >= MANY)
      process.stdout.write(
        `${command}: ${CASES} cases, exits ${JSON.stringify(exits)}, slowest ${Math.round(slowestMs)} ms, heap ${Math.round(heapBytes / 1e6)} MB\n`,
      );
    expect(wrong).toEqual([]);
  },
  24 * 3_600_000,
);
