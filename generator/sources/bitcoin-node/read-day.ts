import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import type { CollectedDay } from '../../core/collection/day-values.js';
import { type TextRow, toQueryDay } from '../../core/collection/query-day.js';
import { findFirstBlock, readInOrder, type TimedBlock } from '../json-rpc.js';
import { shapeError, SourceError } from '../source.js';
import type { BitcoinRpc, Block, BlockHeader, Transaction } from './block.js';
import { createFeeList } from '../../core/collection/decimal.js';

const SECONDS_PER_DAY = 86_400;
/** Most headers in a request. */
const BATCH_SIZE = 100;
/** Blocks are large: their JSON can have more than 20 MB. */
const CONCURRENCY = 2;
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
};

/**
 * Reads a UTC day, whose end is not after the median time of the settled block. Header times may go backwards, so that blocks
 * of two days can interleave at midnight; median times never do, and each block is later than the median time of the one
 * before. @throws SourceError
 */
export async function readDay(
  { rpc, settled }: ReadDayOptions,
  date: string,
  signal: AbortSignal,
): Promise<CollectedDay> {
  const end = endOfDayMs(toDayNumber(date)) / 1000;
  const start = end - SECONDS_PER_DAY;
  const readMedian = async (height: number): Promise<TimedBlock> => {
    const [header] = await rpc.headers([height], signal);
    return { number: height, time: header?.medianTime ?? 0 };
  };
  const last = await findFirstBlock(end, settled, readMedian); // all later blocks are after the day
  const first = await findFirstBlock(start, { number: last, time: end }, readMedian);
  const headers = await readHeaders(rpc, Math.max(0, first - EARLIER_BLOCKS), last, signal);
  const ofDay = headers.filter(({ time }) => time >= start && time < end);
  const [lowest, highest] = [ofDay[0], ofDay.at(-1)];
  if (lowest === undefined || highest === undefined) {
    throw new SourceError('not-yet', `${rpc.where}: expected blocks of ${date}, got none.`);
  }
  const sums = createDaySums();
  await readInOrder<BlockHeader, readonly [BlockHeader, Block]>({
    parts: ofDay,
    concurrency: CONCURRENCY,
    read: async (header, any) => [header, await rpc.block(header, any)],
    take: ([header, block]) => sums.add(header, block),
    signal,
  });
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
  const headers: BlockHeader[] = [];
  for (let start = first; start <= last; start += BATCH_SIZE) {
    const length = Math.min(BATCH_SIZE, last - start + 1);
    const heights = Array.from({ length }, (_, i) => start + i);
    for (const header of await rpc.headers(heights, signal)) {
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

/** The integers of a day, added up block by block. */
type DaySums = {
  readonly add: (header: BlockHeader, block: Block) => void;
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

/** Creates the sums of a day without blocks. Blocks are added in the order of their heights. */
function createDaySums(): DaySums {
  const byBits = new Map<string, BlockSums>();
  const transactions = createTransactionSums();
  return {
    add(header, { size, weight, transactions: some }) {
      const { height, bits } = header;
      const sums = byBits.get(bits) ?? {
        count: 0,
        first: height,
        last: 0,
        transactions: 0,
        size: 0,
        weight: 0,
      };
      byBits.set(bits, sums);
      sums.count += 1;
      sums.last = height;
      sums.transactions += header.transactions;
      sums.size += size;
      sums.weight += weight;
      some.forEach(transactions.add);
    },
    toRows() {
      const ofDay = transactions.toRow();
      return [...byBits].map(([bits, sums]) => ({ bits, ...toRow(sums), ...ofDay }));
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
