import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { metricsWithValues } from '../../../generator/core/input/input-series.js';
import { computeRegimes } from '../../../generator/core/methodology/regime-series.js';
import { methodologyInputs } from '../../../generator/core/methodology/signals.js';
import { toDirectory } from '../../../generator/input/input-folder.js';
import { readInput, type Input } from '../../../generator/input/read-input.js';
import { simulateSampleFiles } from '../../../scripts/sample/make-sample.js';

const FOLDER = new URL('../../../scripts/sample/', import.meta.url);
const AS_OF_MS = Date.parse('2023-09-27T06:00:00Z');
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

describe('simulated files', () => {
  it.each(Object.entries(simulateSampleFiles()))('%s is committed as the script makes it', (name, text) => {
    expect(read(name) === text).toBe(true);
  });

  it('are the same when they are made twice', () => {
    expect(simulateSampleFiles()).toEqual(simulateSampleFiles());
  });
});

describe('real files', () => {
  it.each([
    ['ethereum.csv', 'c75e55d1c689bb70f1218578574627e2f8f8190614fa50b022da616e9e5dd216'],
    ['arbitrum.csv', 'a03295ea8c796d4b58b1bbd2b39ffb785a37b432533a005ff1ebfbb260bf0ba4'],
  ])('%s has the bytes that were attributed', (name, digest) => {
    expect(sha256Hex(read(name))).toBe(digest);
  });
});

describe('the sample as input', () => {
  let input: Input;
  beforeAll(async () => {
    input = await readInput({ folder: toDirectory(fileURLToPath(FOLDER)), asOfMs: AS_OF_MS });
  });

  it('reads without a fault, all four chains through the same date', () => {
    expect(input.faults).toEqual([]);
    const through = input.series.map(({ chain, dates }) => [chain, dates.at(-1)]);
    expect(through).toEqual(CHAIN_IDS.map((chain) => [chain, '2023-09-26']));
  });

  it('has at least 600 dates of each chain, without a hole', () => {
    for (const { present } of input.series) {
      expect(present.length).toBeGreaterThanOrEqual(600);
      expect(present).not.toContain(false);
    }
  });

  it.each(['bitcoin', 'base'] as const)('has every metric that regimes of %s are made from', (chain) => {
    const series = input.series.find((each) => each.chain === chain);
    const metrics = series === undefined ? [] : metricsWithValues(series);
    expect(metrics).toEqual(expect.arrayContaining(methodologyInputs(currentMethodology(), chain)));
  });

  it.each(['bitcoin', 'base'] as const)('shows every label on %s', (chain) => {
    const series = input.series.filter((each) => each.chain === chain);
    const labels = series.flatMap((each) => computeRegimes(each, currentMethodology()).labels);
    expect([...new Set(labels)].sort()).toEqual(Object.keys(LABEL_MEANINGS).sort());
  });

  it('says which chains are simulated, and attributes the others', () => {
    const sources = Object.fromEntries(input.series.map((series) => [series.chain, series.sources]));
    for (const chain of ['bitcoin', 'base']) {
      expect(sources[chain]).toEqual([
        { name: 'simulated', licence: 'CC0 1.0', notes: expect.stringContaining('not measured data') },
      ]);
    }
    for (const chain of ['ethereum', 'arbitrum']) {
      expect(sources[chain]).toMatchObject([
        { name: 'growthepie', licence: 'CC BY 4.0', attribution: 'growthepie, growthepie.com' },
      ]);
    }
  });

  it.each(CHAIN_IDS)('keeps %s small enough to read', (chain) => {
    expect(statSync(new URL(`${chain}.csv`, FOLDER)).size).toBeLessThan(200_000);
  });
});
