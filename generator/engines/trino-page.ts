import type { TextRow } from '../core/collection/values/query-day.js';
import { EngineError } from './engine.js';
import { notText, toFailure } from './trino-failure.js';

/** One answer of the protocol. */
type TrinoPage = {
  /** Names of the columns, once they are known. */
  readonly columns: readonly string[] | undefined;
  readonly data: readonly (readonly unknown[])[];
  /** Address of the next answer; absent in the last. */
  readonly next: URL | undefined;
};

/** An answer as the documentation of the protocol describes it. */
type Answer = {
  readonly nextUri?: unknown;
  readonly columns?: unknown;
  readonly data?: unknown;
  readonly stats?: { readonly state?: unknown };
  readonly error?: { readonly errorName?: unknown; readonly message?: unknown };
};

/** Reads an answer of the server at `origin`. @throws EngineError if it is another, or the query failed. */
export function parsePage(value: unknown, origin: string): TrinoPage {
  if (typeof value !== 'object' || value === null) throw otherForm('expected an object');
  const answer: Answer = value;
  if (answer.error !== undefined || answer.stats?.state === 'FAILED') throw failureOf(answer.error);
  return {
    columns: answer.columns === undefined ? undefined : toArray('columns', answer.columns).map(nameOf),
    data: toArray('data', answer.data ?? []).map((row) => toArray('a row', row)),
    next: toNext(answer.nextUri, origin),
  };
}

/** Returns the rows of a page. @throws EngineError 'shape' if a value is neither text nor null. */
export function toTextRows({ data }: TrinoPage, columns: readonly string[]): TextRow[] {
  return data.map((row) => {
    if (row.length !== columns.length)
      throw otherForm(`expected ${columns.length} values, got ${row.length}`);
    return Object.fromEntries(
      columns.map((column, i) => {
        const value = row[i];
        if (value === null || typeof value === 'string') return [column, value];
        throw notText(column);
      }),
    );
  });
}

function failureOf(error: Answer['error']): EngineError {
  const { errorName, message } = error ?? {};
  const name = typeof errorName === 'string' ? errorName : 'UNKNOWN';
  return toFailure('Trino', name, typeof message === 'string' ? message : 'the query failed');
}

/** The address must be on the same server, because the request has the user's credentials. */
function toNext(uri: unknown, origin: string): URL | undefined {
  if (uri === undefined) return undefined;
  const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.origin === origin) return url;
  const got = url === undefined ? 'text that is not a URL' : `one on ${url.origin}`;
  const remedy = 'Behind a proxy, set http-server.process-forwarded=true on the server';
  throw otherForm(`expected a next page on ${origin}, got ${got}. ${remedy}`);
}

function nameOf(column: unknown): string {
  const { name } = (column ?? {}) as { name?: unknown };
  if (typeof name !== 'string') throw otherForm('expected names of columns');
  return name;
}

function toArray(what: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw otherForm(`expected a list of ${what}`);
  return value;
}

function otherForm(expected: string): EngineError {
  return new EngineError('failed', `Trino: the answer has another form: ${expected}.`);
}
