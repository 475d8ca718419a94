import { readFile } from 'node:fs/promises';
import { parseDate } from './dates.js';
import { sha256Hex } from './digest.js';
import { productFile } from './product-file.js';
import type { Chain } from './types.generated.js';

/** The SQL that computes the metrics of a chain from public raw data. Its parameters are not filled in. */
type Query = { readonly text: string; readonly sha256: string };

/** A query of a chain, or of its blocks only. */
export type QueryName = Chain | BlocksQuery;

/** Queries that need no transactions. Their columns are those of the chain's query that are about blocks. */
type BlocksQuery = (typeof BLOCKS_QUERIES)[number];

export const BLOCKS_QUERIES = ['arbitrum-blocks', 'base-blocks'] as const;

/** Reads a query. */
export async function readQuery(name: QueryName): Promise<Query> {
  const text = await readFile(productFile(`schemas/sql/${name}.sql`), 'utf8');
  return { text, sha256: sha256Hex(text) };
}

/**
 * Returns the text of a query for the dates from `first` to `last`.
 * @throws RangeError if one is not a date.
 */
export function fillQuery(text: string, span: { readonly first: string; readonly last: string }): string {
  const { first, last } = span;
  for (const date of [first, last])
    if (parseDate(date) === undefined) throw new RangeError(`not a date: ${date}`);
  return text.replaceAll('${first}', first).replaceAll('${last}', last);
}
