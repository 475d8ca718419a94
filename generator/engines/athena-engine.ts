import { randomUUID } from 'node:crypto';
import {
  GetQueryExecutionCommand,
  GetWorkGroupCommand,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
  type AthenaClient,
  type QueryExecution,
} from '@aws-sdk/client-athena';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { TextRow } from '../core/collection/values/query-day.js';
import { createAthenaClient, sendTo, type AthenaAccess } from './athena-client.js';
import { readAthenaRows } from './athena-rows.js';
import { pollMs, SYSTEM_TOOLS, type EngineTools } from './engine-tools.js';
import { EngineError, type Engine, type EngineQuery } from './engine.js';
import { toFailure } from './trino-failure.js';

const TIME_LIMIT_MS = 35 * 60_000; // by default, Athena itself stops a query after 30 minutes
const STOP_MS = 2_000;
/** Number of failed executions of a query that are replaced by a new one. The next one is final, even if it failed. */
const MAX_FAILED = 5;

/** Options for `createAthenaEngine`. */
export type AthenaOptions = AthenaAccess & {
  readonly workgroup: string;
  /** Database of the tables (`schemas/sql/tables/athena`). */
  readonly database: string;
  /** `s3://` address for results. Default: that of the workgroup. */
  readonly outputLocation?: string;
  /** Longest time of a query. Default: 35 minutes. */
  readonly timeLimitMs?: number;
  readonly tools?: EngineTools;
};

/**
 * Creates an engine that sends queries to Athena, which has the tables. Aborting `signal` ends the creation.
 * @throws EngineError 'failed' if the workgroup cannot be read; GeneratorError 'usage' for an unsafe endpoint
 */
export async function createAthenaEngine(options: AthenaOptions, signal: AbortSignal): Promise<Engine> {
  const { timeLimitMs = TIME_LIMIT_MS, tools = SYSTEM_TOOLS } = options;
  return {
    name: await readEngineName(options, tools, signal),
    ownTables: true,
    run: async (query, aborted) => {
      const limit = AbortSignal.timeout(timeLimitMs);
      const either = AbortSignal.any([aborted, limit]);
      const client = createAthenaClient(options, tools, either);
      try {
        return await runQuery(query, { client, options, tools, signal: either });
      } catch (error) {
        aborted.throwIfAborted();
        if (!limit.aborted) throw error;
        throw new EngineError('failed', `Athena: no result within ${timeLimitMs / 1000} seconds.`);
      } finally {
        client.destroy();
      }
    },
  };
}

async function readEngineName(
  options: AthenaOptions,
  tools: EngineTools,
  signal: AbortSignal,
): Promise<string> {
  const client = createAthenaClient(options, tools, signal);
  try {
    const command = new GetWorkGroupCommand({ WorkGroup: options.workgroup });
    const { WorkGroup } = await sendTo(client.send(command, { abortSignal: signal }), signal);
    const version = WorkGroup?.Configuration?.EngineVersion?.EffectiveEngineVersion;
    return (version ?? 'athena').toLowerCase();
  } finally {
    client.destroy();
  }
}

type Run = {
  readonly client: AthenaClient;
  readonly options: AthenaOptions;
  readonly tools: EngineTools;
  readonly signal: AbortSignal;
};

/**
 * Runs a query. Stops it if `signal` is aborted before it ends. After another failure the query continues, so that
 * a later run with the same mark can find it.
 */
async function runQuery(query: EngineQuery, run: Run): Promise<readonly TextRow[]> {
  const id = await startOrFind(query, run);
  try {
    await waitForEnd(id, run);
  } catch (error) {
    if (run.signal.aborted) await stop(id, run);
    throw error;
  }
  return readAthenaRows(id, run.client, run.signal);
}

/**
 * Starts a query, or finds the execution that an earlier run started for the same query and mark. An execution that failed
 * then is not the answer now: the next one is started.
 */
async function startOrFind(query: EngineQuery, run: Run): Promise<string> {
  const mark = query.mark ?? randomUUID();
  for (let failed = 0; ; failed += 1) {
    const id = await start(query, toToken(query, mark, failed, run.options), run);
    if (query.mark === undefined || failed === MAX_FAILED) return id;
    const state = (await readExecution(id, run)).Status?.State;
    if (state !== 'FAILED' && state !== 'CANCELLED') return id;
  }
}

/** Athena returns the same execution for the same token, as long as it remembers the token. */
function toToken(
  { sql }: EngineQuery,
  mark: string,
  failed: number,
  { workgroup, database, outputLocation }: AthenaOptions,
): string {
  return sha256Hex(canonicalJson([sql, workgroup, database, outputLocation ?? null, mark, failed]));
}

async function start({ sql }: EngineQuery, token: string, run: Run): Promise<string> {
  const { client, options, signal } = run;
  const { workgroup, database, outputLocation } = options;
  const command = new StartQueryExecutionCommand({
    QueryString: sql,
    ClientRequestToken: token,
    WorkGroup: workgroup,
    QueryExecutionContext: { Database: database },
    ...(outputLocation === undefined ? {} : { ResultConfiguration: { OutputLocation: outputLocation } }),
  });
  const { QueryExecutionId } = await sendTo(client.send(command, { abortSignal: signal }), signal);
  return QueryExecutionId ?? missing('an id');
}

async function readExecution(id: string, { client, signal }: Run): Promise<QueryExecution> {
  const command = new GetQueryExecutionCommand({ QueryExecutionId: id });
  const answer = await sendTo(client.send(command, { abortSignal: signal }), signal);
  return answer.QueryExecution ?? missing('an execution');
}

async function waitForEnd(id: string, run: Run): Promise<void> {
  for (let polls = 0; ; polls += 1) {
    const { Status: status } = await readExecution(id, run);
    if (status?.State === 'SUCCEEDED') return;
    if (status?.State === 'FAILED' || status?.State === 'CANCELLED') {
      const reason = status.StateChangeReason ?? status.AthenaError?.ErrorMessage ?? 'without a reason';
      const name = /^[A-Z][A-Z_]+(?=:)/.exec(reason)?.[0] ?? status.State;
      throw toFailure('Athena', name, reason);
    }
    await run.tools.sleep(pollMs(polls), run.signal);
  }
}

/** Stops a query, if that is possible soon. Athena bills what it has read so far. */
async function stop(id: string, { options, tools }: Run): Promise<void> {
  const signal = AbortSignal.timeout(STOP_MS);
  const client = createAthenaClient(options, tools, signal);
  const command = new StopQueryExecutionCommand({ QueryExecutionId: id });
  await client.send(command, { abortSignal: signal }).catch(() => undefined);
  client.destroy();
}

function missing(what: string): never {
  throw new EngineError('failed', `Athena: expected ${what}, got none.`);
}
