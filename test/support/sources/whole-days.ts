import type { Chain } from '../../../schemas/types.generated.js';
import type { BitcoinDay } from '../collection/bitcoin-days.js';
import type { EvmDay } from '../collection/evm-days.js';

const BLOCKS = 3;
const PER_BLOCK = 4;

/** Returns a small day in which rows, gas and blocks agree. Its numbers depend on `seed`. */
export function wholeDay(chain: Chain, seed: number): BitcoinDay | EvmDay {
  return chain === 'bitcoin' ? wholeBitcoinDay(seed) : wholeEvmDay(chain, seed);
}

function wholeBitcoinDay(seed: number): BitcoinDay {
  const rows = BLOCKS * PER_BLOCK;
  return {
    blocks: Array.from({ length: BLOCKS }, (_, i) => ({
      number: seed * BLOCKS + i,
      bits: '1702070f',
      transactions: PER_BLOCK,
      size: 1_000_000 + seed,
      weight: 3_990_000 + i,
    })),
    transactions: Array.from({ length: rows }, (_, i) => {
      const isCoinbase = i < BLOCKS;
      const to = [`bc1q${seed}${i}`, null];
      return { isCoinbase, fee: isCoinbase ? 0 : (seed + i) / 1e8, output: 3.125, inputs: to, outputs: to };
    }),
  };
}

function wholeEvmDay(chain: Chain, seed: number): EvmDay {
  const gas = 21_000 + seed;
  return {
    blocks: Array.from({ length: BLOCKS }, (_, i) => ({
      number: seed * BLOCKS + i,
      transactions: PER_BLOCK,
      gasUsed: gas * PER_BLOCK,
      gasLimit: 30_000_000,
    })),
    transactions: Array.from({ length: BLOCKS * PER_BLOCK }, (_, i) => {
      const price = 1_000_000_000 + i;
      const row = { from: `0x${seed}`, to: `0x${seed}${i}`, status: i % 5 === 0 ? 0 : 1, type: 2, gas };
      // Ethereum's price is in wei, the others' in gwei.
      return {
        ...row,
        price: chain === 'ethereum' ? BigInt(price) : price / 1e9,
        l1Fee: 0,
        statedFee: (gas * price) / 1e18,
      };
    }),
  };
}
