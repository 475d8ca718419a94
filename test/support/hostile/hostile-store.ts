import { assertKey } from '../../../infra/store/object-key.js';
import {
  MAX_OBJECT_BYTES,
  type ObjectHead,
  type ObjectStore,
  StoreError,
  type StoredObject,
} from '../../../infra/store/object-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { pick } from '../random/seeded.js';
import {
  BODY_CHANGES,
  type BodyChange,
  changeBody,
  changeHead,
  changeList,
  HEAD_CHANGES,
  type HeadChange,
  LIST_CHANGES,
  type ListChange,
} from './hostile-answers.js';

/** Operations after which a case counts as endless. */
const MAX_OPERATIONS = 60_000;

/** Groups of keys that an attack is about. */
const GROUPS: readonly (readonly [name: string, isIn: (key: string) => boolean])[] = [
  ['the pointer', (key) => key === 'current.json'],
  ['aliases.json', (key) => key === 'aliases.json'],
  ['gc.json', (key) => key === 'gc.json'],
  ['store.json', (key) => key === 'store.json'],
  ['refusal.json', (key) => key === 'refusal.json'],
  ['records', (key) => /^releases\/.*json$/.test(key)],
  ['statements', (key) => /^releases\/.*jws$/.test(key)],
  ['signed files', (key) => /^public\/.*(jws|releases\.json)$/.test(key)],
  ['artifacts', (key) => key.startsWith('objects/')],
  ['public copies', (key) => key.startsWith('public/')],
  ['all', () => true],
];

/** What an attack does to an operation that it is about. */
type Act =
  | { readonly on: 'get'; readonly how: BodyChange | 'absent' | 'error' }
  | { readonly on: 'head'; readonly how: HeadChange | 'absent' | 'error' }
  | { readonly on: 'list'; readonly how: ListChange | 'error' }
  | {
      readonly on: 'write';
      readonly how: 'refused' | 'lost' | 'done and refused' | 'done and failed' | 'error';
    }
  | { readonly on: 'delete'; readonly how: 'lost' | 'error' };

type Attack = {
  readonly act: Act;
  readonly what: string;
  readonly isAbout: (key: string) => boolean;
  /** Returns whether the attack takes place at its n-th occasion, from 0. */
  readonly isDue: (n: number) => boolean;
  occasions: number;
};

/** A write or deletion that a store was asked for, whether it did it or not. */
export type AskedWrite = { readonly key: string; readonly body: Uint8Array | undefined };

/** A store that answers falsely. */
export type HostileStore = {
  readonly store: ObjectStore;
  /** What it does, for messages. */
  readonly attacks: readonly string[];
  readonly asked: readonly AskedWrite[];
  /** The digest of each answer to a GET, by key. */
  readonly served: ReadonlyMap<string, readonly string[]>;
  /** True if it was used so often that the run would not end. */
  readonly isEndless: () => boolean;
};

/** Options for `createHostileStore`. */
type HostileOptions = {
  /** The keys of the true store. */
  readonly keys: readonly string[];
  readonly random: () => number;
  readonly address: string;
  /** True if the command writes to it. */
  readonly isTarget: boolean;
  /** Called for each operation. */
  readonly onOperation: () => void;
};

/** Wraps a store with one to three attacks. It refuses keys that no adapter accepts, as an adapter does. */
export function createHostileStore(behind: ObjectStore, options: HostileOptions): HostileStore {
  const { random, keys, address, onOperation } = options;
  const attacks = Array.from({ length: 1 + Math.floor(random() * 3) }, () => drawAttack(options));
  const asked: AskedWrite[] = [];
  const served = new Map<string, string[]>();
  let operations = 0;

  function begin(key: string): void {
    onOperation();
    operations += 1;
    if (operations > MAX_OPERATIONS) throw new Error(`endless: ${key}`);
  }
  /** Returns what is done to an operation; `undefined` if it is answered truly. */
  function attackOn<O extends Act['on']>(on: O, key: string): Extract<Act, { on: O }>['how'] | undefined {
    const attack = attacks.find((each) => each.act.on === on && each.isAbout(key));
    if (attack === undefined) return undefined;
    attack.occasions += 1;
    return attack.isDue(attack.occasions - 1) ? (attack.act.how as never) : undefined; // of the kind that was found
  }
  const fail = (key: string): StoreError => {
    const code = pick(['unavailable', 'unavailable', 'locked', 'address'] as const, random);
    return new StoreError(code, `${key}: the server fails`);
  };
  async function write<T>(
    key: string,
    body: Uint8Array,
    refusal: T,
    done: T,
    run: () => Promise<T>,
  ): Promise<T> {
    begin(key);
    assertKey(key);
    asked.push({ key, body });
    const how = attackOn('write', key);
    if (how === 'refused') return refusal;
    if (how === 'lost') return done;
    if (how === 'error') throw fail(key);
    const result = await run();
    if (how === 'done and failed') throw fail(key);
    return how === 'done and refused' ? refusal : result;
  }

  const store: ObjectStore = {
    address,
    async get(key, maxBytes = MAX_OBJECT_BYTES): Promise<StoredObject | undefined> {
      begin(key);
      const how = attackOn('get', assertKey(key));
      if (how === 'error') throw fail(key);
      const found = await behind.get(key);
      const answered = how === undefined ? found : await answer(how, key, found, maxBytes);
      const bytes = answered?.bytes.subarray(0, maxBytes);
      if (answered === undefined || bytes === undefined) return undefined;
      served.set(key, [...(served.get(key) ?? []), sha256Hex(bytes)]);
      return { ...answered, bytes };
    },
    async head(key): Promise<ObjectHead | undefined> {
      begin(key);
      const how = attackOn('head', assertKey(key));
      if (how === 'error') throw fail(key);
      const found = await behind.head(key);
      return how === undefined
        ? found
        : how === 'absent' || !found
          ? undefined
          : changeHead(how, found, random);
    },
    putIfAbsent: (key, body, meta) =>
      write(key, body, 'exists', 'created', () => behind.putIfAbsent(key, body, meta)),
    compareAndSwap: (key, body, expected, meta) =>
      write(key, body, 'conflict', '"written"', () => behind.compareAndSwap(key, body, expected, meta)),
    async *list(prefix) {
      begin(prefix);
      const objects = [];
      for await (const each of behind.list(prefix)) objects.push(each);
      const how = attackOn('list', prefix);
      if (how === 'error') {
        yield* objects.slice(0, 3);
        throw fail(prefix);
      }
      for (const each of how === undefined ? objects : changeList(how, { objects, prefix, random })) {
        onOperation();
        yield each;
      }
    },
    async delete(key) {
      begin(key);
      assertKey(key);
      asked.push({ key, body: undefined });
      const how = attackOn('delete', key);
      if (how === 'error') throw fail(key);
      if (how === undefined) await behind.delete(key);
    },
    ...(random() < 0.1 ? { now: () => [0, 8.64e15, 8.65e15][Math.floor(random() * 4)] } : {}),
  };

  async function answer(
    how: BodyChange | 'absent',
    key: string,
    found: StoredObject | undefined,
    maxBytes: number,
  ): Promise<StoredObject | undefined> {
    if (how === 'absent') return undefined;
    const otherKey = pick(
      keys.filter((each) => random() < 0.5 || each.slice(-4) === key.slice(-4)).concat(keys),
      random,
    );
    const other = Buffer.from((await behind.get(otherKey))?.bytes ?? []);
    const given = { bytes: Buffer.from(found?.bytes ?? []), other, maxBytes, random };
    return { bytes: changeBody(how, given), etag: random() < 0.5 && found ? found.etag : '"changed"' };
  }

  return {
    store,
    attacks: attacks.map(({ what }) => what),
    asked,
    served,
    isEndless: () => operations > MAX_OPERATIONS,
  };
}

const READS = ['get', 'get', 'get', 'head', 'list'] as const;
const WRITES = ['write', 'write', 'delete'] as const;

function drawAct({ random, isTarget }: HostileOptions): Act {
  const on = pick([...READS, ...(isTarget ? WRITES : [])], random);
  switch (on) {
    case 'get':
      return { on, how: pick([...BODY_CHANGES, 'absent', 'error'] as const, random) };
    case 'head':
      return { on, how: pick([...HEAD_CHANGES, 'absent', 'error'] as const, random) };
    case 'list':
      return { on, how: pick([...LIST_CHANGES, 'error'] as const, random) };
    case 'write':
      return {
        on,
        how: pick(['refused', 'lost', 'done and refused', 'done and failed', 'error'] as const, random),
      };
    case 'delete':
      return { on, how: pick(['lost', 'error'] as const, random) };
  }
}

function drawAttack(options: HostileOptions): Attack {
  const { keys, random } = options;
  const act = drawAct(options);
  const [name, isIn] = act.on === 'list' ? (['any prefix', () => true] as const) : pick(GROUPS, random);
  const own = keys.filter(isIn);
  const one = own.length > 0 && random() < 0.5 ? pick(own, random) : undefined;
  const at = Math.floor(random() * 4);
  const [when, isDue] = pick<readonly [string, (n: number) => boolean]>(
    [
      ['always', () => true],
      ['always', () => true],
      [`once, at ${at}`, (n) => n === at],
      [`from ${at}`, (n) => n >= at],
      ['now and then', () => random() < 0.5],
    ],
    random,
  );
  return {
    act,
    what: `${act.on} of ${act.on === 'list' ? name : (one ?? name)}: ${act.how}, ${when}`,
    isAbout: one === undefined || act.on === 'list' ? isIn : (key) => key === one,
    isDue,
    occasions: 0,
  };
}
