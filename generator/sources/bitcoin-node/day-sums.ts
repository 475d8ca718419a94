import { createFeeList } from '../../core/collection/values/fee-list.js';
import type { TextRow } from '../../core/collection/values/query-day.js';
import type { Block, BlockHeader, Transaction } from './block.js';

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
export function createDaySums(): DaySums {
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
