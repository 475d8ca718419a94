import { toClientName } from '../json-rpc/fields.js';
import { resultOf, type JsonRpc, type RpcCall } from '../json-rpc/json-rpc.js';
import { SourceError } from '../source.js';
import { parseHeader, type BlockHeader } from './block-header.js';
import { readInteger } from './quantity.js';
import { parseReceipts, type Receipt } from './receipt.js';

/** Most bytes of the receipts of a block. */
const MAX_RECEIPT_BYTES = 128_000_000;

/** The error with which a node says that it has no such block. Source: execution-apis, `-39001: Unknown block`. */
const UNKNOWN_BLOCK = -39001;

export const CHAIN_ID: RpcCall = { method: 'eth_chainId', params: [] };
export const CLIENT_VERSION: RpcCall = { method: 'web3_clientVersion', params: [] };
export const FINALIZED: RpcCall = { method: 'eth_getBlockByNumber', params: ['finalized', false] };

/** The methods of a node that the source uses. Each throws SourceError, or the reason of `signal`. */
export type EvmRpc = {
  readonly where: string;
  readonly chainId: (signal: AbortSignal) => Promise<number>;
  /** Returns the name and version of the node's program; `unknown` if it does not tell. */
  readonly client: (signal: AbortSignal) => Promise<string>;
  readonly finalized: (signal: AbortSignal) => Promise<BlockHeader>;
  readonly header: (number: number, signal: AbortSignal) => Promise<BlockHeader>;
  /** Returns the headers of blocks by one request. */
  readonly headers: (numbers: readonly number[], signal: AbortSignal) => Promise<readonly BlockHeader[]>;
  readonly receipts: (header: BlockHeader, signal: AbortSignal) => Promise<readonly Receipt[]>;
};

/** Creates the methods of a node. */
export function createEvmRpc(rpc: JsonRpc): EvmRpc {
  const { where } = rpc;
  const ask = async (call: RpcCall, signal: AbortSignal): Promise<unknown> =>
    resultOf(where, call.method, await rpc.call(call, signal));
  return {
    where,
    async chainId(signal) {
      return readInteger(where, { chainId: await ask(CHAIN_ID, signal) }, 'chainId');
    },
    async client(signal) {
      const answer = await rpc.call(CLIENT_VERSION, signal);
      return toClientName('result' in answer ? answer.result : undefined, rpc.scrub);
    },
    async finalized(signal) {
      const answer = await rpc.call(FINALIZED, signal);
      const isNone = 'result' in answer ? answer.result === null : answer.error.code === UNKNOWN_BLOCK;
      if (isNone) {
        throw new SourceError(
          'not-yet',
          `${where}: expected a finalized block, got none. Check that the node is in sync.`,
        );
      }
      if ('error' in answer) {
        const { code, message } = answer.error;
        const got = `the error ${code}: ${message}`;
        throw new SourceError(
          'shape',
          `${where}: expected the block with the tag finalized, got ${got}. Use a node that supports the tag.`,
        );
      }
      return parseHeader(where, answer.result, 'finalized');
    },
    async header(number, signal) {
      return parseHeader(where, await ask(toHeaderCall(number), signal), number);
    },
    async headers(numbers, signal) {
      const answers = await rpc.batch(numbers.map(toHeaderCall), signal);
      return numbers.map((number, i) => {
        const answer = answers[i] ?? { result: undefined };
        return parseHeader(where, resultOf(where, `block ${number}`, answer), number);
      });
    },
    async receipts(header, signal) {
      const call = { method: 'eth_getBlockReceipts', params: [toHex(header.number)] };
      const answer = await rpc.call(call, signal, MAX_RECEIPT_BYTES);
      return parseReceipts(where, resultOf(where, call.method, answer), header);
    },
  };
}

function toHeaderCall(number: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [toHex(number), false] };
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
