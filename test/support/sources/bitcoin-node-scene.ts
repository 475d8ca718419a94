import { addDays, toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  createBitcoinNode,
  type BitcoinNodeOptions,
} from '../../../generator/sources/bitcoin-node/bitcoin-node.js';
import type { Source } from '../../../generator/sources/source.js';
import { createInstantTools, type InstantTools } from './instant-tools.js';
import { RpcFault, startRpcService, type RpcService } from './rpc-service.js';

/** A transaction. Amounts are in satoshi; an address that is null is an output without one. */
export type BitcoinTx = {
  readonly from: readonly (string | null)[];
  readonly to: readonly (string | null)[];
  readonly fee?: number | undefined;
};

/** A block of the node. `salt` changes its hash, and those of all later blocks. */
export type BitcoinBlock = {
  time: number;
  bits: string;
  txs: BitcoinTx[];
  /** Output of the coinbase. */
  reward: number;
  size: number;
  salt: string;
};

/** A node with the answers of Bitcoin Core, and data for some days of March 2026. */
export type BitcoinNodeScene = {
  readonly service: RpcService;
  readonly tools: InstantTools;
  /** All blocks, by height. */
  readonly blocks: BitcoinBlock[];
  readonly hashOf: (height: number) => string;
  /** Returns the height of the first block with a time. */
  readonly heightAt: (instant: string) => number;
  /** Creates a source for a new collection. */
  readonly create: (options?: Partial<BitcoinNodeOptions>) => Source;
};

export const FIRST = '2026-03-23';
export const LAST = '2026-03-26';
const HOUR = 3600;

/**
 * Starts a node with a block every hour, or every so many hours. Twelve blocks follow the last date; the clock is at the time
 * of the newest.
 */
export async function startBitcoinNodeScene(hours = 1): Promise<BitcoinNodeScene> {
  const now = toInstant(Date.parse(`${addDays(LAST, 1)}T00:00:00Z`) + 12 * hours * HOUR * 1000);
  const tools = createInstantTools(now);
  const blocks = blocksFrom(`${addDays(FIRST, -1)}T00:00:00Z`, now, hours * HOUR);
  /** A hash ends with the height, so that it can be found quickly. */
  const hashOf = (height: number): string => {
    const salts = blocks.slice(0, height + 1).reduce((all, { salt }) => all + salt, '');
    return sha256Hex(salts).slice(8) + height.toString(16).padStart(8, '0');
  };
  const heightOf = (hash: unknown): number => {
    const height = parseInt(String(hash).slice(-8), 16);
    if (!(height in blocks) || hashOf(height) !== hash) throw new RpcFault(-5, 'Block not found');
    return height;
  };
  const service = await startRpcService({
    getblockcount: () => blocks.length - 1,
    getblockhash: (height: number) => {
      if (height >= blocks.length) throw new RpcFault(-8, 'Block height out of range');
      return hashOf(height);
    },
    getblockheader: (hash: string) => toHeader(blocks, heightOf(hash), hashOf),
    getblockstats: (asked: number | string) => {
      const height = typeof asked === 'number' ? asked : heightOf(asked);
      return { height, mediantime: medianTime(blocks, height) };
    },
    getblock: (hash: string) => toBlock(blocks, heightOf(hash), hashOf),
    getblockchaininfo: () => ({
      chain: 'main',
      blocks: blocks.length - 1,
      bestblockhash: hashOf(blocks.length - 1),
      initialblockdownload: false,
    }),
    getnetworkinfo: () => ({ version: 290100, subversion: '/Satoshi:29.1.0/' }),
  });
  return {
    service,
    tools,
    blocks,
    hashOf,
    heightAt(instant) {
      const height = blocks.findIndex(({ time }) => time === Date.parse(instant) / 1000);
      if (height === -1) throw new Error(`no block at ${instant}`);
      return height;
    },
    create: (options) =>
      createBitcoinNode({
        id: 'bitcoin-node',
        endpoint: service.endpoint,
        genesis: hashOf(0),
        tools,
        ...options,
      }),
  };
}

function blocksFrom(first: string, last: string, seconds: number): BitcoinBlock[] {
  const [start, end] = [first, last].map((instant) => Date.parse(instant) / 1000) as [number, number];
  const blocks: BitcoinBlock[] = [];
  for (let time = start; time <= end; time += seconds) {
    const n = blocks.length;
    const txs = Array.from({ length: n % 3 }, (_, i): BitcoinTx => ({
      from: [`from-${(n + i) % 17}`],
      to: [`to-${n % 13}`, null],
      fee: 100 + ((n * 7 + i) % 50),
    }));
    blocks.push({ time, bits: '17020a3c', txs, reward: 312_500_000, size: 1000 + n, salt: 'a' });
  }
  return blocks;
}

/** Returns the median of the times of a block and the ten before it. */
function medianTime(blocks: readonly BitcoinBlock[], height: number): number {
  const times = blocks.slice(Math.max(0, height - 10), height + 1).map(({ time }) => time);
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

function toHeader(
  blocks: readonly BitcoinBlock[],
  height: number,
  hashOf: (height: number) => string,
): Record<string, unknown> {
  const block = blocks[height];
  return {
    height,
    hash: hashOf(height),
    previousblockhash: height === 0 ? undefined : hashOf(height - 1),
    time: block?.time,
    mediantime: medianTime(blocks, height),
    bits: block?.bits,
    nTx: 1 + (block?.txs.length ?? 0),
  };
}

function toBlock(
  blocks: readonly BitcoinBlock[],
  height: number,
  hashOf: (height: number) => string,
): Record<string, unknown> {
  const { txs = [], reward = 0, size = 0 } = blocks[height] ?? {};
  const coinbase = {
    vin: [{ coinbase: '03', sequence: 1 }],
    vout: [toOutput('miner', reward), toOutput(null, 0)],
  };
  return {
    ...toHeader(blocks, height, hashOf),
    size,
    weight: size * 3,
    tx: [coinbase, ...txs.map(toTransaction)],
  };
}

function toTransaction({ from, to, fee }: BitcoinTx): Record<string, unknown> {
  return {
    vin: from.map((address) => ({ txid: 'x', vout: 0, prevout: toOutput(address, 5_000_000_001) })),
    vout: to.map((address) => toOutput(address, 12_345)),
    fee: fee === undefined ? undefined : toBtc(fee),
  };
}

function toOutput(address: string | null, satoshi: number): Record<string, unknown> {
  return { value: toBtc(satoshi), scriptPubKey: address === null ? { type: 'nulldata' } : { address } };
}

/** Bitcoin Core writes 8 digits. A number of JavaScript loses only zeros at the end, or has an exponent. */
function toBtc(satoshi: number): number {
  return satoshi / 1e8;
}
