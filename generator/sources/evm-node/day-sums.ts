import { createFeeList } from '../../core/collection/values/fee-list.js';
import type { TextRow } from '../../core/collection/values/query-day.js';
import type { BlockHeader } from './block-header.js';
import { EVM_CHAINS, type EvmChain } from './evm-chains.js';
import type { Receipt } from './receipt.js';

/** The integers of a day, added up block by block. */
type DaySums = {
  readonly addBlock: (header: BlockHeader) => void;
  readonly addReceipts: (receipts: readonly Receipt[]) => void;
  /** Returns the row that the chain's query (`schemas/sql`) has for the day, as far as a node knows its columns. */
  readonly toRow: () => TextRow;
};

type Integers = Record<string, bigint | number | undefined>;

/** Creates the sums of a day without blocks. */
export function createDaySums(chain: EvmChain, withReceipts: boolean): DaySums {
  const blocks = createBlockSums(EVM_CHAINS[chain].hasGasLimit);
  const receipts = createReceiptSums(chain);
  return {
    addBlock: blocks.add,
    addReceipts: (some) => some.forEach(receipts.add),
    toRow: () => toText({ ...blocks.integers(), ...(withReceipts && receipts.integers()) }),
  };
}

function createBlockSums(hasGasLimit: boolean): {
  add: (header: BlockHeader) => void;
  integers: () => Integers;
} {
  const numbers: { first?: number; last?: number } = {};
  let [count, transactions, gasUsed, gasLimits] = [0, 0, 0n, 0n];
  return {
    add(header) {
      numbers.first ??= header.number;
      numbers.last = header.number;
      count += 1;
      transactions += header.transactions.length;
      gasUsed += header.gasUsed;
      gasLimits += header.gasLimit;
    },
    integers: () => ({
      block_count: count,
      block_numbers: count, // the links between the blocks prove that no number repeats
      first_block: numbers.first,
      last_block: numbers.last,
      block_tx_count: transactions,
      gas_used: gasUsed,
      ...(hasGasLimit && { gas_limit_sum: gasLimits }),
    }),
  };
}

function createReceiptSums(chain: EvmChain): { add: (receipt: Receipt) => void; integers: () => Integers } {
  const { systemType, hasL1Fee } = EVM_CHAINS[chain];
  const fees = createFeeList();
  const addresses = new Set<string>();
  const counts = { rows: 0, counted: 0, failed: 0, status_missing: 0, type_missing: 0, fee_missing: 0 };
  let [allGas, gas, l2Fees] = [0n, 0n, 0n];

  function addFee({ gasUsed, gasPrice, l1Fee, paysOperator }: Receipt): void {
    if (gasPrice === undefined || paysOperator || (hasL1Fee && l1Fee === undefined)) {
      counts.fee_missing += 1;
      return;
    }
    l2Fees += gasUsed * gasPrice;
    fees.add(gasUsed * gasPrice + (hasL1Fee ? (l1Fee ?? 0n) : 0n));
  }

  return {
    add(receipt) {
      counts.rows += 1;
      allGas += receipt.gasUsed;
      if (receipt.type === undefined) counts.type_missing += 1;
      if (systemType !== undefined && receipt.type === systemType) return;
      counts.counted += 1;
      if (receipt.status === undefined) counts.status_missing += 1;
      if (receipt.status === 0n) counts.failed += 1;
      gas += receipt.gasUsed;
      for (const each of [receipt.from, receipt.to]) if (each !== undefined) addresses.add(each);
      addFee(receipt);
    },
    integers: () => ({
      all_rows: counts.rows,
      all_gas: allGas,
      tx_count: counts.counted,
      failed_tx_count: counts.failed,
      status_missing: counts.status_missing,
      ...(systemType !== undefined && { type_missing: counts.type_missing }),
      fee_missing: counts.fee_missing,
      active_addresses: addresses.size,
      tx_gas_used: gas,
      ...(hasL1Fee && { l2_fees: l2Fees }),
      fees: fees.sum(),
      fee_median_x2: fees.twiceMedian(),
    }),
  };
}

function toText(integers: Integers): TextRow {
  return Object.fromEntries(
    Object.entries(integers).map(([name, value]) => [name, value === undefined ? null : String(value)]),
  );
}
