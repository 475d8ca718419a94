import { readInput } from '../../../generator/input/read-input.js';
import { openInputFolder, toDirectory } from '../../../generator/input/input-folder.js';
import { createDirectoryStore } from '../../../infra/store/directory/directory-store.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { writeInput, writeSmallInput } from '../../support/release/small-input.js';

const SITE = { name: 'Example data', base_url: 'https://data.example.com' };
const asOfMs = Date.parse('2025-06-01T00:00:00Z');

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  await writeSmallInput(folder.path, { days: { base: 3 } });
});
afterEach(() => folder.dispose());

async function readWith(text?: string) {
  if (text !== undefined) await writeInput(folder.path, { 'site.json': text });
  return readInput({ folder: toDirectory(folder.path), asOfMs });
}

describe('site.json', () => {
  it('is optional', async () => {
    expect(await readWith()).toMatchObject({ site: null, faults: [], series: [{ chain: 'base' }] });
  });

  it('is read beside the metrics of a directory', async () => {
    expect(await readWith(JSON.stringify(SITE))).toMatchObject({ site: SITE, faults: [] });
  });

  it('is read beside the metrics of a bucket', async () => {
    await writeInput(folder.path, { 'site.json': JSON.stringify(SITE) });
    const open = () => Promise.resolve(createDirectoryStore(folder.path));
    const input = await readInput({ folder: await openInputFolder('s3://bucket/metrics', open), asOfMs });
    expect(input).toMatchObject({ site: SITE, faults: [] });
  });

  it.each([
    ['{"name": "x",\n "base_url": "http://data.example.com"}', 2, 14, /^base_url /],
    ['{"name": "x", "base_url": "https://a.example", "logo": "x"}', 1, 1, /logo/],
    ['{"name": "x"}', 1, 1, /base_url/],
    ['{"name": "x", "name": "y"}', 1, 15, /^member "name" appears twice/],
    ['{"name": }', 1, 10, /^not JSON/],
    ['[]', 1, 1, /object/],
    ['[[[[[[[[[[]]]]]]]]]]', 1, 9, /^the nesting has/],
  ])(
    'with a fault is refused with its place, and invalidates no chain: %s',
    async (text, line, column, message) => {
      const { site, faults, series, invalid } = await readWith(text);
      expect(site).toBeUndefined();
      expect(faults).toMatchObject([{ file: 'site.json', line, column }]);
      expect(faults[0]?.message).toMatch(message);
      expect(faults[0]?.remedy).not.toBe('');
      expect({ series: series.length, invalid }).toEqual({ series: 1, invalid: [] });
    },
  );

  it('has a limit of its size', async () => {
    const { faults } = await readWith(JSON.stringify({ ...SITE, name: 'x'.repeat(10_000) }));
    expect(faults[0]?.message).toMatch(/limit of 10,000/);
  });
});
