import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import { formatInputFault } from '../../../generator/core/input/input-series.js';
import { openInputFolder, toDirectory, type InputFolder } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { createRandom, pick } from '../../support/random/seeded.js';
import { writeInput, metricsCsv, SOURCES } from '../../support/release/small-input.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { sha256Hex } from '../../../schemas/digest.js';

/** The files of an input by name. */
type FuzzInput = { readonly [name: string]: Buffer };

type Random = () => number;

const VALID = makeValidInput();
const TOKENS = [
  '"', '""', ',', ',,', '\n', '\r', '\r\n', '\0', '\t', ' ', '\ufeff', '½', '\u2028', '-', '.', 'e', '1e999',
  '{', '}', '[', ']', ':', '\\', '\\u', '\\ud800', '//', '/*', '*/', 'null', 'true', '01', '[},', '{"a":', '"a",',
  'date', '2025-01-01', '9999-12-31', 'PriceUSD', '__proto__', '9007199254740992', '9'.repeat(40), '0'.repeat(40),
  '"bitcoin":', '"files":', '"name": "x",', '"from": "2025-01-03",', '{"name":"x","licence":"y"},',
] as const; // prettier-ignore

/** Returns an input that is valid but for one to six mutations. Fewer than one in a hundred are larger than a megabyte. */
function mutateInput(random: Random): FuzzInput {
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

/** Number of inputs. */
const INPUTS = Number(process.env['CRD_TEST_INPUT_FUZZ'] ?? '1000');
const SEED = Number(process.env['CRD_TEST_FUZZ_SEED'] ?? '1');
/** Every so many inputs, one is also read from a directory. */
const DIRECTORY_EVERY = 10;
/** Every so many inputs, what they left in memory is collected. */
const COLLECT_EVERY = 50;
const MAX_MS = 2_000;
const MAX_MEMORY_MB = 300;
const SLOW_MS = 3_600_000;
const META = { contentType: 'application/octet-stream', cacheControl: 'no-store' };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // what the flag exposes

async function toPrefix(files: FuzzInput): Promise<InputFolder> {
  const store = createMemoryStore();
  for (const [name, body] of Object.entries(files)) await store.putIfAbsent(name, body, META);
  return openInputFolder('s3://bucket/metrics', () => Promise.resolve(store));
}

/** Reads an input. Returns the number of dates of each chain, and the faults as the operator reads them. */
async function readOutcome(folder: InputFolder): Promise<readonly string[]> {
  try {
    const { series, faults, invalid } = await readInput({ folder, asOfMs: Date.parse('2026-01-01') });
    expect(series.length + faults.length).toBeGreaterThan(0);
    expect(invalid.filter((chain) => series.some((each) => each.chain === chain))).toEqual([]);
    const dates = series.map(({ chain, dates: { length } }) => `${chain} ${length}`);
    return [...dates, ...faults.map(formatInputFault)];
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'usage') return ['no metrics'];
    throw error;
  }
}

it(
  'each mutated input is accepted or refused within 2 s and 300 MB, and from a directory like from a bucket',
  async () => {
    const temporary = await createTemporaryFolder();
    const random = createRandom(SEED);
    collectGarbage();
    const { rss: bytesAtStart } = process.memoryUsage();
    let mostBytes = 0; // sampled: the peak of the process includes the suites before this one
    let accepted = 0;
    for (let i = 0; i < INPUTS; i += 1) {
      const files = mutateInput(random);
      const before = process.cpuUsage();
      const found = await readOutcome(await toPrefix(files)).catch((error: unknown) => {
        throw new Error(`input ${i} of seed ${SEED}`, { cause: error });
      });
      const { user, system } = process.cpuUsage(before);
      if (found.every((line) => /^[a-z]+ \d+$/.test(line))) accepted += 1;
      expect(found.every((line) => line.length < 1_000 && !/\p{Cc}/u.test(line))).toBe(true);
      if ((user + system) / 1_000 > MAX_MS) throw new Error(`input ${i} of seed ${SEED} is slow`);
      mostBytes = Math.max(mostBytes, process.memoryUsage().rss);
      if (i % COLLECT_EVERY === 0) collectGarbage();
      if (i % DIRECTORY_EVERY === 0) {
        const folder = path.join(temporary.path, 'input');
        await rm(folder, { recursive: true, force: true });
        const inDirectory = await readOutcome(toDirectory(await writeInput(folder, files)));
        expect({ i, found: inDirectory }).toEqual({ i, found });
      }
    }
    await temporary.dispose();
    expect((mostBytes - bytesAtStart) / 1e6).toBeLessThan(MAX_MEMORY_MB);
    expect(accepted).toBeGreaterThan(INPUTS / 100);
    expect(accepted).toBeLessThan(INPUTS / 2);
  },
  SLOW_MS,
);
