import { randomUUID } from 'node:crypto';
import { CHECK_PREFIX } from '../../schemas/paths.js';
import { type CheckedRow, type Etag, type ObjectMeta, type ObjectStore, StoreError } from './object-store.js';

/**
 * What a store is good for. With `one-writer`, writers at the same time lose writes without an error; alone, a writer is
 * safe. With `unusable`, even one writer is not.
 */
export type StoreVerdict = 'safe' | 'one-writer' | 'unusable';

/** The result of a check, and the program that answered, as it calls itself. */
export type StoreReport = {
  readonly verdict: StoreVerdict;
  readonly server: string | null;
  readonly requests: number;
  readonly rows: readonly CheckedRow[];
};

/** Options for `checkStore`. */
type CheckOptions = {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
};

/** Number of writers in a race. */
const WRITERS = 8;
/** Number of races. Servers that check first and write later lost at least a tenth of them. */
const CREATE_RACES = 5;
const SWAP_RACES = 7;
/** Signed requests fail when the clocks are further apart (Amazon S3: 15 minutes); the product's links live minutes. */
const MAX_SKEW_MS = 30_000;
/** Names in the order in which a list must have them: that of their bytes. */
const ORDERED = ['0', 'A', 'B.json', 'Z-', 'Z.', 'Z0', '_', 'a', 'b', 'b-c', 'b.c', 'b0'];
const META: ObjectMeta = { contentType: 'text/plain', cacheControl: 'no-store' };

/**
 * Checks whether a store keeps the promises of `ObjectStore`: conditional writes alone and in races, ETags, reading after
 * writing, the order of lists, digests and the clock. It takes about 200 small requests, all below CHECK_PREFIX, and deletes
 * what it wrote. Bodies differ, because equal bodies have equal ETags, and a swap between them is right.
 * @throws what the store throws
 */
export async function checkStore(store: ObjectStore, { now }: CheckOptions): Promise<StoreReport> {
  const folder = `${CHECK_PREFIX}${randomUUID()}/`;
  const scene = createScene(store, folder);
  try {
    const rows = [...(await checkAlone(scene)), ...(await checkRaces(scene)), ...(await checkLists(scene))];
    rows.push(...checkClock(store.now?.(), now()));
    const body = bodyOf('server');
    await scene.create('server', body);
    const served = await store.server?.check(`${folder}server`, body);
    return {
      verdict: verdictOf([...rows, ...(served?.rows ?? [])]),
      server: served?.server ?? null,
      requests: scene.requests() + (served?.requests ?? 0),
      rows: [...rows, ...(served?.rows ?? [])],
    };
  } finally {
    await scene.clear();
  }
}

function verdictOf(rows: readonly CheckedRow[]): StoreVerdict {
  const results = new Set(rows.map(({ result }) => result));
  if (results.has('unusable')) return 'unusable';
  return results.has('one-writer') ? 'one-writer' : 'safe';
}

/** The store with names below the folder of the check. It counts requests and remembers what it wrote. */
type Scene = {
  readonly create: (name: string, body: Buffer) => Promise<'created' | 'exists'>;
  readonly swap: (name: string, body: Buffer, expected: Etag) => Promise<Etag | 'conflict'>;
  readonly read: (name: string) => Promise<{ text: string; etag: Etag } | undefined>;
  readonly head: ObjectStore['head'];
  readonly names: () => Promise<string[]>;
  readonly requests: () => number;
  readonly clear: () => Promise<void>;
};

function createScene(store: ObjectStore, folder: string): Scene {
  const written = new Set<string>();
  let requests = 0;
  const counted = <T>(name: string, work: (key: string) => Promise<T>): Promise<T> => {
    requests += 1;
    return work(`${folder}${name}`);
  };
  return {
    create: (name, body) => {
      written.add(name);
      return counted(name, (key) => store.putIfAbsent(key, body, META));
    },
    swap: (name, body, expected) => {
      written.add(name);
      const swap = counted(name, (key) => store.compareAndSwap(key, body, expected, META));
      return unlessUnsafe(swap, 'conflict');
    },
    read: (name) =>
      counted(name, async (key) => {
        const found = await store.get(key);
        return found && { text: Buffer.from(found.bytes).toString('utf8'), etag: found.etag };
      }),
    head: (name) => counted(name, (key) => store.head(key)),
    async names() {
      requests += 1;
      const names: string[] = [];
      for await (const { key } of store.list(`${folder}list/`)) names.push(key.slice(folder.length));
      return names;
    },
    requests: () => requests,
    async clear() {
      requests += written.size;
      await Promise.all([...written].map((name) => store.delete(`${folder}${name}`)));
    },
  };
}

/** Returns a body unlike any other. */
function bodyOf(name: string): Buffer {
  return Buffer.from(`${name} ${randomUUID()}\n`);
}

/** Checks conditional writes one after the other, and that what was written is read. */
async function checkAlone(scene: Scene): Promise<CheckedRow[]> {
  const [first, second, third] = [bodyOf('first'), bodyOf('second'), bodyOf('third')];
  const created = await scene.create('alone', first);
  const again = await scene.create('alone', second);
  const read = await scene.read('alone');
  const head = await scene.head('alone');
  if (created !== 'created' || read === undefined || head === undefined)
    return [row('reading what was written', 'unusable', 'an object that was written is not there')];
  const swapped = await scene.swap('alone', third, read.etag);
  const after = await scene.read('alone');
  const stale = await scene.swap('alone', bodyOf('stale'), read.etag);
  const kept = await scene.read('alone');
  const absent = await scene.swap('absent', bodyOf('absent'), read.etag);
  return [
    judge('a second create', again === 'exists' && read.text === first.toString(), {
      holds: 'is refused',
      result: 'one-writer',
      saw: 'overwrites the first: If-None-Match is ignored',
    }),
    judge('a swap with the current ETag', swapped !== 'conflict' && after?.text === third.toString(), {
      holds: 'is done',
      result: 'unusable',
      saw: swapped === 'conflict' ? 'is refused (412)' : 'is not done',
    }),
    judge('a swap with an old ETag', stale === 'conflict' && kept?.text === after?.text, {
      holds: 'is refused',
      result: 'one-writer',
      saw: 'overwrites: If-Match is ignored',
    }),
    judge('a swap of an absent key', absent === 'conflict', {
      holds: 'is refused',
      result: 'one-writer',
      saw: 'creates it: If-Match is ignored',
    }),
    judge('ETags', read.etag === head.etag && (swapped === 'conflict' || after?.etag === swapped), {
      holds: 'of PUT, HEAD and GET are equal',
      result: 'unusable',
      saw: 'of PUT, HEAD and GET differ',
    }),
  ];
}

/** Checks that one of several writers wins. A server that loses one race needs no more of them. */
async function checkRaces(scene: Scene): Promise<CheckedRow[]> {
  const creates = await race(CREATE_RACES, async (round) => {
    const bodies = bodiesOf('create');
    const name = `create-${round}`;
    const results = await Promise.all(bodies.map((body) => scene.create(name, body)));
    return { results: results.map((each) => each === 'created'), bodies, read: await scene.read(name) };
  });
  await scene.create('swap', bodyOf('swap'));
  const swaps = await race(SWAP_RACES, async () => {
    const bodies = bodiesOf('swap');
    const expected = (await scene.read('swap'))?.etag ?? '"absent"';
    const results = await Promise.all(bodies.map((body) => scene.swap('swap', body, expected)));
    return { results: results.map((each) => each !== 'conflict'), bodies, read: await scene.read('swap') };
  });
  return [
    judgeRaces(`${WRITERS} creates at once`, CREATE_RACES, creates),
    judgeRaces(`${WRITERS} swaps at once`, SWAP_RACES, swaps),
  ];
}

function bodiesOf(name: string): Buffer[] {
  return Array.from({ length: WRITERS }, () => bodyOf(name));
}

type Race = {
  readonly results: readonly boolean[];
  readonly bodies: readonly Buffer[];
  readonly read: { readonly text: string } | undefined;
};

/** Runs races until one is lost. Resolves to what was wrong, or `undefined` if each had one winner, whose bytes stayed. */
async function race(rounds: number, run: (round: number) => Promise<Race>): Promise<string | undefined> {
  for (let round = 1; round <= rounds; round += 1) {
    const { results, bodies, read } = await run(round);
    const winners = bodies.filter((_, i) => results[i]).map((body) => body.toString());
    if (winners.length !== 1)
      return `${winners.length} of ${WRITERS} were told that they won, in race ${round}`;
    if (read?.text !== winners[0]) return `the bytes of another writer stayed, in race ${round}`;
  }
  return undefined;
}

function judgeRaces(what: string, rounds: number, lost: string | undefined): CheckedRow {
  const holds = `have one winner, in ${rounds} of ${rounds} races`;
  return judge(what, lost === undefined, { holds, result: 'one-writer', saw: lost ?? '' });
}

/** Checks that a list has every object once, in the order of the bytes of their names. */
async function checkLists(scene: Scene): Promise<CheckedRow[]> {
  await Promise.all(ORDERED.toReversed().map((name) => scene.create(`list/${name}`, bodyOf(name))));
  const listed = await unlessUnsafe(scene.names(), undefined);
  const expected = ORDERED.map((name) => `list/${name}`);
  return [
    judge('a list', listed?.join() === expected.join(), {
      holds: 'has every object, in order',
      result: 'unusable',
      saw:
        listed === undefined
          ? 'is not in the order of the keys'
          : 'lacks objects that were written, or repeats them',
    }),
  ];
}

/** Returns what an operation resolves to, or `otherwise` if the adapter of the store saw that the server breaks a promise. */
async function unlessUnsafe<T, O>(operation: Promise<T>, otherwise: O): Promise<T | O> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'unsafe') return otherwise;
    throw error;
  }
}

/** Compares the clock of the store, if it has one, with that of this machine. */
function checkClock(clockMs: number | undefined, nowMs: number): CheckedRow[] {
  if (clockMs === undefined) return [];
  const skewMs = Math.abs(clockMs - nowMs);
  const holds = `is ${Math.round(skewMs / 1000)} s from that of this machine`;
  return [
    judge('the clock', skewMs <= MAX_SKEW_MS, { holds, result: 'note', saw: `${holds}: links end early` }),
  ];
}

/** Returns the row of a promise that holds or not. */
export function judge(
  what: string,
  isKept: boolean,
  { holds, result, saw }: { holds: string; result: CheckedRow['result']; saw: string },
): CheckedRow {
  return isKept ? row(what, 'holds', holds) : row(what, result, saw);
}

function row(what: string, result: CheckedRow['result'], saw: string): CheckedRow {
  return { what, result, saw };
}
