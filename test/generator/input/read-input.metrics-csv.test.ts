import { sha256Hex } from '../../../schemas/digest.js';
import type { FileCheck } from '../../../schemas/types.generated.js';
import { openInputFolder } from '../../../generator/input/input-folder.js';
import { readInput, type Input } from '../../../generator/input/read-input.js';
import { formatInputFault } from '../../../generator/core/input/input-series.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { metricsCsv, SOURCES } from '../../support/release/small-input.js';

const META = { contentType: 'text/csv', cacheControl: 'no-store' };
const CSV = metricsCsv('base', 5);
const REMEDY = 'Copy the whole file again, or correct "files" in sources.json.';
const CUT = 'the last line has no line end, so the file may be cut off.';

async function read(csv: string, check?: FileCheck): Promise<Input> {
  const store = createMemoryStore();
  const sources = { base: SOURCES, ...(check ? { files: { base: check } } : {}) };
  await store.putIfAbsent('base.csv', Buffer.from(csv), META);
  await store.putIfAbsent('sources.json', Buffer.from(JSON.stringify(sources)), META);
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(store));
  return readInput({ folder, asOfMs: Date.parse('2026-01-01T00:00:00Z') });
}

const faultsOf = async (csv: string, check?: FileCheck): Promise<string[]> =>
  (await read(csv, check)).faults.map(formatInputFault);

describe('readMetricsCsv', () => {
  it('refuses a file that was cut anywhere but at the end of a line', async () => {
    for (let length = 1; length < CSV.length; length += 1) {
      const cut = CSV.slice(0, length);
      const faults = await faultsOf(cut);
      const lines = cut.split('\n').length;
      if (!cut.endsWith('\n') && length > CSV.indexOf('\n'))
        expect(faults).toContainEqual(expect.stringContaining(`base.csv:${lines}: ${CUT}`));
      else if (cut.endsWith('\n') && lines > 2) expect(faults).toEqual([]);
      else expect(faults.length).toBeGreaterThan(0);
    }
  });

  it('accepts a file with the rows and the digest that sources.json names, and publishes neither', async () => {
    const plain = await read(CSV);
    expect(plain.faults).toEqual([]);
    expect(await read(CSV, { rows: 5, sha256: sha256Hex(CSV) })).toEqual(plain);
    expect(await read(CSV, { rows: 5 })).toEqual(plain);
    expect(await read(CSV, { sha256: sha256Hex(CSV) })).toEqual(plain);
  });

  it('reads the same rows whichever line ends they have', async () => {
    const plain = await read(metricsCsv('base', 300));
    expect(await read(metricsCsv('base', 300).replaceAll('\n', '\r\n'))).toEqual(plain);
    // A carriage return alone also ends a row.
    const mixed = CSV.split('\n').slice(0, 3).join('\r');
    expect((await read(`${mixed}\n`)).series[0]?.dates).toHaveLength(2);
  });

  it('names the line of a fault far down the file', async () => {
    const lines = metricsCsv('base', 320).split('\n');
    const faultsWith = (text: string): Promise<string[]> => faultsOf(lines.with(300, text).join('\n'));
    expect(await faultsWith(`"${lines[300] ?? ''}`)).toEqual([
      expect.stringMatching(/^base\.csv:301: not CSV: a quote is left open on its line/),
    ]);
    expect(await faultsWith(`"2025-10-27"x,1`)).toEqual([expect.stringMatching(/^base\.csv:301: not CSV: /)]);
    expect(await faultsWith(`\uFEFF${lines[300] ?? ''}`)).toEqual([
      expect.stringMatching(/^base\.csv:301: not CSV: a byte order mark inside the file/),
    ]);
  });

  it('refuses a file with other rows than sources.json names', async () => {
    expect(await faultsOf(metricsCsv('base', 4), { rows: 5 })).toEqual([
      `base.csv: has 4 rows, but sources.json names 5. ${REMEDY}`,
    ]);
    expect((await read(metricsCsv('base', 4), { rows: 5 })).invalid).toEqual(['base']);
  });

  it('refuses a file with another digest than sources.json names', async () => {
    const other = metricsCsv('base', 5, '2025-01-03');
    expect(await faultsOf(other, { rows: 5, sha256: sha256Hex(CSV) })).toEqual([
      `base.csv: has SHA-256 ${sha256Hex(other)}, but sources.json names ${sha256Hex(CSV)}. ${REMEDY}`,
    ]);
  });

  it('names the number of cells of a row that is too short or too long', async () => {
    const [header = ''] = CSV.split('\n');
    const width = header.split(',').length;
    const why = `where the header has ${width}. Give the row one cell per column; an empty cell means missing.`;
    expect(await faultsOf(`${header}\n2025-01-01\n`)).toContain(`base.csv:2: short row: 1 cell ${why}`);
    expect(await faultsOf(`${header}\n2025-01-01${',1'.repeat(width)}\n`)).toContain(
      `base.csv:2: long row: ${width + 1} cells ${why}`,
    );
  });

  it.each([
    [
      'price_usd',
      'looks like a price or a fiat value, and this service carries neither (product boundary). Remove the column.',
    ],
    ['hash_rate', 'is not supported on base. Remove it; Base has '],
    ['volume', 'is unknown. Remove or rename it; Base has '],
  ])('refuses a column %s, and says why', async (column, why) => {
    const rows = CSV.trimEnd()
      .split('\n')
      .map((line, i) => `${line},${i === 0 ? column : '1'}\n`);
    const at = CSV.split('\n')[0]?.split(',').length ?? 0;
    const { series, faults } = await read(rows.join(''));
    expect(series).toEqual([]);
    expect(faults.map(formatInputFault)).toEqual([
      expect.stringContaining(`base.csv:1:${at + 1}: column "${column}" ${why}`),
    ]);
  });
});
