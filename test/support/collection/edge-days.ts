import type { BitcoinDay, BitcoinTransaction } from './bitcoin-days.js';
import type { EvmChain, EvmDay, EvmTransaction } from './evm-days.js';

const BLOCK = { number: 100, transactions: 3, gasUsed: 21_000, gasLimit: 30_000_000 };
/** Type of the protocol's own transactions. Ethereum has none: its days get an ordinary type. */
const SYSTEM = { ethereum: 2, arbitrum: 106, base: 126 } as const;

/** Returns days of a chain with what random days seldom have. */
export function evmEdges(chain: EvmChain): EvmDay[] {
  const row = (fields: Partial<EvmTransaction> & { wei?: bigint | null }): EvmTransaction => {
    const { wei = 1_000_000_000n, ...others } = fields;
    const price = wei === null || chain === 'ethereum' ? wei : Number(wei) / 1e9;
    const own = { from: '0xa', to: '0xb', status: 1, type: 2, gas: 21_000, l1Fee: null, statedFee: null };
    return { ...own, price, ...others };
  };
  const many = (...transactions: EvmTransaction[]): EvmDay => ({ blocks: [BLOCK], transactions });
  const mostWei = chain === 'ethereum' ? 2n ** 53n + 1n : 2n ** 53n - 1n; // doubles have the integers below
  const l1Fee = chain === 'base' ? 9.1875 : null; // ETH: below 2^63 wei, the limit of BIGINT in base.sql
  return [
    { blocks: [], transactions: [] },
    { blocks: [], transactions: [row({})] },
    { blocks: [BLOCK, BLOCK], transactions: [] },
    many(row({ gas: 1, wei: 1n }), row({ gas: 1, wei: 2n })),
    many(row({ gas: null }), row({ wei: null }), row({ gas: null, wei: null, status: null, type: null })),
    many(row({ type: SYSTEM[chain] }), row({ type: SYSTEM[chain], status: 0 })),
    many(row({ gas: 36_000_000, wei: 10n ** 15n, l1Fee }), row({ gas: 36_000_000, wei: mostWei })),
    many(row({ from: null, to: null }), row({ from: '', to: null })),
    many(row({ wei: 0n }), row({ gas: 0 }), row({ wei: 0n, gas: 0, statedFee: 0 })),
    many(
      ...Array.from({ length: 5_000 }, (_, i) => row({ from: `0x${i}`, wei: 10n ** 9n + BigInt(i % 97) })),
    ),
    { blocks: [{ ...BLOCK, gasUsed: null, gasLimit: null }], transactions: [row({ statedFee: 21_000e-9 })] },
  ];
}

/** Returns days of bitcoin with what random days seldom have. */
export function bitcoinEdges(): BitcoinDay[] {
  const block = { number: 900_000, bits: '1702070f', transactions: 1, size: 1_000, weight: 4_000 };
  const row = (fields: Partial<BitcoinTransaction>): BitcoinTransaction => ({
    isCoinbase: false,
    fee: 1e-8,
    output: 1,
    inputs: ['bc1qa'],
    outputs: ['bc1qb'],
    ...fields,
  });
  const many = (...transactions: BitcoinTransaction[]): BitcoinDay => ({ blocks: [block], transactions });
  return [
    { blocks: [], transactions: [] },
    { blocks: [], transactions: [row({})] },
    { blocks: [block, { ...block, bits: '17020710' }, { ...block, size: null }], transactions: [] },
    many(row({ fee: 1.5e-8 }), row({ fee: 2.5e-8 }), row({ fee: 0.5e-8 }), row({ fee: 0.49999999e-8 })),
    many(row({ fee: null }), row({ isCoinbase: true, fee: null, output: null }), row({ isCoinbase: null })),
    many(row({ isCoinbase: true, output: 20_999_999.9769 }), row({ output: 0.1 + 0.2, fee: 0.29 })),
    many(
      row({ inputs: null, outputs: null }),
      row({ inputs: [], outputs: [null] }),
      row({ inputs: [null, ''] }),
    ),
    many(...Array.from({ length: 5_000 }, (_, i) => row({ fee: (i % 89) / 1e8, inputs: [`bc1q${i}`] }))),
  ];
}
