import { randomUUID } from 'node:crypto';
import {
  AthenaClient,
  type AthenaClientConfig,
  type ColumnInfo,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  GetWorkGroupCommand,
  type QueryExecution,
  type Row,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { TextRow } from '../core/collection/query-day.js';
import {
  backoffMs,
  type Engine,
  EngineError,
  type EngineQuery,
  type EngineTools,
  notText,
  parseEngineEndpoint,
  pollMs,
  SYSTEM_TOOLS,
  toFailure,
} from './engine.js';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';

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

const PAGE_ROWS = 1_000;
const TEXT_TYPES: readonly (string | undefined)[] = ['varchar', 'string', 'char'];

/** Reads the result of a query that succeeded, page by page. The first row has the names of the columns. */
async function readAthenaRows(id: string, client: AthenaClient, signal: AbortSignal): Promise<TextRow[]> {
  const rows: TextRow[] = [];
  let token: string | undefined;
  for (let page = 0; page === 0 || token !== undefined; page += 1) {
    const command = new GetQueryResultsCommand({
      QueryExecutionId: id,
      MaxResults: PAGE_ROWS,
      ...(token === undefined ? {} : { NextToken: token }),
    });
    const answer = await sendTo(client.send(command, { abortSignal: signal }), signal);
    const columns = toColumns(answer.ResultSet?.ResultSetMetadata?.ColumnInfo ?? []);
    const [header, ...others] = answer.ResultSet?.Rows ?? [];
    if (page === 0 && !isHeader(header, columns)) throw otherForm('a first row with the names of columns');
    const data = page === 0 || header === undefined ? others : [header, ...others];
    for (const row of data) rows.push(toTextRow(row, columns));
    token = answer.NextToken;
  }
  return rows;
}

/** Athena returns the text of every type, so types must be compared. */
function toColumns(columns: readonly ColumnInfo[]): string[] {
  return columns.map(({ Name: name = '', Type: type }) => {
    if (!TEXT_TYPES.includes(type)) throw notText(name);
    return name;
  });
}

function isHeader(row: Row | undefined, columns: readonly string[]): boolean {
  const names = row?.Data?.map(({ VarCharValue: name }) => name) ?? [];
  return names.length === columns.length && names.every((name, i) => name === columns[i]);
}

/** A value that is null has no text. */
function toTextRow({ Data: values = [] }: Row, columns: readonly string[]): TextRow {
  if (values.length !== columns.length) throw otherForm(`${columns.length} values, not ${values.length}`);
  return Object.fromEntries(columns.map((column, i) => [column, values[i]?.VarCharValue ?? null]));
}

function otherForm(expected: string): EngineError {
  return new EngineError('failed', `Athena: the result has another form: expected ${expected}.`);
}

const RETRIES = 8;
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** The service and the identity of its user. */
type AthenaAccess = {
  readonly region: string;
  /** Another address of the service; https, or http on loopback. */
  readonly endpoint?: string;
  /** Replaces the credentials of the AWS default credential provider chain. */
  readonly credentials?: NonNullable<AthenaClientConfig['credentials']>;
};

/** Creates a client whose retries end when `signal` is aborted. @throws GeneratorError 'usage' for an unsafe endpoint */
function createAthenaClient(
  { region, endpoint, credentials }: AthenaAccess,
  tools: EngineTools,
  signal: AbortSignal,
): AthenaClient {
  return new AthenaClient({
    region,
    customUserAgent: 'chain-reference-data',
    maxAttempts: RETRIES + 1,
    retryStrategy: createRetryStrategy(tools, signal),
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    }),
    ...(endpoint === undefined ? {} : { endpoint: parseEngineEndpoint('Athena', endpoint).base }),
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/** Sends a request. @throws EngineError 'failed' for every failure, or the reason of `signal` */
async function sendTo<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await call;
  } catch (error) {
    signal.throwIfAborted();
    const { name = 'Error', message = '' } = error as Partial<Error>; // errors of the SDK are errors
    const line = message.replace(/\p{C}+/gu, ' ').slice(0, 400);
    throw new EngineError('failed', `Athena: ${name}: ${line}`, { cause: error });
  }
}

/** Retries each request by itself: the SDK's own strategies share a quota, and their delays ignore a signal. */
function createRetryStrategy(tools: EngineTools, signal: AbortSignal): RetryStrategyV2 {
  const attempt = (count: number): RetryToken => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
  return {
    acquireInitialRetryToken: () => Promise.resolve(attempt(0)),
    async refreshRetryTokenForRetry(token, failed) {
      const retries = token.getRetryCount();
      if (retries === RETRIES || !isTransient(failed)) throw new Error('no attempts left');
      const askedMs = failed.retryAfterHint === undefined ? 0 : failed.retryAfterHint.getTime() - Date.now();
      await tools.sleep(Math.max(askedMs, backoffMs(retries, tools)), signal);
      return attempt(retries + 1);
    },
    recordSuccess: () => undefined,
  };
}

function isTransient({ errorType, error }: RetryErrorInfo): boolean {
  const { name } = (error ?? {}) as Partial<Error>;
  return errorType !== 'CLIENT_ERROR' || name === 'TooManyRequestsException';
}
