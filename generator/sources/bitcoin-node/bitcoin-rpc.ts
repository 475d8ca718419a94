import { toClientName, toFields } from '../json-rpc/fields.js';
import { resultOf, type JsonRpc, type RpcCall } from '../json-rpc/json-rpc.js';
import { shapeError } from '../shape-error.js';
import { parseBlock, parseHeader, readCount, toHash, type Block, type BlockHeader } from './block.js';

/** Most bytes of a block with all its inputs and scripts. */
const MAX_BLOCK_BYTES = 256_000_000;

export const CHAIN_INFO: RpcCall = { method: 'getblockchaininfo', params: [] };
export const NETWORK_INFO: RpcCall = { method: 'getnetworkinfo', params: [] };
export const GENESIS: RpcCall = { method: 'getblockhash', params: [0] };

/** The methods of a node that the source uses. Each throws SourceError, or the reason of `signal`. */
export type BitcoinRpc = {
  readonly where: string;
  readonly blockCount: (signal: AbortSignal) => Promise<number>;
  /** Returns the hash of block 0 and the median time of a block, by one request. */
  readonly genesisAndMedianTime: (
    height: number,
    signal: AbortSignal,
  ) => Promise<{ readonly genesis: string; readonly medianTime: number }>;
  /** Returns the name and version of the node's program; `unknown` if it does not tell. */
  readonly client: (signal: AbortSignal) => Promise<string>;
  readonly headers: (heights: readonly number[], signal: AbortSignal) => Promise<readonly BlockHeader[]>;
  readonly block: (header: BlockHeader, signal: AbortSignal) => Promise<Block>;
};

/**
 * Creates the methods of a node. All calls are sent as batches, because Bitcoin Core answers the errors of other calls with
 * status 500, which looks like a failure that may pass.
 */
export function createBitcoinRpc(rpc: JsonRpc): BitcoinRpc {
  const { where } = rpc;

  async function askAll(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    maxBytes?: number,
  ): Promise<readonly unknown[]> {
    const answers = await rpc.batch(calls, signal, maxBytes);
    return answers.map((answer, i) => resultOf(where, calls[i]?.method ?? '', answer));
  }

  return {
    where,
    async blockCount(signal) {
      const [height] = await askAll([{ method: 'getblockcount', params: [] }], signal);
      return readCount(where, { height }, 'height');
    },
    async genesisAndMedianTime(height, signal) {
      const stats = { method: 'getblockstats', params: [height, ['height', 'mediantime']] };
      const [genesis, answer] = await askAll([GENESIS, stats], signal);
      const fields = toFields(where, answer);
      const got = readCount(where, fields, 'height');
      if (got !== height) throw shapeError(where, `the statistics of block ${height}`, `${got}`);
      return {
        genesis: toHash(where, genesis, 'hash of block 0'),
        medianTime: readCount(where, fields, 'mediantime'),
      };
    },
    async client(signal) {
      const [answer] = await rpc.batch([NETWORK_INFO], signal);
      const isKnown = answer !== undefined && 'result' in answer;
      return toClientName(isKnown ? toFields(where, answer.result)['subversion'] : undefined, rpc.scrub);
    },
    async headers(heights, signal) {
      const hashCalls = heights.map((height) => ({ method: 'getblockhash', params: [height] }));
      const hashes = (await askAll(hashCalls, signal)).map((each) => toHash(where, each, 'hash of a block'));
      const headerCalls = hashes.map((hash) => ({ method: 'getblockheader', params: [hash, true] }));
      const headers = await askAll(headerCalls, signal);
      return headers.map((each, i) => {
        const header = parseHeader(where, each, heights[i] ?? -1);
        if (header.hash === hashes[i]) return header;
        throw shapeError(where, `the header ${hashes[i] ?? ''}`, header.hash);
      });
    },
    async block(header, signal) {
      const call = { method: 'getblock', params: [header.hash, 3] };
      const [block] = await askAll([call], signal, MAX_BLOCK_BYTES);
      return parseBlock(where, block, header);
    },
  };
}
