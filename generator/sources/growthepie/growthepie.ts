import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay, ResponseEvidence } from '../../core/collection/collected-day.js';
import { createHttpClient, parseEndpoint, type JsonAnswer } from '../http-client.js';
import { SYSTEM_TOOLS, type HttpTools } from '../http/http-tools.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import { SourceError, type Source, type SourceFacts } from '../source.js';
import { parseExport, type ExportValues } from './export-rows.js';
import { GROWTHEPIE_DEFINITIONS, GROWTHEPIE_EXPORTS, type GrowthepieExport } from './growthepie-exports.js';
import { parseLastUpdate } from './last-update.js';

const REQUESTS_PER_MINUTE = 8; // growthepie asks for at most 10
const MAX_MASTER_BYTES = 8_000_000;
/** The largest export, `fees`, is assumed to have at most 10 MB. */
const MAX_EXPORT_BYTES = 12_000_000;

/** Terms and definitions of growthepie. */
export const GROWTHEPIE_FACTS: SourceFacts = {
  id: 'growthepie',
  name: 'growthepie',
  url: 'https://www.growthepie.com',
  licence: 'CC BY 4.0',
  resale: 'yes',
  attribution: 'Source: growthepie, https://www.growthepie.com. Data were transformed.',
  completeFrom: '06:15',
  settlingDays: 7,
  requestsPerMinute: REQUESTS_PER_MINUTE,
  definitions: GROWTHEPIE_DEFINITIONS,
};

/** Options for `createGrowthepie`. */
export type GrowthepieOptions = {
  /** `https://api.growthepie.com` by default. */
  readonly endpoint?: string;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

type ReadExport = { readonly values: ExportValues; readonly response: JsonAnswer['response'] };
type Days = ReadonlyMap<string, CollectedDay>;

/**
 * Creates the source for one collection: it reads each export once, and serves all chains and dates from it. On ethereum
 * it gives only `tx_count`, as a check.
 */
export function createGrowthepie(options: GrowthepieOptions = {}): Source {
  const { endpoint = 'https://api.growthepie.com', tools = SYSTEM_TOOLS, limits } = options;
  const { base } = parseEndpoint('growthepie', endpoint);
  const client = createHttpClient({
    source: 'growthepie',
    endpoint,
    pace: { requests: REQUESTS_PER_MINUTE, perMs: 60_000 },
    tools,
    ...(limits && { limits }),
  });
  const readOnce = createMemo();

  const readMaster = (
    signal: AbortSignal,
  ): Promise<{ updatedOn: string; response: JsonAnswer['response'] }> =>
    readOnce('master', async () => {
      const url = `${base}/v1/master.json`;
      const { value, response } = await client.getJson(url, { maxBytes: MAX_MASTER_BYTES, signal });
      return { updatedOn: parseLastUpdate(`growthepie: ${url}`, value, tools.now()), response };
    });

  const readExport = (wanted: GrowthepieExport, signal: AbortSignal): Promise<ReadExport> =>
    readOnce(wanted.id, async () => {
      const url = `${base}/v1/export/${wanted.id}.json`;
      const { value, response } = await client.getJson(url, { maxBytes: MAX_EXPORT_BYTES, signal });
      return { values: parseExport(`growthepie: ${url}`, value, wanted), response };
    });

  const readChain = (chain: Chain, signal: AbortSignal): Promise<Days> =>
    readOnce(`chain ${chain}`, async () => {
      const wanted = GROWTHEPIE_EXPORTS.filter(({ chains }) => chains.includes(chain));
      if (wanted.length === 0) return new Map<string, CollectedDay>();
      const master = await readMaster(signal);
      const read: ReadExport[] = [];
      for (const each of wanted) read.push(await readExport(each, signal)); // one after the other, for politeness
      const responses = [master, ...read].map(({ response }) => response);
      return toDays(chain, wanted, read, { updatedOn: master.updatedOn, responses });
    });

  return {
    facts: GROWTHEPIE_FACTS,
    async days(chain, { first, last }, signal) {
      signal.throwIfAborted();
      const days = [...(await readChain(chain, signal)).values()];
      const within = days.filter(({ date }) => first <= date && date <= last);
      return new Map(within.map(({ date, values }) => [date, sha256Hex(canonicalJson(values))]));
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const day = (await readChain(chain, signal)).get(date);
      if (day !== undefined) return day;
      throw new SourceError('not-yet', `growthepie: expected values of ${chain} on ${date}, got none.`);
    },
  };
}

/** Returns the days that ended before the last update, in ascending order. A row of today is not complete. */
function toDays(
  chain: Chain,
  wanted: readonly GrowthepieExport[],
  read: readonly ReadExport[],
  { updatedOn, responses }: { updatedOn: string; responses: ResponseEvidence['responses'] },
): Days {
  const columns = wanted.map(({ metric }, i) => ({ metric, values: read[i]?.values.get(chain) }));
  const dates = new Set(columns.flatMap(({ values }) => [...(values?.keys() ?? [])]));
  const ended = [...dates].filter((date) => date < updatedOn).sort();
  return new Map(
    ended.map((date) => {
      const cells = columns.map(({ metric, values }) => [metric, values?.get(date)] as const);
      const values = Object.fromEntries(cells.filter(([, value]) => value !== undefined));
      return [date, { chain, date, values, counts: {}, evidence: { kind: 'responses', responses } }];
    }),
  );
}

/** Creates a function that runs a reading once per name, and again only if it failed. */
function createMemo(): <T>(name: string, read: () => Promise<T>) => Promise<T> {
  const readings = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const known = readings.get(name) as Promise<T> | undefined; // each name has one type
    if (known !== undefined) return known;
    const reading = read();
    readings.set(name, reading);
    void reading.catch(() => readings.delete(name));
    return reading;
  };
}
