import { createMemoryStore } from '../../infra/store/memory-store.js';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { openInputFolder, type InputFolder } from '../../generator/io/input-folder.js';
import { readInput, type Input } from '../../generator/io/read-input.js';
import { metricsCsv, sourcesJson, writeInput } from '../fixtures/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

type Files = { readonly [name: string]: string | Uint8Array };

const META = { contentType: 'text/csv', cacheControl: 'no-store' };
const AS_OF_MS = Date.parse('2026-01-01T00:00:00Z');
const SOUND: Files = {
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

const below = async (files: Files): Promise<InputFolder> =>
  openInputFolder('s3://bucket/metrics', () => storeOf(files));
const read = async (folder: InputFolder, chains?: ['base']): Promise<Input> =>
  readInput({ folder, asOfMs: AS_OF_MS, ...(chains ? { chains } : {}) });

const CASES: readonly (readonly [string, Files])[] = [
  ['a sound input', SOUND],
  ['an input without sources', { 'base.csv': metricsCsv('base', 3) }],
  ['sources that are not JSON', { ...SOUND, 'sources.json': '{"base": [' }],
  ['text that is not UTF-8', { ...SOUND, 'base.csv': NOT_UTF8 }],
  ['an empty file', { ...SOUND, 'base.csv': '' }],
  ['a file of no chain', { ...SOUND, 'solana.csv': 'date,tx_count\n' }],
];

describe('below a prefix of a bucket, as in a directory, reads', () => {
  it.each(CASES)('%s', async (name, files) => {
    const directory = await writeInput(`${temporary.path}/${name}`, files);
    const nowhere = (): Promise<ObjectStore> => Promise.reject(new Error('a directory opens no store'));
    const expected = await read(await openInputFolder(directory, nowhere));
    expect(await read(await below(files))).toEqual(expected);
    expect(expected.series.length + expected.faults.length).toBeGreaterThan(0);
  });
});

it('passes over what lies in folders within the prefix', async () => {
  const files = { ...SOUND, 'old/base.csv': 'nonsense', 'reports/today.csv': 'nonsense' };
  expect(await read(await below(files))).toEqual(await read(await below(SOUND)));
});

it('says what is missing by the address that was typed', async () => {
  await expect(read(await below({}))).rejects.toThrow(
    's3://bucket/metrics holds none of bitcoin.csv, ethereum.csv, arbitrum.csv, base.csv; give',
  );
  const { 'base.csv': _, ...rest } = SOUND;
  await expect(read(await below(rest), ['base'])).rejects.toThrow(
    '--chain base: there is no base.csv in s3://bucket/metrics',
  );
});

it('takes a bucket that does not answer for no fault of the input', async () => {
  const down = new StoreError('unavailable', 'the server is silent');
  for (const name of Object.keys(SOUND)) {
    const store = await storeOf(SOUND);
    const failing = {
      ...store,
      get: (key: string) => (key === name ? Promise.reject(down) : store.get(key)),
    };
    await expect(read(await openInputFolder('s3://bucket', () => Promise.resolve(failing)))).rejects.toBe(
      down,
    );
  }
});
