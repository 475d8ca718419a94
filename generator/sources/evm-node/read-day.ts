import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import type { CollectedDay, NodeEvidence } from '../../core/collection/day-values.js';
import { type TextRow, toQueryDay } from '../../core/collection/query-day.js';
import { type BlockSearch, inGroups, readAhead, toParts } from '../node-blocks.js';
import { shapeError, SourceError } from '../source.js';
import {
  assertLinked,
  type BlockHeader,
  EVM_CHAINS,
  type EvmChain,
  type EvmRpc,
  type Receipt,
} from './evm-rpc.js';
import { createFeeList } from '../../core/collection/decimal.js';

const SECONDS_PER_DAY = 86_400;
/** Most requests at the same time. */
export const AT_ONCE = 4;
/** Most transactions in a request for the receipts of several blocks, which have 1 to 3 MB then. */
const MOST_RECEIPTS = 1_000;

/** Options for `readDay`. */
type ReadDayOptions = {
  readonly rpc: EvmRpc;
  readonly chain: EvmChain;
  readonly withReceipts: boolean;
  /** Most headers in a request. */
  readonly batchSize: number;
  /** The newest block that cannot be reorganized. */
  readonly finalized: BlockHeader;
  readonly findFirstBlock: BlockSearch;
};

/**
 * Reads a UTC day, whose end is not after the finalized block. Checks that its blocks are linked, also with the blocks
 * before and after it. @throws SourceError
 */
export async function readDay(
  options: ReadDayOptions,
  date: string,
  signal: AbortSignal,
): Promise<CollectedDay> {
  const { rpc, chain, withReceipts, batchSize, finalized, findFirstBlock } = options;
  const end = endOfDayMs(toDayNumber(date)) / 1000;
  const first = await findFirstBlock(end - SECONDS_PER_DAY, finalized, signal);
  const next = await findFirstBlock(end, finalized, signal);
  if (first === next) {
    throw new SourceError('not-yet', `${rpc.where}: expected blocks of ${date}, got none.`);
  }
  const sums = createDaySums(chain, withReceipts);
  const ends: { first?: BlockHeader; last?: BlockHeader } = {};
  const ended = new AbortController();
  const any = AbortSignal.any([signal, ended.signal]);
  const blocks = readBlocks(options, { first, next, end }, any);
  const countOf = ({ transactions }: BlockHeader): number => transactions.length;
  async function* withTransactions(): AsyncGenerator<BlockHeader> {
    for await (const header of blocks) {
      sums.addBlock(header);
      ends.first ??= header;
      ends.last = header;
      if (withReceipts && countOf(header) > 0) yield header;
    }
  }
  const groups = inGroups(withTransactions(), countOf, { count: batchSize, weight: MOST_RECEIPTS });
  try {
    const read = { concurrency: AT_ONCE, read: rpc.receipts, signal };
    for await (const receipts of readAhead(groups, 'any', read)) sums.addReceipts(receipts);
  } finally {
    ended.abort(); // after failed receipts, no more headers are read
  }
  const client = await rpc.client(signal);
  return {
    chain,
    date,
    ...toQueryDay(chain, [sums.toRow()]),
    evidence: toEvidence(client, ends),
  };
}

/** The first block of a day and that of the next, and the end of the day in seconds since the epoch. */
type DaySpan = { readonly first: number; readonly next: number; readonly end: number };

/** Reads the blocks of a day in their order, and checks the links between them and to those before and after them. */
async function* readBlocks(
  { rpc, batchSize }: ReadDayOptions,
  { first, next, end }: DaySpan,
  signal: AbortSignal,
): AsyncGenerator<BlockHeader> {
  const parts = toParts(Math.max(0, first - 1), next, batchSize);
  const read = { concurrency: AT_ONCE, read: rpc.headers, signal };
  let previous: BlockHeader | undefined;
  for await (const headers of readAhead(parts, 'of parts', read)) {
    for (const header of headers) {
      const isOfDay = header.number >= first && header.number < next;
      if (previous !== undefined) assertLinked(rpc.where, previous, header);
      previous = header;
      assertSide(rpc.where, header, isOfDay, end);
      if (isOfDay) yield header;
    }
  }
}

/** Checks that a block is on the right side of both ends of the day. `end`: seconds since the epoch. */
function assertSide(where: string, { number, time }: BlockHeader, isOfDay: boolean, end: number): void {
  const isWithin = time >= end - SECONDS_PER_DAY && time < end;
  if (isWithin === isOfDay) return;
  const expected = isOfDay ? 'a time within the day' : 'a time outside of the day';
  throw shapeError(`${where}: block ${number}`, `${expected} that ends at ${end}`, `${time}`);
}

function toEvidence(
  client: string,
  { first, last }: { first?: BlockHeader; last?: BlockHeader },
): NodeEvidence {
  return {
    kind: 'node',
    client,
    first_block: String(first?.number ?? ''),
    first_hash: first?.hash ?? '',
    last_block: String(last?.number ?? ''),
    last_hash: last?.hash ?? '',
  };
}

/** The integers of a day, added up block by block. */
type DaySums = {
  readonly addBlock: (header: BlockHeader) => void;
  readonly addReceipts: (receipts: readonly Receipt[]) => void;
  /** Returns the row that the chain's query (`schemas/sql`) has for the day, as far as a node knows its columns. */
  readonly toRow: () => TextRow;
};

type Integers = Record<string, bigint | number | undefined>;

/** Creates the sums of a day without blocks. */
function createDaySums(chain: EvmChain, withReceipts: boolean): DaySums {
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
  const { systemType, hasL1Fee, hasRoots } = EVM_CHAINS[chain];
  const fees = createFeeList();
  const addresses = new Set<string>();
  const counts = { rows: 0, counted: 0, failed: 0, type_missing: 0, fee_missing: 0 };
  const status = { missing: 0, before: 0 };
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
      if (receipt.status === undefined) status[hasRoots && receipt.hasRoot ? 'before' : 'missing'] += 1;
      if (receipt.status === 0n) counts.failed += 1;
      gas += receipt.gasUsed;
      for (const each of [receipt.from, receipt.to]) if (each !== undefined) addresses.add(each);
      addFee(receipt);
    },
    integers: () => ({
      all_rows: counts.rows,
      all_gas: allGas,
      tx_count: counts.counted,
      failed_tx_count: status.before > 0 ? undefined : counts.failed,
      status_missing: status.missing,
      ...(hasRoots && { before_status: status.before }),
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
