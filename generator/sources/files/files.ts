import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { addDays, toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { GeneratorError } from '../../core/generator-error.js';
import type { InputFolder } from '../../input/input-folder.js';
import {
  createReadOnce,
  type Probe,
  probeReading,
  type Source,
  SourceError,
  type SourceFacts,
} from '../source.js';
import {
  assertNoPrices,
  type ChainColumns,
  mapChain,
  type MappedFile,
  type MappedTable,
  readHeader,
  readMappedCsv,
  type ReadOptions,
  toSourceError,
} from './mapped-csv.js';

/** Options for `createFiles`: the files of an operator, and what the operator states about them. */
export type FilesOptions = Pick<SourceFacts, 'id' | 'name' | 'url' | 'licence' | 'resale'> &
  Partial<Pick<SourceFacts, 'attribution' | 'settlingDays' | 'completeFrom' | 'definitions'>> &
  Pick<ChainColumns, 'columns' | 'dateColumn'> & {
    /** The folder of the files, from `openInputFolder`. */
    readonly folder: InputFolder;
    /** Exceptions for a chain. */
    readonly chains?: { readonly [chain in Chain]?: ChainColumns };
    /** Returns milliseconds since the epoch. */
    readonly now?: () => number;
  };

/**
 * Creates the source for one collection: it reads the file of each chain once. A date that has not ended, or has no value,
 * is not offered. Columns without a metric are ignored.
 * Its functions also throw GeneratorError 'usage', for a chain whose units differ from those of the common mapping.
 * @throws GeneratorError 'usage' for a mapping of a price, an unknown unit, or a metric that a chain does not have.
 */
export function createFiles(options: FilesOptions): Source {
  const { id, folder, columns, dateColumn, chains = {}, now = Date.now } = options;
  const common = { ...(columns && { columns }), ...(dateColumn !== undefined && { dateColumn }) };
  const mappedFile = (chain: Chain): MappedFile => mapChain(id, chain, common, chains[chain]);
  for (const chain of CHAIN_IDS) {
    assertNoPrices(id, { ...columns, ...chains[chain]?.columns });
    if (chains[chain] !== undefined) mappedFile(chain); // a chain without columns of its own may not be collected at all
  }
  const readOnce = createReadOnce();

  /** Returns the file of a chain, and how messages name it; `undefined` if no metric of the chain is mapped. */
  async function findFile(chain: Chain): Promise<{ mapped: MappedFile; where: string } | undefined> {
    const mapped = mappedFile(chain);
    if (mapped.columns.length === 0) return undefined;
    const where = `${id}: ${mapped.file}`;
    const names = await readOnce('names', () => listNames(id, folder));
    if (names.includes(mapped.file)) return { mapped, where };
    throw new SourceError('unavailable', `${where}: there is no such file in ${folder.address}.`);
  }

  const readTable = (chain: Chain, signal: AbortSignal): Promise<Table | undefined> =>
    readOnce(chain, async () => {
      const found = await findFile(chain);
      if (found === undefined) return undefined;
      const table = await readMappedCsv({ ...found, folder, nowMs: now(), signal });
      return { ...table, url: `files:${found.mapped.file}`, fetchedAt: toInstant(now()) };
    });

  return {
    facts: toFacts(options),
    async days(chain, { first, last }, signal) {
      signal.throwIfAborted();
      const days = [...((await readTable(chain, signal))?.days ?? [])];
      const within = days.filter(([date]) => first <= date && date <= last);
      return new Map(within.map(([date, values]) => [date, sha256Hex(canonicalJson(values))]));
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const table = await readTable(chain, signal);
      const values = table?.days.get(date);
      if (table === undefined || values === undefined) {
        throw new SourceError('not-yet', `${id}: expected values of ${chain} on ${date}, got none.`);
      }
      const { url, sha256, bytes, fetchedAt } = table;
      const response = { url, sha256, bytes, fetched_at: fetchedAt };
      return { chain, date, values, counts: {}, evidence: { kind: 'responses', responses: [response] } };
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      const found = await findFile(chain);
      return found === undefined ? [] : probeFile({ ...found, folder, nowMs: now(), signal });
    },
  };
}

type Table = MappedTable & { readonly url: string; readonly fetchedAt: string };

function toFacts(options: FilesOptions): SourceFacts {
  const { id, name, url, licence, resale, attribution = null } = options;
  const { settlingDays = 7, completeFrom = '00:00', definitions = [] } = options;
  const requestsPerMinute = 60; // nobody limits them
  return {
    id,
    name,
    url,
    licence,
    resale,
    attribution,
    settlingDays,
    completeFrom,
    requestsPerMinute,
    definitions,
  };
}

async function listNames(id: string, folder: InputFolder): Promise<readonly string[]> {
  try {
    return await folder.list();
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'usage') {
      const message = `${id}: the folder ${folder.address} cannot be read.`;
      throw new SourceError('unavailable', message, { cause: error });
    }
    throw toSourceError(`${id}: ${folder.address}`, error);
  }
}

/** Compares the header of a file with the mapping, and its newest date with yesterday. @throws SourceError 'unavailable' */
async function probeFile(options: ReadOptions): Promise<readonly Probe[]> {
  const { folder, where, mapped, nowMs } = options;
  const { file, dateColumn, columns, isExact } = mapped;
  const header = await probeReading(file, 'CSV', () => readHeader(folder, where, mapped));
  if ('difference' in header) return [header.difference];
  const probeColumn = (column: string, expected: string, isNeeded: boolean): Probe => {
    const at = header.value.indexOf(column) + 1;
    const found = at === 0 ? 'no such column' : `column ${at}`;
    return { item: `column ${column} of ${file}`, expected, found, agrees: at > 0 || !isNeeded };
  };
  const probes = [
    probeColumn(dateColumn, 'dates', true),
    ...columns.map(({ metric, column, unit }) => probeColumn(column, `${metric}, unit ${unit}`, isExact)),
  ];
  const rows = await probeReading(`rows of ${file}`, 'dates in ascending order, with numbers', () =>
    readMappedCsv(options),
  );
  if ('difference' in rows) return [...probes, rows.difference];
  const yesterday = addDays(toInstant(nowMs).slice(0, 10), -1);
  const newest = [...rows.value.days.keys()].at(-1) ?? 'none';
  const item = `newest date of ${file}`;
  return [...probes, { item, expected: yesterday, found: newest, agrees: newest === yesterday }];
}
