import type { Chain } from '../../../schemas/types.generated.js';

/** A chain whose nodes answer Ethereum's JSON-RPC. */
export type EvmChain = Exclude<Chain, 'bitcoin'>;

/** Properties of a chain. */
type EvmChainDefinition = {
  readonly chainId: number;
  /** First date with blocks that transactions can use. */
  readonly firstDate: string;
  /** Time of day (UTC) from which the day before is usually finalized. */
  readonly completeFrom: string;
  /** Type of the protocol's own transactions, which are not counted. */
  readonly systemType: bigint | undefined;
  /** True if receipts state a fee for Ethereum beside the gas. */
  readonly hasL1Fee: boolean;
  /** True if the catalog has the gas limit of the chain's blocks. */
  readonly hasGasLimit: boolean;
};

/** The chains that a node can serve. */
export const EVM_CHAINS: Readonly<Record<EvmChain, EvmChainDefinition>> = {
  ethereum: {
    chainId: 1,
    firstDate: '2015-07-30',
    completeFrom: '00:30',
    systemType: undefined,
    hasL1Fee: false,
    hasGasLimit: true,
  },
  arbitrum: {
    chainId: 42161,
    firstDate: '2021-05-28',
    completeFrom: '01:00',
    systemType: 0x6an,
    hasL1Fee: false,
    hasGasLimit: false,
  },
  base: {
    chainId: 8453,
    firstDate: '2023-06-15',
    completeFrom: '01:00',
    systemType: 0x7en,
    hasL1Fee: true,
    hasGasLimit: true,
  },
};

/** Returns the definitions of the values, as the queries in `schemas/sql` have them. */
export function evmDefinitions(chain: EvmChain, withReceipts: boolean): string[] {
  const { systemType, hasL1Fee, hasGasLimit } = EVM_CHAINS[chain];
  const ofBlocks = [
    'A day has the blocks whose time is in [00:00, 24:00) UTC. Only finalized days are given.',
    'block_count, gas_used: of all blocks of the day, from their headers.',
    ...(hasGasLimit ? ['gas_limit_mean: mean gas limit of the blocks.'] : []),
  ];
  if (!withReceipts) return ofBlocks;
  return [
    ...ofBlocks,
    systemType === undefined
      ? 'tx_count: all transactions, including failed ones.'
      : `tx_count: transactions including failed ones, without type 0x${systemType.toString(16)} (the protocol's own). All other values of transactions leave these out too.`,
    'active_addresses: distinct senders and recipients; the creation of a contract has no recipient.',
    hasL1Fee
      ? 'fees_total, fee_median: gas used x effective gas price, plus the fee for Ethereum (l1Fee) of the receipt.'
      : 'fees_total, fee_median: gas used x effective gas price. Fees for blobs are not included.',
    'gas_price_mean: sum of gas used x effective gas price, divided by the gas used.',
  ];
}
