import { addDays } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { EvmChain } from '../../../generator/sources/evm-node/evm-rpc.js';
import { createEvmNode, type EvmNodeOptions } from '../../../generator/sources/evm-node/evm-node.js';
import type { Source } from '../../../generator/sources/source.js';
import { createInstantTools, type InstantTools } from './instant-tools.js';
import { startRpcService, type RpcService } from './rpc-service.js';

/** A transaction with its receipt. Quantities are numbers or bigints; a field that is undefined is absent. */
export type EvmTx = {
  from: string;
  to: string | null;
  gas: number;
  price?: bigint | undefined;
  status?: number | undefined;
  type?: number | undefined;
  l1Fee?: bigint | undefined;
};

/** A block of the node. `salt` changes its hash, and those of all later blocks. */
export type EvmBlock = { time: number; txs: EvmTx[]; gasLimit: number; salt: string };

/** A node of an EVM chain, with data for some days of March 2026. */
export type EvmNodeScene = {
  readonly service: RpcService;
  readonly tools: InstantTools;
  /** All blocks, by number. */
  readonly blocks: EvmBlock[];
  /** Returns the number of the first block of the last date. */
  readonly firstOfLast: () => number;
  /** Sets the finalized block. */
  readonly finalize: (number: number) => void;
  readonly hashOf: (number: number) => string;
  /** Returns the answer to `eth_getBlockByNumber`. */
  readonly header: (number: number) => Record<string, unknown>;
  /** Returns the answer to `eth_getBlockReceipts`. */
  readonly receipts: (number: number) => Record<string, unknown>[];
  /** Creates a source for a new collection. */
  readonly create: (options?: Partial<EvmNodeOptions>) => Source;
};

/** The span of the complete days that tests read. */
export const FIRST = '2026-03-22';
export const LAST = '2026-03-26';
/** Blocks of a day. */
export const PER_DAY = 9;
const CHAIN_IDS = { ethereum: 1, arbitrum: 42161, base: 8453 } as const;

/** Starts a node. Its last block, which is finalized, is some minutes before the clock: 00:40 UTC after the last date. */
export async function startEvmNodeScene(chain: EvmChain = 'base'): Promise<EvmNodeScene> {
  const tools = createInstantTools(`${addDays(LAST, 1)}T00:40:00Z`);
  const blocks = blocksFrom(addDays(FIRST, -1), addDays(LAST, 1));
  let finalized = blocks.length - 1;
  const hashOf = (number: number): string =>
    `0x${sha256Hex(blocks.slice(0, number + 1).reduce((hash, { salt }) => hash + salt, `${number}`))}`;
  const header = (number: number): Record<string, unknown> =>
    toHeader(
      blocks[number],
      number,
      hashOf(number),
      number === 0 ? `0x${'0'.repeat(64)}` : hashOf(number - 1),
    );
  const receipts = (number: number): Record<string, unknown>[] =>
    (blocks[number]?.txs ?? []).map((tx, index) => toReceipt(tx, index, number, hashOf(number)));
  const service = await startRpcService({
    eth_chainId: () => hex(CHAIN_IDS[chain]),
    web3_clientVersion: () => 'Geth/v1.16.9-stable/linux-amd64/go1.25',
    eth_getBlockByNumber: (tag: string) => {
      const number = tag === 'finalized' ? finalized : Number(tag);
      return number in blocks ? header(number) : null;
    },
    eth_getBlockReceipts: (tag: string) => (Number(tag) in blocks ? receipts(Number(tag)) : null),
  });
  return {
    service,
    tools,
    blocks,
    firstOfLast: () => blocks.length - 2 - PER_DAY,
    hashOf,
    header,
    receipts,
    finalize: (number) => void (finalized = number),
    create: (options) =>
      createEvmNode({ id: 'test-node', chain, endpoint: service.endpoint, tools, batchSize: 7, ...options }),
  };
}

/** Blocks every three hours of each day and at its last second; of the last day, one at midnight and one after it. */
function blocksFrom(first: string, last: string): EvmBlock[] {
  const blocks: EvmBlock[] = [];
  for (let date = first; date < last; date = addDays(date, 1)) {
    const start = Date.parse(`${date}T00:00:00Z`) / 1000;
    for (let hour = 0; hour < 24; hour += 3) blocks.push(blockAt(start + hour * 3600, blocks.length));
    blocks.push(blockAt(start + 86_399, blocks.length));
  }
  const end = Date.parse(`${last}T00:00:00Z`) / 1000;
  return [...blocks, blockAt(end, blocks.length), blockAt(end + 120, blocks.length + 1)];
}

function blockAt(time: number, number: number): EvmBlock {
  const txs = Array.from({ length: number % 4 }, (_, i): EvmTx => {
    const n = number * 4 + i;
    return {
      from: addressOf(n % 11),
      to: i === 2 ? null : addressOf(n % 7),
      gas: 21_000 + n,
      price: 10n ** 9n + BigInt(n),
      status: n % 5 === 0 ? 0 : 1,
      type: i === 0 ? 0x7e : 2,
      l1Fee: BigInt(n) * 10n ** 12n,
    };
  });
  return { time, txs, gasLimit: 30_000_000 + number, salt: 'a' };
}

function toHeader(
  block: EvmBlock | undefined,
  number: number,
  hash: string,
  parentHash: string,
): Record<string, unknown> {
  if (block === undefined) throw new Error(`no block ${number}`);
  return {
    number: hex(number),
    hash,
    parentHash,
    timestamp: hex(block.time),
    gasUsed: hex(block.txs.reduce((sum, { gas }) => sum + gas, 0)),
    gasLimit: hex(block.gasLimit),
    transactions: block.txs.map((_, index) => txHash(number, index)),
  };
}

function toReceipt(tx: EvmTx, index: number, number: number, blockHash: string): Record<string, unknown> {
  const { from, to, gas, price, status, type, l1Fee } = tx;
  return {
    blockHash,
    from,
    to,
    transactionHash: txHash(number, index),
    gasUsed: hex(gas),
    effectiveGasPrice: price === undefined ? undefined : hex(price),
    status: status === undefined ? undefined : hex(status),
    type: type === undefined ? undefined : hex(type),
    l1Fee: l1Fee === undefined ? undefined : hex(l1Fee),
  };
}

/** Returns the address with a number. */
export function addressOf(n: number): string {
  return `0x${n.toString(16).padStart(40, '0')}`;
}

function txHash(number: number, index: number): string {
  return `0x${sha256Hex(`${number}/${index}`)}`;
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
