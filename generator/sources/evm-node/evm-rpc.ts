import { type Fields, type JsonRpc, resultOf, type RpcCall, toArray, toFields } from '../json-rpc.js';
import { askClient } from '../node-probe.js';
import { describeValue, shapeError, SourceError } from '../source.js';
import type { Chain } from '../../../schemas/types.generated.js';

/** Most bytes of the receipts of a block. */
const MAX_RECEIPT_BYTES = 128_000_000;

/** The error with which a node says that it has no such block. Source: execution-apis, `-39001: Unknown block`. */
const UNKNOWN_BLOCK = -39001;
/** Other words for it: geth 1.16.9 and 1.17.10 say `finalized block not found` with -32000. */
const NO_BLOCK = /block not found|unknown block/i;
/** The error with which a node says that it deleted a block. Sources: EIP-4444; geth 1.17.10. */
const PRUNED = 4444;

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
  /** Returns the headers of blocks by one request. */
  readonly headers: (numbers: readonly number[], signal: AbortSignal) => Promise<readonly BlockHeader[]>;
  /** Returns the receipts of blocks by one request. */
  readonly receipts: (headers: readonly BlockHeader[], signal: AbortSignal) => Promise<readonly Receipt[]>;
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
    client: (signal) => askClient(rpc, CLIENT_VERSION, (value) => value, signal),
    async finalized(signal) {
      const answer = await rpc.call(FINALIZED, signal);
      if ('result' in answer ? answer.result === null : isNoBlock(answer.error)) {
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
    async headers(numbers, signal) {
      const answers = await rpc.batch(numbers.map(toHeaderCall), signal);
      return numbers.map((number, i) => {
        const answer = answers[i] ?? { result: undefined };
        return parseHeader(where, blockResultOf(where, `block ${number}`, answer), number);
      });
    },
    async receipts(headers, signal) {
      const answers = await rpc.batch(headers.map(toReceiptsCall), signal, MAX_RECEIPT_BYTES);
      return headers.flatMap((header, i) => {
        const answer = answers[i] ?? { result: undefined };
        return parseReceipts(where, blockResultOf(where, 'eth_getBlockReceipts', answer), header);
      });
    },
  };
}

function isNoBlock({ code, message }: { readonly code: number; readonly message: string }): boolean {
  return code === UNKNOWN_BLOCK || NO_BLOCK.test(message);
}

/** Returns the result of an answer about a block. @throws SourceError for an error of the node */
function blockResultOf(where: string, what: string, answer: Parameters<typeof resultOf>[2]): unknown {
  if ('result' in answer || answer.error.code !== PRUNED) return resultOf(where, what, answer);
  const { code, message } = answer.error;
  const remedy = 'Begin with a later date ("since" of the chain), or use a node that keeps all blocks.';
  throw new SourceError(
    'shape',
    `${where}: ${what}: the node deleted it (error ${code}: ${message}). ${remedy}`,
  );
}

export function toHeaderCall(number: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [toHex(number), false] };
}

export function toReceiptsCall({ number }: Pick<BlockHeader, 'number'>): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [toHex(number)] };
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}

/** The parts of a block that are used, without its transactions. */
export type BlockHeader = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Hashes of the transactions, in their order. */
  readonly transactions: readonly string[];
};

/**
 * Parses the answer to `eth_getBlockByNumber(…, false)`. `asked`: the number that was asked for.
 * @throws SourceError 'shape', or 'not-yet' if the node does not have the block.
 */
function parseHeader(node: string, value: unknown, asked: number | 'finalized'): BlockHeader {
  const where = `${node}: block ${asked}`;
  if (value === null) throw new SourceError('not-yet', `${where}: expected a block, got null.`);
  const fields = toFields(where, value);
  const number = readInteger(where, fields, 'number');
  if (asked !== 'finalized' && number !== asked) throw shapeError(where, `number ${asked}`, `${number}`);
  const transactions = toArray(where, fields['transactions'], 'transactions');
  return {
    number,
    hash: readHash(where, fields, 'hash'),
    parentHash: readHash(where, fields, 'parentHash'),
    time: readInteger(where, fields, 'timestamp'),
    gasUsed: readQuantity(where, fields, 'gasUsed'),
    gasLimit: readQuantity(where, fields, 'gasLimit'),
    transactions: transactions.map((each) => toHash(where, each, 'transaction')),
  };
}

/** Checks that `header` is the block after `previous`. @throws SourceError 'shape' */
export function assertLinked(node: string, previous: BlockHeader, header: BlockHeader): void {
  const where = `${node}: block ${header.number}`;
  if (header.parentHash !== previous.hash) {
    throw shapeError(where, `the parent ${previous.hash}`, header.parentHash);
  }
  if (header.time < previous.time) {
    throw shapeError(
      where,
      `a time of at least ${previous.time}, that of the block before`,
      `${header.time}`,
    );
  }
}

/** The parts of a receipt that are used. A field that the receipt does not have is undefined. */
export type Receipt = {
  readonly type: bigint | undefined;
  readonly status: bigint | undefined;
  /** True if it states a root of the state instead of a status, as before Byzantium. */
  readonly hasRoot: boolean;
  readonly gasUsed: bigint;
  readonly gasPrice: bigint | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly l1Fee: bigint | undefined;
  /** True if the transaction paid a fee to the operator of a rollup, of which the receipt states only the rates. */
  readonly paysOperator: boolean;
};

/**
 * Parses the answer to `eth_getBlockReceipts` for a block: one receipt per transaction, in the same order.
 * @throws SourceError 'shape', or 'not-yet' if the node does not have the receipts.
 */
function parseReceipts(node: string, value: unknown, header: BlockHeader): Receipt[] {
  const where = `${node}: receipts of block ${header.number}`;
  const { transactions } = header;
  if (value === null) throw new SourceError('not-yet', `${where}: expected receipts, got null.`);
  const receipts = toArray(where, value, 'result');
  if (receipts.length !== transactions.length) {
    throw shapeError(where, `${transactions.length}, one per transaction`, `${receipts.length}`);
  }
  return receipts.map((each, index) => {
    const at = `${where}, number ${index}`;
    const fields = toFields(at, each);
    assertSame(at, fields, 'blockHash', header.hash);
    assertSame(at, fields, 'transactionHash', transactions[index] ?? '');
    return parseReceipt(at, fields);
  });
}

function parseReceipt(where: string, fields: Fields): Receipt {
  const isPaid = (name: string): boolean => (readOptionalQuantity(where, fields, name) ?? 0n) !== 0n;
  return {
    type: readOptionalQuantity(where, fields, 'type'),
    status: readOptionalQuantity(where, fields, 'status'),
    hasRoot: isHash(fields['root']),
    gasUsed: readQuantity(where, fields, 'gasUsed'),
    gasPrice: readOptionalQuantity(where, fields, 'effectiveGasPrice'),
    from: readAddress(where, fields, 'from'),
    to: readAddress(where, fields, 'to'),
    l1Fee: readOptionalQuantity(where, fields, 'l1Fee'),
    paysOperator: isPaid('operatorFeeScalar') || isPaid('operatorFeeConstant'),
  };
}

function assertSame(where: string, fields: Fields, name: string, expected: string): void {
  const got = readHash(where, fields, name);
  if (got !== expected) throw shapeError(where, `${name} ${expected}`, got);
}

/** Returns a quantity of a field, written in hexadecimal. @throws SourceError 'shape' */
function readQuantity(where: string, fields: Fields, name: string): bigint {
  const value = fields[name];
  if (isQuantity(value)) return BigInt(value);
  throw shapeError(where, `a quantity as ${name}`, describeValue(value));
}

/** Returns a quantity of a field; `undefined` if the field is absent or null. @throws SourceError 'shape' */
function readOptionalQuantity(where: string, fields: Fields, name: string): bigint | undefined {
  return isAbsent(fields[name]) ? undefined : readQuantity(where, fields, name);
}

/** Returns a quantity that is a safe integer. @throws SourceError 'shape' */
function readInteger(where: string, fields: Fields, name: string): number {
  const integer = Number(readQuantity(where, fields, name));
  if (Number.isSafeInteger(integer)) return integer;
  throw shapeError(where, `an integer below 2^53 as ${name}`, `${integer}`);
}

/** Returns the hash of a field, in lower case. @throws SourceError 'shape' */
function readHash(where: string, fields: Fields, name: string): string {
  return toHash(where, fields[name], name);
}

/** Returns a value that must be a hash of 32 bytes, in lower case. @throws SourceError 'shape' */
function toHash(where: string, value: unknown, name: string): string {
  if (isHash(value)) return value.toLowerCase();
  throw shapeError(where, `32 bytes in hexadecimal as ${name}`, describeValue(value));
}

/** Returns the 20 bytes of an address; `undefined` if the field is absent or null. @throws SourceError 'shape' */
function readAddress(where: string, fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) {
    return Buffer.from(value.slice(2), 'hex').toString('latin1'); // half as long as the text
  }
  throw shapeError(where, `20 bytes in hexadecimal as ${name}`, describeValue(value));
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}

export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

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
  /** True if receipts of the first blocks state a root of the state and no status. */
  readonly hasRoots: boolean;
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
    hasRoots: true,
    hasGasLimit: true,
  },
  arbitrum: {
    chainId: 42161,
    firstDate: '2021-05-28',
    completeFrom: '01:00',
    systemType: 0x6an,
    hasL1Fee: false,
    hasRoots: false,
    hasGasLimit: false,
  },
  base: {
    chainId: 8453,
    firstDate: '2023-06-15',
    completeFrom: '01:00',
    systemType: 0x7en,
    hasL1Fee: true,
    hasRoots: false,
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
