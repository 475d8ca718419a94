import { GetQueryResultsCommand, type AthenaClient, type ColumnInfo, type Row } from '@aws-sdk/client-athena';
import type { TextRow } from '../core/collection/values/query-day.js';
import { sendTo } from './athena-client.js';
import { EngineError } from './engine.js';
import { notText } from './trino-failure.js';

const PAGE_ROWS = 1_000;
const TEXT_TYPES: readonly (string | undefined)[] = ['varchar', 'string', 'char'];

/** Reads the result of a query that succeeded, page by page. The first row has the names of the columns. */
export async function readAthenaRows(
  id: string,
  client: AthenaClient,
  signal: AbortSignal,
): Promise<TextRow[]> {
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
