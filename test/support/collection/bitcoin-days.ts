import fc from 'fast-check';
import { ascending, twiceMedian } from './evm-days.js';

/** A row of the transactions. Amounts are doubles in BTC. */
export type BitcoinTransaction = {
  readonly isCoinbase: boolean | null;
  readonly fee: number | null;
  readonly output: number | null;
  readonly inputs: readonly (string | null)[] | null;
  readonly outputs: readonly (string | null)[] | null;
};

export type BitcoinBlock = {
  readonly number: number;
  readonly bits: string;
  readonly transactions: number;
  readonly size: number | null;
  readonly weight: number | null;
};

export type BitcoinDay = {
  readonly blocks: readonly BitcoinBlock[];
  readonly transactions: readonly BitcoinTransaction[];
};

const address = fc.nat(30).map((n) => `bc1q${n}`);
const addresses = fc.option(fc.array(fc.option(address, { freq: 6 }), { maxLength: 3 }), { freq: 10 });
const satoshi = fc.oneof(
  fc.constantFrom(0, 1, 226),
  fc.nat(10 ** 6),
  fc.integer({ min: 0, max: 21 * 10 ** 14 }),
);
/** Amounts as a subtraction of doubles leaves them: not quite the nearest double. */
const btc = fc.tuple(satoshi, fc.constantFrom(-1e-11, 0, 1e-11)).map(([n, error]) => n / 1e8 + error);

const transaction: fc.Arbitrary<BitcoinTransaction> = fc.record({
  isCoinbase: fc.constantFrom(false, false, false, false, true, null),
  fee: fc.option(btc, { freq: 12 }),
  output: fc.option(btc, { freq: 12 }),
  inputs: addresses,
  outputs: addresses,
});

/** Returns days of bitcoin, on some of which the difficulty changes. */
export const bitcoinDay: fc.Arbitrary<BitcoinDay> = fc.record({
  transactions: fc.array(transaction, { maxLength: 60, size: 'max' }),
  blocks: fc
    .array(
      fc.record({
        bits: fc.constantFrom('1702070f', '1702070f', '1701f0cc'),
        transactions: fc.nat(300),
        size: fc.option(fc.nat(4_000_000), { freq: 40 }),
        weight: fc.option(fc.nat(4_000_000), { freq: 40 }),
      }),
      { maxLength: 6 },
    )
    .map((blocks) => blocks.map((block, i) => ({ ...block, number: 900_000 + i }))),
});

/** Returns the rows of a day as text, computed with integers: one for each difficulty, by ascending bits. */
export function naiveBitcoinDay({ blocks, transactions }: BitcoinDay): Record<string, string | null>[] {
  const bits = [...new Set(blocks.map((block) => block.bits))].sort();
  const ofDay = integersOfTransactions(transactions);
  return bits.map((each) => {
    const integers = { ...integersOfBlocks(blocks.filter((block) => block.bits === each)), ...ofDay };
    const texts = Object.entries(integers).map(([name, n]) => [name, n === null ? null : String(n)] as const);
    return { bits: each, ...Object.fromEntries(texts) };
  });
}

function integersOfBlocks(blocks: readonly BitcoinBlock[]): Record<string, number | null> {
  const numbers = blocks.map(({ number }) => number);
  const sum = (values: readonly (number | null)[]): number | null =>
    values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
  return {
    block_count: blocks.length,
    block_numbers: new Set(numbers).size,
    first_block: Math.min(...numbers),
    last_block: Math.max(...numbers),
    block_tx_count: sum(blocks.map((block) => block.transactions)),
    block_size: sum(blocks.map(({ size }) => size)),
    block_weight: sum(blocks.map(({ weight }) => weight)),
  };
}

function integersOfTransactions(rows: readonly BitcoinTransaction[]): Record<string, bigint | number | null> {
  const coinbase = rows.filter(({ isCoinbase }) => isCoinbase === true);
  const others = rows.filter(({ isCoinbase }) => isCoinbase !== true);
  const fees = toSatoshi(others.map(({ fee }) => fee)).sort(ascending);
  const outputs = toSatoshi(coinbase.map(({ output }) => output));
  const seen = rows.flatMap(({ inputs, outputs: paid }) => [...(inputs ?? []), ...(paid ?? [])]);
  return {
    all_rows: rows.length,
    coinbase_count: coinbase.length,
    output_missing: coinbase.length - outputs.length,
    coinbase_output: outputs.reduce((total, value) => total + value, 0n),
    tx_count: others.length,
    fee_missing: others.length - fees.length,
    active_addresses: new Set(seen.filter((each) => each !== null)).size,
    fees: fees.reduce((total, value) => total + value, 0n),
    fee_median_x2: twiceMedian(fees),
  };
}

function toSatoshi(values: readonly (number | null)[]): bigint[] {
  return values.flatMap((value) => (value === null ? [] : [BigInt(Math.round(value * 1e8))]));
}
