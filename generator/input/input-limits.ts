import { FileFaultError } from './file-fault.js';

/** A limit of the input: what it limits, in words for the README, and in which unit. */
export type InputLimit = { readonly of: string; readonly max: number; readonly unit: string };

/** The limits of an input. They are far above any real one: all metrics of bitcoin since 2009 have about 1 MB. */
export const INPUT_LIMITS = {
  metricsFile: { of: 'a metrics file', max: 16_000_000, unit: 'bytes' },
  metricsLine: { of: 'a line of a metrics file', max: 10_000, unit: 'bytes' },
  collectionFile: { of: '`collection.json`', max: 100_000, unit: 'bytes' },
  lineageFile: { of: 'a lineage', max: 16_000_000, unit: 'bytes' },
  ledgerFile: { of: 'a ledger', max: 64_000_000, unit: 'bytes' },
  sourcesFile: { of: '`sources.json`', max: 100_000, unit: 'bytes' },
  siteFile: { of: '`site.json`', max: 10_000, unit: 'bytes' },
  jsonDepth: { of: 'nesting in `sources.json` and `site.json`', max: 8, unit: 'levels' },
  sourcesSegments: { of: 'the list of a chain in `sources.json`', max: 1_000, unit: 'segments' },
  sourcesText: { of: 'a text in `sources.json`', max: 1_000, unit: 'characters' },
} as const satisfies Record<string, InputLimit>;

const OTHER_FILE = 'make sure that it is the right file, and remove what does not belong there';

/** Describes a value above a limit: "has 20,000 bytes, more than the limit of 10,000". */
export function describeExcess({ max, unit }: InputLimit, found: number): string {
  return `has ${formatWhole(found)} ${unit}, more than the limit of ${formatWhole(max)}`;
}

/** Returns the fault of a file of this size, which is above the limit. */
export function tooLarge(limit: InputLimit, bytes: number): FileFaultError {
  return new FileFaultError(describeExcess(limit, bytes), OTHER_FILE);
}

/** Yields the chunks of a file. @throws FileFaultError when there are more bytes than the limit. */
export async function* chunksWithin(
  source: AsyncIterable<Buffer>,
  limit: InputLimit,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > limit.max) {
      const message = `has more ${limit.unit} than the limit of ${formatWhole(limit.max)}`;
      throw new FileFaultError(message, OTHER_FILE);
    }
    yield chunk;
  }
}

/** Formats a whole number with a comma between thousands. */
export function formatWhole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
