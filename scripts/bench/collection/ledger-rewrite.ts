import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { addDays } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { LedgerLine } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import {
  commitCollection,
  readCollection,
  type Collection,
} from '../../../generator/collect/collection-store.js';

/** The dates of bitcoin from the first days until today, 17 years later. */
export const LEDGER_DATES = 6_437;

const FIRST_DATE = '2009-01-09';
/** Number of dates before a change of source. */
const EARLY_DATES = 3_000;
const COMMIT = {
  asOfMs: Date.parse('2026-09-01T06:00:00Z'),
  sources: {
    early: { name: 'Files of the bench', licence: 'CC0 1.0' },
    late: { name: 'Bucket of the bench', licence: 'CC0 1.0', url: 'https://example.org/' },
  },
};

/** Writes a collection with all these dates but the last one. Each has all metrics of bitcoin, from the sample. */
export async function writeLedger(folder: string, sample: string): Promise<void> {
  const [header = '', ...rows] = (await readFile(sample, 'utf8')).trim().split('\n');
  const [, ...metrics] = header.split(','); // without the date
  const lines = Array.from({ length: LEDGER_DATES - 1 }, (_, i) => {
    const cells = rows[i % rows.length]?.split(',') ?? [];
    const values = Object.fromEntries(metrics.map((metric, column) => [metric, cells[column + 1] ?? '']));
    return toLine(addDays(FIRST_DATE, i), values, i < EARLY_DATES ? 'early' : 'late');
  });
  const store = await storeIn(folder);
  await append(store, await readCollection(store), lines);
}

/** Does what each collection of a new date does: reads the collection, adds a line, and writes everything again. */
export async function rewriteLedger(folder: string): Promise<void> {
  const store = await storeIn(folder);
  const collection = await readCollection(store);
  const last = collection.ledgers.get('bitcoin')?.at(-1);
  if (last === undefined) throw new Error('the collection is empty');
  await append(store, collection, [toLine(addDays(last.date, 1), last.values, last.source)]);
}

async function append(store: ObjectStore, before: Collection, lines: readonly LedgerLine[]): Promise<void> {
  const change = { lines: new Map([['bitcoin', lines] as const]), lineages: [], states: new Map() };
  await commitCollection(store, before, change, COMMIT);
}

function toLine(date: string, values: LedgerLine['values'], source: string): LedgerLine {
  const [rule, reason] = ['day', null] as const;
  return {
    ...{ chain: 'bitcoin', date, values, source, rule, reason },
    lineage: sha256Hex(date),
    accepted_at: `${addDays(date, 1)}T06:00:00Z`,
  };
}

function storeIn(folder: string): Promise<ObjectStore> {
  return openStore(`file:${path.join(folder, 'collected')}`);
}
