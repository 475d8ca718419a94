import { MAX_OBJECT_BYTES, type ListedObject, type ObjectHead } from '../../../infra/store/object-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { pick } from '../random/seeded.js';

/** Values that no member of a document of the product has. */
const VALUES: readonly unknown[] = [
  ...[null, true, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER, '', '../x', '/x', '__proto__', '\u0000', '\ud800'],
  ...[[], {}, [[]], { a: {} }, '9999-12-31', '2022-02-30', 'a'.repeat(64), 'x'.repeat(10_000)],
];

/** Ways to change the bytes of an object. Each gets the true bytes, those of another object, and as many as may be answered. */
const BODIES = {
  empty: () => Buffer.alloc(0),
  truncate: ({ bytes, random }) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  extend: ({ bytes, random }) =>
    Buffer.concat([
      bytes,
      Buffer.from(pick([' ', '\n', '\u0000', '{}', ']'], random).repeat(1 + random() * 9)),
    ]),
  spaces: ({ bytes, maxBytes }) => Buffer.concat([bytes, Buffer.alloc(Math.min(maxBytes, 9_000_000), ' ')]),
  flip({ bytes, random }) {
    const flipped = Buffer.from(bytes);
    const at = Math.floor(random() * bytes.length);
    if (bytes.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return flipped;
  },
  swap: ({ other }) => other,
  json: ({ bytes, random }) => Buffer.from(changeJson(bytes.toString('utf8'), random)),
  duplicate: ({ bytes }) => Buffer.from(bytes.toString('utf8').replace(/^\{("[^"]*":[^,]*),/, '{$1,$1,')),
  nest: ({ random }) => Buffer.from(pick(['[', '{"a":', '[[1],'], random).repeat(1 + random() * 50_000)),
  prototype: ({ bytes }) => Buffer.from(bytes.toString('utf8').replace(/^\{/, '{"__proto__":{"schema":1},')),
  huge: ({ maxBytes, random }) => Buffer.alloc(maxBytes, pick([' ', '[', '9', '\u0000'], random)),
} satisfies Record<string, (given: GivenBody) => Buffer>;

type GivenBody = {
  readonly bytes: Buffer;
  readonly other: Buffer;
  readonly maxBytes: number;
  readonly random: () => number;
};

/** A way to change the bytes of an object. */
export type BodyChange = keyof typeof BODIES;
export const BODY_CHANGES = Object.keys(BODIES) as readonly BodyChange[]; // Object.keys loses the key type

/** Returns changed bytes, at most as many as were asked for. */
export function changeBody(how: BodyChange, given: GivenBody): Buffer {
  return BODIES[how](given).subarray(0, Math.min(given.maxBytes, MAX_OBJECT_BYTES));
}

type Place = { readonly holder: Record<string, unknown>; readonly name: string };

const valueAt = ({ holder, name }: Place): unknown => holder[name];

/** Returns a text with a changed value, or without a member; the text itself if it is not JSON. */
export function changeJson(text: string, random: () => number): string {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return text;
  }
  const root: Record<string, unknown> = { document };
  const places: Place[] = [];
  const visit = (holder: Record<string, unknown>): void => {
    for (const name of Object.keys(holder)) {
      places.push({ holder, name });
      const value = holder[name];
      if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>); // an array has indexes as names
    }
  };
  visit(root);
  const { holder, name } = pick(places, random);
  if (random() < 0.2) Reflect.deleteProperty(holder, name);
  else holder[name] = random() < 0.3 ? structuredClone(valueAt(pick(places, random))) : pick(VALUES, random);
  return JSON.stringify(root['document'] ?? null);
}

/** Ways to change the metadata of an object. */
const HEADS = {
  digest: (head, random) => ({ ...head, sha256: sha256Hex(String(random())) }),
  length: (head, random) => ({
    ...head,
    sizeBytes: pick([0, head.sizeBytes + 1, MAX_OBJECT_BYTES, -1], random),
  }),
  etag: (head) => ({ ...head, etag: '"other"' }),
  old: (head) => ({ ...head, modifiedAtMs: 0 }),
  future: (head) => ({ ...head, modifiedAtMs: head.answeredAtMs * 2 }),
  'no time': (head) => ({ ...head, modifiedAtMs: NaN, answeredAtMs: NaN }),
  'late clock': (head) => ({ ...head, answeredAtMs: 8.64e15 }),
  'early clock': (head) => ({ ...head, answeredAtMs: 0 }),
} satisfies Record<string, (head: ObjectHead, random: () => number) => ObjectHead>;

/** A way to change the metadata of an object. */
export type HeadChange = keyof typeof HEADS;
export const HEAD_CHANGES = Object.keys(HEADS) as readonly HeadChange[]; // Object.keys loses the key type

export function changeHead(how: HeadChange, head: ObjectHead, random: () => number): ObjectHead {
  return HEADS[how](head, random);
}

/** Names that a list of a store never has, or that no release has. */
const NAMES = [
  ...['../x', '/etc/passwd', '', '.', 'x//y', 'a\u0000b', '%2e%2e/x', '__proto__', 'x'.repeat(2_000)],
  ...['public/../current.json', 'public/api/v1/evil', 'public//x', 'public/.x', 'public/index.html/x'],
  ...['releases/2022-02-01.000001/x.json', `releases/2022-02-01.000009/${'a'.repeat(64)}.json`],
  ...[`releases/2022-02-01.000009/${'b'.repeat(64)}.jws`, `releases/../${'a'.repeat(64)}.json`],
  ...[`objects/sha256/${'c'.repeat(64)}`, `objects/sha256/../${'c'.repeat(64)}`, 'objects/sha256/x'],
  ...[
    'current.json',
    'store.json',
    'public/.well-known/chain-reference-data/keys.jws',
    'public/api/v1/status',
  ],
  'public/api/v1/analyst-kit/arbitrum/weekly-summaries/2022',
];
const ENDLESS = 20_000;

/** Ways to change a list. Each gets the true list and the prefix. */
const LISTS = {
  names: ({ objects, random }) => [...objects, ...NAMES.filter(() => random() < 0.5).map(toListed)],
  below: ({ objects, prefix, random }) => [
    ...objects,
    ...NAMES.filter(() => random() < 0.5).map((name) => toListed(prefix + name)),
  ],
  repeated: ({ objects }) => objects.flatMap((each) => [each, each]),
  reversed: ({ objects }) => [...objects].reverse(),
  missing: ({ objects, random }) => objects.filter(() => random() < 0.7),
  empty: () => [],
  endless: ({ objects, prefix }) => [
    ...objects,
    ...Array.from({ length: ENDLESS }, (_, i) => toListed(`${prefix}~${i}`)),
  ],
  'endless objects': ({ prefix }) =>
    Array.from({ length: ENDLESS }, (_, i) => toListed(`${prefix}${String(i).padStart(64, '0')}`)),
  old: ({ objects }) => objects.map((each) => ({ ...each, modifiedAtMs: 0 })),
} satisfies Record<string, (given: GivenList) => readonly ListedObject[]>;

type GivenList = {
  readonly objects: readonly ListedObject[];
  readonly prefix: string;
  readonly random: () => number;
};

const toListed = (key: string): ListedObject => ({ key, sizeBytes: 10, modifiedAtMs: 0 });

/** A way to change a list. */
export type ListChange = keyof typeof LISTS;
export const LIST_CHANGES = Object.keys(LISTS) as readonly ListChange[]; // Object.keys loses the key type

export function changeList(how: ListChange, given: GivenList): readonly ListedObject[] {
  return LISTS[how](given);
}
