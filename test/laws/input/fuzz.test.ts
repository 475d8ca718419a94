import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import { formatInputFault } from '../../../generator/core/input/input-series.js';
import { openInputFolder, toDirectory, type InputFolder } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import { mutateInput, type FuzzInput } from '../../support/fuzz/fuzz-inputs.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';
import { createRandom } from '../../support/random/seeded.js';
import { writeInput } from '../../support/release/small-input.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

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
