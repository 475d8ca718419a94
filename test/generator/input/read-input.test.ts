import { execFileSync } from 'node:child_process';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { openInputFolder, toDirectory, type InputFolder } from '../../../generator/input/input-folder.js';
import { formatInputFault } from '../../../generator/core/input/input-series.js';
import { readInput, type Input } from '../../../generator/input/read-input.js';
import { metricsCsv, sourcesJson, writeInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

type Files = { readonly [name: string]: string | Uint8Array };

const META = { contentType: 'text/csv', cacheControl: 'no-store' };
const AS_OF_MS = Date.parse('2026-01-01T00:00:00Z');
const VALID: Files = {
  'base.csv': metricsCsv('base', 9),
  'bitcoin.csv': metricsCsv('bitcoin', 7),
  'sources.json': sourcesJson(['base', 'bitcoin']),
};
const NOT_UTF8 = Buffer.concat([Buffer.from(metricsCsv('base', 3)), Buffer.from([0xff, 0x0a])]);

let temporary: TemporaryFolder;
beforeAll(async () => {
  temporary = await createTemporaryFolder();
});
afterAll(() => temporary.dispose());

async function storeOf(files: Files): Promise<ObjectStore> {
  const store = createMemoryStore();
  for (const [name, body] of Object.entries(files)) {
    await store.putIfAbsent(name, typeof body === 'string' ? Buffer.from(body) : body, META);
  }
  return store;
}

const openPrefix = async (files: Files): Promise<InputFolder> =>
  openInputFolder('s3://bucket/metrics', () => storeOf(files));
const read = async (folder: InputFolder, chains?: ['base']): Promise<Input> =>
  readInput({ folder, asOfMs: AS_OF_MS, ...(chains ? { chains } : {}) });

const CASES: readonly (readonly [string, Files])[] = [
  ['a valid input', VALID],
  ['an input without sources', { 'base.csv': metricsCsv('base', 3) }],
  ['sources that are not JSON', { ...VALID, 'sources.json': '{"base": [' }],
  ['text that is not UTF-8', { ...VALID, 'base.csv': NOT_UTF8 }],
  ['an empty file', { ...VALID, 'base.csv': '' }],
  ['a file of an unknown chain', { ...VALID, 'solana.csv': 'date,tx_count\n' }],
];

describe('readInput', () => {
  it.each(CASES)(
    'returns the same for a bucket as for a directory, which is a path or file:PATH: %s',
    async (name, files) => {
      const directory = await writeInput(`${temporary.path}/${name}`, files);
      const nowhere = (): Promise<ObjectStore> => Promise.reject(new Error('a directory opens no store'));
      const expected = await read(await openInputFolder(directory, nowhere));
      expect(await read(await openPrefix(files))).toEqual(expected);
      for (const address of [`file:${directory}`, `file://${directory}`])
        expect(await read(await openInputFolder(address, nowhere))).toEqual(expected);
      expect(expected.series.length + expected.faults.length).toBeGreaterThan(0);
    },
  );

  it('refuses a named pipe, which might never end', async () => {
    const directory = await writeInput(`${temporary.path}/pipe`, { 'sources.json': sourcesJson(['base']) });
    execFileSync('mkfifo', [`${directory}/base.csv`]);
    const { faults, invalid } = await read(toDirectory(directory));
    expect(faults.map(formatInputFault)).toEqual(['base.csv: is not a file. Put a file of this name there.']);
    expect(invalid).toEqual(['base']);
  });

  it('ignores files in subfolders of the prefix', async () => {
    const files = { ...VALID, 'old/base.csv': 'nonsense', 'reports/today.csv': 'nonsense' };
    expect(await read(await openPrefix(files))).toEqual(await read(await openPrefix(VALID)));
  });

  it('names the address as it was typed when a file is missing', async () => {
    await expect(read(await openPrefix({}))).rejects.toThrow(
      's3://bucket/metrics contains none of bitcoin.csv, ethereum.csv, arbitrum.csv, base.csv. Name',
    );
    const { 'base.csv': _, ...rest } = VALID;
    await expect(read(await openPrefix(rest), ['base'])).rejects.toThrow(
      'There is no base.csv in s3://bucket/metrics. Add it, or omit --chain base.',
    );
  });

  it('throws the error of a bucket that does not answer and reports no input fault', async () => {
    const down = new StoreError('unavailable', 'the server is silent');
    for (const name of Object.keys(VALID)) {
      const store = await storeOf(VALID);
      const failing = {
        ...store,
        get: (key: string) => (key === name ? Promise.reject(down) : store.get(key)),
      };
      await expect(read(await openInputFolder('s3://bucket', () => Promise.resolve(failing)))).rejects.toBe(
        down,
      );
    }
  });
});
