import { sha256Hex } from '../../../schemas/digest.js';
import { pick } from '../random/seeded.js';
import { metricsCsv, SOURCES } from '../release/small-input.js';

/** The files of an input by name. */
export type FuzzInput = { readonly [name: string]: Buffer };

type Random = () => number;

const VALID = makeValidInput();
const TOKENS = [
  ...['"', '""', ',', ',,', '\n', '\r', '\r\n', '\0', '\t', ' ', '\ufeff', '½', '\u2028', '-', '.', 'e', '1e999'],
  ...['{', '}', '[', ']', ':', '\\', '\\u', '\\ud800', '//', '/*', '*/', 'null', 'true', '01', '[},', '{"a":', '"a",'],
  ...['date', '2025-01-01', '9999-12-31', 'PriceUSD', '__proto__', '9007199254740992', '9'.repeat(40), '0'.repeat(40)],
  ...['"bitcoin":', '"files":', '"name": "x",', '"from": "2025-01-03",', '{"name":"x","licence":"y"},'],
] as const; // prettier-ignore

/** Returns an input that is valid but for one to six mutations. Fewer than one in a hundred are larger than a megabyte. */
export function mutateInput(random: Random): FuzzInput {
  const input = new Map(Object.entries(VALID));
  for (let left = Math.ceil(random() * random() * 6); left > 0; left -= 1) {
    const name = pick(Object.keys(VALID), random);
    const change = pick(FILE_CHANGES, random);
    input.set(name, change(input.get(name) ?? Buffer.alloc(0), random));
    if (random() < 0.02) input.delete(name);
    if (random() < 0.02)
      input.set(pick(['solana.csv', 'BASE.CSV', 'notes.txt', '\u001b[2J.csv'], random), Buffer.from('x'));
  }
  return Object.fromEntries(input);
}

function makeValidInput(): FuzzInput {
  const tables = { 'bitcoin.csv': metricsCsv('bitcoin', 40), 'base.csv': metricsCsv('base', 25) };
  const sources = {
    bitcoin: [...SOURCES, { name: 'Other', licence: 'CC0', from: '2025-01-20', notes: 'recalculated' }],
    base: SOURCES,
    files: { base: { rows: 25, sha256: sha256Hex(tables['base.csv']) } },
  };
  const texts = { ...tables, 'sources.json': `${JSON.stringify(sources, null, 2)}\n` };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
}

const FILE_CHANGES: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  flipBytes,
  (bytes, random) => bytes.subarray(0, indexIn(bytes, random)),
  (bytes, random) => insert(bytes, Buffer.from(pick(TOKENS, random)), random),
  (bytes, random) => insert(bytes, sliceOf(bytes, random), random),
  (bytes, random) => insert(bytes, sliceOf(VALID[pick(Object.keys(VALID), random)] ?? bytes, random), random),
  (bytes, random) => insert(bytes, repeat(pick(TOKENS, random), random), random),
  (bytes, random) => repeat(pick(TOKENS, random), random, bytes),
  removeSlice,
];

function indexIn(bytes: Buffer, random: Random): number {
  return Math.floor(random() * (bytes.length + 1));
}

function sliceOf(bytes: Buffer, random: Random): Buffer {
  const start = indexIn(bytes, random);
  return bytes.subarray(start, start + Math.ceil(random() * 80));
}

function insert(bytes: Buffer, piece: Buffer, random: Random): Buffer {
  const at = indexIn(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

function removeSlice(bytes: Buffer, random: Random): Buffer {
  const slice = sliceOf(bytes, random);
  const at = slice.byteOffset - bytes.byteOffset;
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + slice.length)]);
}

function flipBytes(bytes: Buffer, random: Random): Buffer {
  const flipped = Buffer.from(bytes);
  if (flipped.length === 0) return flipped;
  for (let left = Math.ceil(random() * 4); left > 0; left -= 1)
    flipped[Math.floor(random() * flipped.length)] = Math.floor(random() * 256);
  return flipped;
}

/** Returns a token many times: usually up to 100 kB, sometimes up to 20 MB. */
function repeat(token: string, random: Random, before: Buffer = Buffer.alloc(0)): Buffer {
  const size = 10 ** (1 + random() * (random() < 0.06 ? 6.3 : 4));
  return Buffer.concat([before, Buffer.from(token.repeat(Math.ceil(size / token.length)))]);
}
