import type { MetricName } from '../../../schemas/types.generated.js';
import { createHttpClient, parseEndpoint, type JsonAnswer } from '../http-client.js';
import { SYSTEM_TOOLS, type HttpTools } from '../http/http-tools.js';
import { NotFoundError } from '../http/not-found-error.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import { createReadOnce } from '../read-once.js';
import { parseExport, type ExportValues } from './export-rows.js';
import type { GrowthepieExport } from './growthepie-exports.js';
import { parseLastUpdate } from './last-update.js';

export const REQUESTS_PER_MINUTE = 8; // growthepie asks for at most 10
const MAX_MASTER_BYTES = 8_000_000;
/** The largest export, `fees`, is assumed to have at most 10 MB. */
const MAX_EXPORT_BYTES = 12_000_000;

type Response = JsonAnswer['response'];

/** Content of `master.json`: the instant of the last update. Days before its date have ended. */
export type Update = { readonly instant: string; readonly response: Response };

/** An export that was read. */
export type ReadExport = {
  readonly metric: MetricName;
  readonly values: ExportValues;
  readonly response: Response;
};

/** Reads the files of growthepie. @throws SourceError */
export type GrowthepieReader = {
  /** Reads `master.json`, once. */
  readonly readUpdate: (signal: AbortSignal) => Promise<Update>;
  /** Reads the values of an export, once. Returns `undefined` if it is not required and does not exist. */
  readonly readExport: (wanted: GrowthepieExport, signal: AbortSignal) => Promise<ReadExport | undefined>;
  /** Requests the JSON of an export. @throws NotFoundError if it does not exist. */
  readonly requestExport: (wanted: GrowthepieExport, signal: AbortSignal) => Promise<JsonAnswer>;
};

/** Options for `createGrowthepieReader`. */
type ReaderOptions = {
  readonly endpoint?: string;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/** Creates the reader of one collection. */
export function createGrowthepieReader(options: ReaderOptions): GrowthepieReader {
  const { endpoint = 'https://api.growthepie.com', tools = SYSTEM_TOOLS, limits } = options;
  const { base } = parseEndpoint('growthepie', endpoint);
  const client = createHttpClient({
    source: 'growthepie',
    endpoint,
    pace: { requests: REQUESTS_PER_MINUTE, perMs: 60_000 },
    tools,
    ...(limits && { limits }),
  });
  const readOnce = createReadOnce();
  const requestExport: GrowthepieReader['requestExport'] = ({ id }, signal) =>
    client.getJson(`${base}/v1/export/${id}.json`, { maxBytes: MAX_EXPORT_BYTES, signal });

  return {
    requestExport,
    readUpdate: (signal) =>
      readOnce('master', async () => {
        const url = `${base}/v1/master.json`;
        const { value, response } = await client.getJson(url, { maxBytes: MAX_MASTER_BYTES, signal });
        return { instant: parseLastUpdate(`growthepie: ${url}`, value, tools.now()), response };
      }),
    readExport: (wanted, signal) =>
      readOnce(wanted.id, async () => {
        const answer = await requestExport(wanted, signal).catch((error: unknown) => {
          if (error instanceof NotFoundError && !wanted.required) return undefined;
          throw error;
        });
        if (answer === undefined) return undefined;
        const { value, response } = answer;
        const values = parseExport(`growthepie: ${response.url}`, value, wanted);
        return { metric: wanted.metric, values, response };
      }),
  };
}
