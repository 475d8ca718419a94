import fc from 'fast-check';

export type EvmChain = 'ethereum' | 'arbitrum' | 'base';

/** A row of the transactions, in the units of the source. Doubles are in gwei and ETH; ethereum's price is in wei. */
export type EvmTransaction = {
  readonly from: string | null;
  readonly to: string | null;
  readonly status: number | null;
  readonly type: number | null;
  readonly gas: number | null;
  readonly price: bigint | number | null;
  readonly l1Fee: number | null;
  /** The fee that the source states, in ETH. */
  readonly statedFee: number | null;
};

export type EvmBlock = {
  readonly number: number;
  readonly transactions: number;
  readonly gasUsed: number | null;
  readonly gasLimit: number | null;
};

export type EvmDay = {
  readonly blocks: readonly EvmBlock[];
  readonly transactions: readonly EvmTransaction[];
};

/** Type of the protocol's own transactions, if the chain has them. */
const SYSTEM_TYPES = { ethereum: undefined, arbitrum: 106, base: 126 } as const;

const rarelyNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 12 });
const address = fc.nat(40).map((n) => `0x${n.toString(16).padStart(40, '0')}`);
/** Few different values, so that fees are often equal, and values of every size. */
const gas = fc.oneof(fc.constantFrom(0, 21_000, 50_000), fc.integer({ min: 1, max: 36_000_000 }));
const wei = fc.oneof(
  fc.constantFrom(0n, 1n, 1_000_000_000n),
  fc.bigInt({ min: 0n, max: 10n ** 10n }),
  fc.bigInt({ min: 0n, max: 2n ** 53n }),
);
/** Quotients of amounts up to 2^53 wei, and 64ths up to 9 ETH, which doubles have exactly. */
const l1Fee = fc.oneof(
  fc.constantFrom(0, 0.5, 0.009),
  wei.map((amount) => Number(amount) / 1e18),
  fc.nat(9 * 64).map((n) => n / 64),
);

function transactionOf(chain: EvmChain): fc.Arbitrary<EvmTransaction> {
  return fc
    .record({
      from: rarelyNull(address),
      to: rarelyNull(address),
      status: rarelyNull(fc.constantFrom(0, 1, 1, 1)),
      type: rarelyNull(fc.constantFrom(0, 2, 2, 3, SYSTEM_TYPES[chain] ?? 4)),
      gas: rarelyNull(gas),
      price: rarelyNull(wei),
      l1Fee: chain === 'base' ? rarelyNull(l1Fee) : fc.constant(null),
      stated: fc.constantFrom('right', 'right', 'right', 'wrong', 'missing'),
    })
    .map(({ stated, price, ...row }) => {
      const scaled = price === null || chain === 'ethereum' ? price : Number(price) / 1e9;
      const fee = (row.gas ?? 0) * Number(price ?? 0n) + (row.l1Fee ?? 0) * 1e18;
      const right = fee / 1e18;
      const statedFee = stated === 'missing' ? null : stated === 'right' ? right : (2 * fee + 1_000) / 1e18;
      return { ...row, price: scaled, statedFee };
    });
}

const block: fc.Arbitrary<Omit<EvmBlock, 'number'>> = fc.record({
  transactions: fc.nat(300),
  gasUsed: fc.option(fc.integer({ min: 0, max: 2 ** 52 }), { freq: 40 }),
  gasLimit: fc.option(fc.integer({ min: 0, max: 2 ** 52 }), { freq: 40 }),
});

/** Returns days of a chain, with any number of blocks and transactions. */
export function evmDay(chain: EvmChain): fc.Arbitrary<EvmDay> {
  return fc
    .record({
      first: fc.nat(10 ** 9),
      blocks: fc.array(block, { maxLength: 6 }),
      transactions: fc.array(transactionOf(chain), { maxLength: 60, size: 'max' }),
      isTwice: fc.boolean(),
    })
    .map(({ first, blocks, transactions, isTwice }) => {
      const numbered = blocks.map((each, i) => ({ ...each, number: first + i }));
      return { blocks: isTwice ? numbered.concat(numbered.slice(0, 1)) : numbered, transactions };
    });
}

/** Last date with receipts of Ethereum that have no status, because they are from before Byzantium. */
const LAST_WITHOUT_STATUS = '2017-10-16';

/** Returns the integers of a day as text, computed with integers row by row; `undefined` for a day without blocks. */
export function naiveEvmDay(
  chain: EvmChain,
  date: string,
  { blocks, transactions }: EvmDay,
): Record<string, string | null> | undefined {
  if (blocks.length === 0) return undefined;
  const numbers = blocks.map(({ number }) => number);
  const counted = transactions.filter(({ type }) => type !== SYSTEM_TYPES[chain]);
  const fees = counted.map((row) => feesOf(chain, row));
  const known = fees.flatMap(({ fee }) => (fee === null ? [] : [fee])).sort(ascending);
  const addresses = counted.flatMap(({ from, to }) => [from, to]).filter((each) => each !== null);
  const integers: Record<string, bigint | number | null> = {
    block_count: blocks.length,
    block_numbers: new Set(numbers).size,
    first_block: Math.min(...numbers),
    last_block: Math.max(...numbers),
    block_tx_count: blocks.reduce((sum, each) => sum + each.transactions, 0),
    gas_used: sumOrNull(blocks.map(({ gasUsed }) => gasUsed)),
    all_rows: transactions.length,
    all_gas: sum(transactions.map((row) => row.gas)),
    tx_count: counted.length,
    failed_tx_count: counted.filter(({ status }) => status === 0).length,
    status_missing: counted.filter(({ status }) => status === null).length,
    fee_missing: fees.filter(({ fee }) => fee === null).length,
    active_addresses: new Set(addresses).size,
    tx_gas_used: sum(counted.map((row) => row.gas)),
    fees: known.reduce((total, fee) => total + fee, 0n),
    fee_median_x2: twiceMedian(known),
  };
  if (chain === 'ethereum') {
    const missing = integers['status_missing'] ?? 0;
    const isBefore = date <= LAST_WITHOUT_STATUS && missing !== 0;
    Object.assign(integers, { before_status: isBefore ? missing : 0 });
    if (isBefore) Object.assign(integers, { status_missing: 0, failed_tx_count: null });
  }
  if (chain !== 'arbitrum') integers['gas_limit_sum'] = sumOrNull(blocks.map(({ gasLimit }) => gasLimit));
  if (chain === 'base') integers['l2_fees'] = fees.reduce((total, { l2Fee }) => total + (l2Fee ?? 0n), 0n);
  if (chain !== 'ethereum') {
    integers['type_missing'] = transactions.filter(({ type }) => type === null).length;
    integers['fee_disagrees'] = counted.filter((row, i) => !isStated(row, fees[i]?.fee ?? null)).length;
  }
  return Object.fromEntries(
    Object.entries(integers).map(([name, n]) => [name, n === null ? null : String(n)]),
  );
}

function feesOf(chain: EvmChain, row: EvmTransaction): { l2Fee: bigint | null; fee: bigint | null } {
  if (row.gas === null || row.price === null) return { l2Fee: null, fee: null };
  const price = chain === 'ethereum' ? BigInt(row.price) : toSmallest(Number(row.price), 9);
  const l2Fee = BigInt(row.gas) * price;
  return { l2Fee, fee: l2Fee + toSmallest(row.l1Fee ?? 0, 18) };
}

/** Returns the integer that the shortest decimal text of a double means, in units of 10^-`decimals`. */
export function toSmallest(amount: number, decimals: number): bigint {
  const [digits = '', exponent = '0'] = String(amount).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = decimals - fraction.length + Number(exponent);
  const scaled = BigInt(whole + fraction) * 10n ** BigInt(Math.max(shift, 0));
  const unit = 10n ** BigInt(Math.max(-shift, 0));
  return (2n * scaled + unit) / (2n * unit);
}

function isStated({ statedFee }: EvmTransaction, fee: bigint | null): boolean {
  if (statedFee === null || fee === null) return false;
  return Math.abs(statedFee * 1e18 - Number(fee)) <= Number(fee) * 1e-6 + 100; // drawn to be far off, or right
}

/** Returns twice the median of ascending numbers. */
export function twiceMedian(sorted: readonly bigint[]): bigint | null {
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || upper === undefined ? null : lower + upper;
}

export function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum(values: readonly (number | null)[]): bigint {
  return values.reduce((total, value) => total + BigInt(value ?? 0), 0n);
}

function sumOrNull(values: readonly (number | null)[]): bigint | null {
  return values.includes(null) ? null : sum(values);
}
