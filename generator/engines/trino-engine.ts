import type { TextRow } from '../core/collection/values/query-day.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { parseEngineEndpoint } from './engine-endpoint.js';
import { pollMs, SYSTEM_TOOLS, type EngineTools } from './engine-tools.js';
import { EngineError, type Engine } from './engine.js';
import { createTrinoHttp, type TrinoHttp } from './trino-http.js';
import { parsePage, toTextRows } from './trino-page.js';

const TIME_LIMIT_MS = 60 * 60_000;
const PROGRAM = 'chain-reference-data';

/** Options for `createTrinoEngine`. */
export type TrinoOptions = {
  /** Address of the coordinator; https, or http on loopback. */
  readonly endpoint: string;
  /** Name that the server sees. */
  readonly user?: string;
  /** Catalog and schema of the tables (`schemas/sql/tables/trino`). */
  readonly catalog: string;
  readonly schema: string;
  /** Secret value of the header `Authorization`, such as `Bearer …`. */
  readonly authorization?: string;
  /** Longest time of a query. Default: an hour. */
  readonly timeLimitMs?: number;
  readonly tools?: EngineTools;
};

/**
 * Creates an engine that sends queries to a Trino server, which has the tables. Aborting `signal` ends the creation.
 * @throws EngineError 'failed' if the server does not answer; GeneratorError 'usage' for an option that is invalid
 */
export async function createTrinoEngine(options: TrinoOptions, signal: AbortSignal): Promise<Engine> {
  const { endpoint, timeLimitMs = TIME_LIMIT_MS, tools = SYSTEM_TOOLS } = options;
  const { origin, base } = parseEngineEndpoint('Trino', endpoint);
  const http = createTrinoHttp({ headers: toHeaders(options), tools });
  const version = parseVersion(await http.request(new URL(`${base}/v1/info`), signal));
  return {
    name: `trino ${version}`,
    ownTables: true,
    run: async ({ sql }, aborted) => {
      const limit = AbortSignal.timeout(timeLimitMs);
      const started = { sql, origin, url: new URL(`${base}/v1/statement`), http, tools };
      try {
        return await runStatement(started, AbortSignal.any([aborted, limit]));
      } catch (error) {
        aborted.throwIfAborted();
        if (!limit.aborted) throw error;
        throw new EngineError('failed', `Trino: no result within ${timeLimitMs / 1000} seconds.`);
      }
    },
  };
}

type Statement = {
  readonly sql: string;
  readonly origin: string;
  readonly url: URL;
  readonly http: TrinoHttp;
  readonly tools: EngineTools;
};

/** Starts a query and follows its pages to the last. If that fails, the query is cancelled. */
async function runStatement(
  { sql, origin, url, http, tools }: Statement,
  signal: AbortSignal,
): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  let columns: readonly string[] | undefined;
  let next: URL | undefined;
  try {
    let page = parsePage(await http.request(url, signal, sql), origin);
    for (let polls = 0; ; polls += 1) {
      ({ next } = page);
      columns = page.columns ?? columns;
      if (page.data.length > 0) polls = 0;
      for (const row of toTextRows(page, columns ?? [])) rows.push(row);
      if (next === undefined) {
        if (columns !== undefined) return rows;
        throw new EngineError('failed', 'Trino: the result has no columns.');
      }
      if (page.data.length === 0) await tools.sleep(pollMs(polls), signal);
      page = parsePage(await http.request(next, signal), origin);
    }
  } catch (error) {
    if (next !== undefined) await http.cancel(next);
    throw error;
  }
}

function toHeaders({ user = PROGRAM, catalog, schema, authorization }: TrinoOptions): Record<string, string> {
  for (const [name, value] of Object.entries({ user, catalog, schema, authorization })) {
    if (value === undefined || /^[!-~]+( [!-~]+)*$/.test(value)) continue;
    throw new GeneratorError('usage', `Trino: ${name} must be visible ASCII characters. Fix it.`, {
      next: RUN_AGAIN,
    });
  }
  return {
    'User-Agent': PROGRAM,
    'X-Trino-User': user,
    'X-Trino-Source': PROGRAM,
    'X-Trino-Catalog': catalog,
    'X-Trino-Schema': schema,
    'X-Trino-Time-Zone': 'UTC',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
}

function parseVersion(info: unknown): string {
  const { nodeVersion } = (info ?? {}) as { nodeVersion?: { version?: unknown } };
  const version = nodeVersion?.version;
  if (typeof version === 'string' && /^[\w.+-]{1,60}$/.test(version)) return version;
  throw new EngineError('failed', 'Trino: the server does not say its version. Check the endpoint.');
}
