import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import type { CollectedDay } from '../../core/collection/day-values.js';
import { type TextRow, toQueryDay } from '../../core/collection/query-day.js';
import { type BlockSearch, inGroups, readAhead, type TimedBlock, toParts } from '../node-blocks.js';
import { shapeError, SourceError } from '../source.js';
import type { BitcoinRpc, Block, BlockHeader, Transaction } from './block.js';
import { createFeeList } from '../../core/collection/decimal.js';

const SECONDS_PER_DAY = 86_400;
/** Most headers in a request. */
export const BATCH_SIZE = 100;
/** Most requests at the same time. Blocks are large: their JSON can have more than 20 MB. */
export const AT_ONCE = 2;
/** Most transactions in a request for several blocks. Today's blocks have more by themselves. */
const MOST_TRANSACTIONS = 1_000;
/**
 * Blocks before the first one with a median time in the day that are looked at: a day's worth. A header may be two hours
 * ahead, so a block of the day can come before that one.
 */
const EARLIER_BLOCKS = 144;

/** Options for `readDay`. */
type ReadDayOptions = {
  readonly rpc: BitcoinRpc;
  /** The newest block that counts as settled, and its median time. */
  readonly settled: TimedBlock;
  /** Searches by median time. */
  readonly findFirstBlock: BlockSearch;
};

/**
 * Reads a UTC day, whose end is not after the median time of the settled block. Header times may go backwards, so that blocks
 * of two days can interleave at midnight; median times never do, and each block is later than the median time of the one
 * before. @throws SourceError
 */
export async function readDay(
  { rpc, settled, findFirstBlock }: ReadDayOptions,
  date: string,
  signal: AbortSignal,
): Promise<CollectedDay> {
  const end = endOfDayMs(toDayNumber(date)) / 1000;
  const start = end - SECONDS_PER_DAY;
  const first = await findFirstBlock(start, settled, signal);
  const last = await findFirstBlock(end, settled, signal); // all later blocks are after the day
  const headers = await readHeaders(rpc, Math.max(0, first - EARLIER_BLOCKS), last, signal);
  const ofDay = headers.filter(({ time }) => time >= start && time < end);
  const [lowest, highest] = [ofDay[0], ofDay.at(-1)];
  if (lowest === undefined || highest === undefined) {
    throw new SourceError('not-yet', `${rpc.where}: expected blocks of ${date}, got none.`);
  }
  const sums = createDaySums();
  const most = { count: BATCH_SIZE, weight: MOST_TRANSACTIONS };
  const groups = inGroups(ofDay, ({ transactions }) => transactions, most);
  const read = { concurrency: AT_ONCE, read: rpc.blocks, signal };
  for await (const blocks of readAhead(groups, 'any', read)) blocks.forEach(sums.add);
  return {
    chain: 'bitcoin',
    date,
    ...toDay(rpc.where, sums.toRows()),
    evidence: {
      kind: 'node',
      client: await rpc.client(signal),
      first_block: String(lowest.height),
      first_hash: lowest.hash,
      last_block: String(highest.height),
      last_hash: highest.hash,
    },
  };
}

/** Reads the headers from one height to another, and checks that they are linked. */
async function readHeaders(
  rpc: BitcoinRpc,
  first: number,
  last: number,
  signal: AbortSignal,
): Promise<BlockHeader[]> {
  const parts = toParts(first, last, BATCH_SIZE);
  const headers: BlockHeader[] = [];
  const read = { concurrency: AT_ONCE, read: rpc.headers, signal };
  for await (const some of readAhead(parts, 'of parts', read)) {
    for (const header of some) {
      const previous = headers.at(-1);
      if (previous !== undefined) assertLinked(rpc.where, previous, header);
      headers.push(header);
    }
  }
  return headers;
}

function assertLinked(node: string, previous: BlockHeader, header: BlockHeader): void {
  const where = `${node}: block ${header.height}`;
  if (header.previousHash !== previous.hash) {
    throw shapeError(where, `the previous block ${previous.hash}`, header.previousHash ?? 'none');
  }
  if (header.time <= previous.medianTime || header.medianTime < previous.medianTime) {
    const got = `${header.time}, with the median ${header.medianTime}`;
    throw shapeError(where, `a time after the median ${previous.medianTime} of the block before`, got);
  }
}

/** Converts the sums. @throws SourceError 'shape' for bits that are no target */
function toDay(where: string, rows: Parameters<typeof toQueryDay>[1]): ReturnType<typeof toQueryDay> {
  try {
    return toQueryDay('bitcoin', rows);
  } catch (error) {
    if (error instanceof RangeError) throw shapeError(where, 'headers of Bitcoin', error.message);
    throw error;
  }
}

/** The integers of a day, added up block by block, in any order. */
type DaySums = {
  readonly add: (block: Block) => void;
  /** Returns the rows that the chain's query (`schemas/sql`) has for the day: one per difficulty. */
  readonly toRows: () => TextRow[];
};

type BlockSums = {
  count: number;
  first: number;
  last: number;
  transactions: number;
  size: number;
  weight: number;
};

/** Creates the sums of a day without blocks. */
function createDaySums(): DaySums {
  const byBits = new Map<string, BlockSums>();
  const transactions = createTransactionSums();
  return {
    add({ header, size, weight, transactions: some }) {
      const { height, bits } = header;
      const sums = byBits.get(bits) ?? {
        count: 0,
        first: height,
        last: height,
        transactions: 0,
        size: 0,
        weight: 0,
      };
      byBits.set(bits, sums);
      sums.count += 1;
      sums.first = Math.min(sums.first, height);
      sums.last = Math.max(sums.last, height);
      sums.transactions += header.transactions;
      sums.size += size;
      sums.weight += weight;
      some.forEach(transactions.add);
    },
    toRows() {
      const ofDay = transactions.toRow();
      const rows = [...byBits].toSorted(([, one], [, other]) => one.first - other.first);
      return rows.map(([bits, sums]) => ({ bits, ...toRow(sums), ...ofDay }));
    },
  };
}

function toRow({ count, first, last, transactions, size, weight }: BlockSums): TextRow {
  return {
    block_count: String(count),
    block_numbers: String(count), // the links between the blocks prove that no number repeats
    first_block: String(first),
    last_block: String(last),
    block_tx_count: String(transactions),
    block_size: String(size),
    block_weight: String(weight),
  };
}

function createTransactionSums(): { add: (transaction: Transaction) => void; toRow: () => TextRow } {
  const fees = createFeeList();
  const addresses = new Set<string>();
  let [rows, coinbases, feeMissing, coinbaseOutput] = [0, 0, 0, 0n];
  return {
    add({ isCoinbase, fee, output, addresses: some }) {
      rows += 1;
      for (const each of some) addresses.add(each);
      if (isCoinbase) {
        coinbases += 1;
        coinbaseOutput += output;
      } else if (fee === undefined) {
        feeMissing += 1;
      } else {
        fees.add(fee);
      }
    },
    toRow() {
      const twiceMedian = fees.twiceMedian();
      return {
        all_rows: String(rows),
        coinbase_count: String(coinbases),
        coinbase_output: String(coinbaseOutput),
        tx_count: String(rows - coinbases),
        fee_missing: String(feeMissing),
        active_addresses: String(addresses.size),
        fees: String(fees.sum()),
        fee_median_x2: twiceMedian === undefined ? null : String(twiceMedian),
      };
    },
  };
}
