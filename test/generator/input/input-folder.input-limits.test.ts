import { openInputFolder, toDirectory, type InputFolder } from '../../../generator/input/input-folder.js';
import { readInput, type Input } from '../../../generator/input/read-input.js';
import { formatInputFault } from '../../../generator/core/input/input-series.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { metricsCsv, sourcesJson, writeInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const META = { contentType: 'text/csv', cacheControl: 'no-store' };
const CSV = metricsCsv('base', 3);
const VALID = { 'base.csv': CSV, 'sources.json': sourcesJson(['base']) };
const OTHER_FILE = 'Make sure that it is the right file, and remove what does not belong there.';
const WRITE = 'Write {"bitcoin": [{"name": "...", "licence": "..."}]}.';

type Files = Readonly<Record<string, string>>;

let temporary: TemporaryFolder;
beforeAll(async () => {
  temporary = await createTemporaryFolder();
});
afterAll(() => temporary.dispose());

const OPEN: Readonly<Record<string, (files: Files) => Promise<InputFolder>>> = {
  async directory(files) {
    const name = `${Object.values(files).join().length}`;
    return toDirectory(await writeInput(`${temporary.path}/${name}`, files));
  },
  async bucket(files) {
    const store = createMemoryStore();
    for (const [name, text] of Object.entries(files)) await store.putIfAbsent(name, Buffer.from(text), META);
    const neverRead = (key: string): ReturnType<typeof store.get> =>
      (files[key]?.length ?? 0) > 16_000_000
        ? Promise.reject(new Error('read a large object'))
        : store.get(key);
    return openInputFolder('s3://bucket', () => Promise.resolve({ ...store, get: neverRead }));
  },
};

const read = async (folder: InputFolder): Promise<Input> =>
  readInput({ folder, asOfMs: Date.parse('2026-01-01T00:00:00Z') });

/** Returns a source whose name has so many characters. */
const named = (characters: number): Files => ({
  ...VALID,
  'sources.json': JSON.stringify({ base: [{ name: 'x'.repeat(characters), licence: 'CC0' }] }),
});
/** Returns sources with so many bytes. */
const sized = (bytes: number): Files => ({ ...VALID, 'sources.json': sourcesJson(['base']).padEnd(bytes) });
const nested = (levels: number): Files => ({
  ...VALID,
  'sources.json': `{"base": ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`,
});
/** Returns sources with so many segments of the chain. */
const listed = (segments: number, segment: string): Files => ({
  ...VALID,
  'sources.json': `{"base": [${Array.from({ length: segments }, () => segment).join()}]}`,
});
/** Returns a table whose line 2 has so many bytes, with its line end. */
const withLine = (bytes: number): Files => ({
  ...VALID,
  'base.csv': CSV.replace(/^2025-01-01,/m, (start) => {
    const [, second = ''] = CSV.split('\n');
    return start + '0'.repeat(bytes - second.length - 1);
  }),
});

const REFUSED: readonly (readonly [string, Files, string])[] = [
  [
    'a metrics file of 20 MB without a line end',
    { ...VALID, 'base.csv': 'x'.repeat(20_000_000) },
    `base.csv: has 20,000,000 bytes, more than the limit of 16,000,000. ${OTHER_FILE}`,
  ],
  [
    'a line of 10,001 bytes',
    withLine(10_001),
    'base.csv:2: the line has 10,001 bytes, more than the limit of 10,000. Break or remove the line.',
  ],
  [
    'a line of 12 MB',
    withLine(12_000_000),
    'base.csv:2: the line has 12,000,000 bytes, more than the limit of 10,000. Break or remove the line.',
  ],
  [
    'a sources.json of 100,001 bytes',
    sized(100_001),
    `sources.json: has 100,001 bytes, more than the limit of 100,000. ${OTHER_FILE}`,
  ],
  [
    'sources nested 20,000 deep',
    nested(20_000),
    `sources.json:1:17: the nesting has 20,000 levels, more than the limit of 8. ${WRITE}`,
  ],
  [
    'sources with 33,000 segments of a chain',
    listed(33_000, '{}'),
    'sources.json:1:10: base has 33,000 segments, more than the limit of 1,000. Remove old segments.',
  ],
  [
    'sources with a name of 1,001 characters',
    named(1_001),
    'sources.json:1:18: base/0/name has 1,001 characters, more than the limit of 1,000. Shorten it.',
  ],
];

const ACCEPTED: readonly (readonly [string, Files])[] = [
  ['a line of 10,000 bytes', withLine(10_000)],
  ['a sources.json of 100,000 bytes', sized(100_000)],
  ['sources with a name of 1,000 characters', named(1_000)],
];

describe.each(['directory', 'bucket'])('an input in a %s', (place) => {
  const open = (files: Files): Promise<InputFolder> =>
    OPEN[place]?.(files) ?? Promise.reject(new Error(place));

  it.each(REFUSED)('is refused with the limit and what was found: %s', async (_name, files, fault) => {
    const { series, faults, invalid } = await read(await open(files));
    expect(faults.map(formatInputFault)).toEqual([fault]);
    expect({ series, invalid }).toEqual({ series: [], invalid: ['base'] });
  });

  it.each(ACCEPTED)('is accepted at the limit: %s', async (_name, files) => {
    const { series, faults } = await read(await open(files));
    expect(faults).toEqual([]);
    expect(series).toHaveLength(1);
  });

  it('with thousands of faults in sources.json is refused with the first twenty', async () => {
    const { faults } = await read(await open(listed(1_000, '{}')));
    expect(faults).toHaveLength(20);
    const members = Array.from({ length: 10_000 }, (_, i) => `"${i % 6_000}":1`).join(',');
    const repeated = await read(await open({ ...VALID, 'sources.json': `{${members}}` }));
    expect(repeated.faults.map(({ message }) => message)).toContain('member "19" appears twice');
    expect(repeated.faults).toHaveLength(20);
  });
});

it('a fault is printed without control characters', () => {
  const fault = {
    file: 'sources.json',
    message: 'member "\u001b[2J" appears twice',
    remedy: 'keep one of them',
  };
  expect(formatInputFault(fault)).toBe('sources.json: member "?[2J" appears twice. Keep one of them.');
});
