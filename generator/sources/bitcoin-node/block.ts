import { isJsonNumber, isWhole, toDecimalText } from '../../core/collection/decimal.js';
import { addDays, toDate } from '../../../schemas/dates.js';
import {
  type Fields,
  type JsonRpc,
  resultOf,
  type RpcAnswer,
  type RpcCall,
  toArray,
  toFields,
} from '../json-rpc.js';
import { askClient } from '../node-probe.js';
import { describeValue, shapeError, SourceError } from '../source.js';

/** The parts of a header that are used. Times are in seconds since the epoch. */
export type BlockHeader = {
  readonly height: number;
  readonly hash: string;
  readonly previousHash: string | undefined;
  readonly time: number;
  /** Median of the times of this block and the ten before it. It never decreases, and every later block has a later time. */
  readonly medianTime: number;
  readonly bits: string;
  readonly transactions: number;
};

/** The parts of a block that are used. Amounts are in satoshi. */
export type Block = {
  readonly header: BlockHeader;
  readonly size: number;
  readonly weight: number;
  readonly transactions: readonly Transaction[];
};

export type Transaction = {
  readonly isCoinbase: boolean;
  /** Undefined if the node does not state it. */
  readonly fee: bigint | undefined;
  readonly output: bigint;
  /** Addresses of its inputs and outputs. */
  readonly addresses: readonly string[];
};

const HASH = /^[0-9a-f]{64}$/;
const SATOSHI = 8;

/** Parses the answer to `getblockheader` for a height. @throws SourceError 'shape' */
function parseHeader(node: string, value: unknown, asked: number): BlockHeader {
  const where = `${node}: header of block ${asked}`;
  const fields = toFields(where, value);
  const height = readCount(where, fields, 'height');
  if (height !== asked) throw shapeError(where, `height ${asked}`, `${height}`);
  const { bits } = fields;
  if (typeof bits !== 'string' || !/^[0-9a-f]{8}$/.test(bits)) {
    throw shapeError(where, 'four bytes in hexadecimal as bits', describeValue(bits));
  }
  return {
    height,
    bits,
    hash: toHash(where, fields['hash'], 'hash'),
    previousHash: height === 0 ? undefined : toHash(where, fields['previousblockhash'], 'previousblockhash'),
    time: readCount(where, fields, 'time'),
    medianTime: readCount(where, fields, 'mediantime'),
    transactions: readCount(where, fields, 'nTx'),
  };
}

/** Parses the answer to `getblock` with verbosity 3. @throws SourceError 'shape' */
function parseBlock(node: string, value: unknown, header: BlockHeader): Block {
  const where = `${node}: block ${header.height}`;
  const fields = toFields(where, value);
  const hash = toHash(where, fields['hash'], 'hash');
  if (hash !== header.hash) throw shapeError(where, `hash ${header.hash}`, hash);
  const transactions = toArray(where, fields['tx'], 'tx');
  if (transactions.length !== header.transactions) {
    throw shapeError(where, `${header.transactions} transactions`, `${transactions.length}`);
  }
  return {
    header,
    size: readCount(where, fields, 'size'),
    weight: readCount(where, fields, 'weight'),
    transactions: transactions.map((each, index) => {
      const at = `${where}, transaction ${index}`;
      return parseTransaction(at, toFields(at, each), index === 0);
    }),
  };
}

function parseTransaction(where: string, fields: Fields, isFirst: boolean): Transaction {
  const inputs = toArray(where, fields['vin'], 'vin').map((each) => toFields(where, each));
  const outputs = toArray(where, fields['vout'], 'vout').map((each) => toFields(where, each));
  const isCoinbase = inputs[0]?.['coinbase'] !== undefined;
  if (isCoinbase !== isFirst) {
    throw shapeError(where, isFirst ? 'a coinbase' : 'no coinbase', isFirst ? 'none' : 'one');
  }
  const spent = isCoinbase ? [] : inputs.map((input) => readSpent(where, input));
  const { fee } = fields;
  return {
    isCoinbase,
    fee: isCoinbase || fee === undefined ? undefined : toSatoshi(where, fee, 'fee'),
    output: outputs.reduce((sum, { value }) => sum + toSatoshi(where, value, 'value'), 0n),
    addresses: [...spent, ...outputs].flatMap((each) => readAddress(where, each)),
  };
}

function readSpent(where: string, { prevout }: Fields): Fields {
  if (prevout !== undefined) return toFields(where, prevout);
  throw shapeError(where, 'a prevout of each input (Bitcoin Core from version 23 with undo data)', 'none');
}

function readAddress(where: string, output: Fields): string[] {
  const { address } = toFields(where, output['scriptPubKey']);
  if (address === undefined) return [];
  if (typeof address === 'string') return [address];
  throw shapeError(where, 'a text as address', describeValue(address));
}

/** Returns an amount in BTC as satoshi. @throws SourceError 'shape' */
function toSatoshi(where: string, value: unknown, name: string): bigint {
  const text = isJsonNumber(value) ? toDecimalText(value.number) : undefined;
  const [whole = '', fraction = ''] = text?.split('.') ?? [];
  if (text === undefined || text.startsWith('-') || fraction.length > SATOSHI) {
    throw shapeError(where, `an amount in BTC as ${name}`, describeValue(value));
  }
  return BigInt(whole + fraction.padEnd(SATOSHI, '0'));
}

/** Returns a safe integer of at least 0. @throws SourceError 'shape' */
function readCount(where: string, fields: Fields, name: string): number {
  const value = fields[name];
  const text = isJsonNumber(value) ? toDecimalText(value.number) : undefined;
  const count = text !== undefined && isWhole(text) ? Number(text) : -1;
  if (count >= 0 && Number.isSafeInteger(count)) return count;
  throw shapeError(where, `a count as ${name}`, describeValue(value));
}

/** Returns a hash of 32 bytes. @throws SourceError 'shape' */
function toHash(where: string, value: unknown, name: string): string {
  if (typeof value === 'string' && HASH.test(value)) return value;
  throw shapeError(where, `32 bytes in hexadecimal as ${name}`, describeValue(value));
}

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
  /** Returns blocks by one request. @throws SourceError, with the first whole date of a node that deleted the blocks */
  readonly blocks: (headers: readonly BlockHeader[], signal: AbortSignal) => Promise<readonly Block[]>;
};

/** Bitcoin Core 31.99: `Block not available (pruned data)`. */
const isPruned = (answer: RpcAnswer): boolean =>
  'error' in answer && answer.error.code === -1 && answer.error.message.includes('pruned');

/** The most that a header may be behind or ahead of the blocks around it, in seconds. */
const HEADER_SKEW = 7_200;

/**
 * Creates the methods of a node. All calls are sent as batches, because Bitcoin Core answers the errors of other calls with
 * status 500, which looks like a failure that may pass.
 */
export function createBitcoinRpc(rpc: JsonRpc): BitcoinRpc {
  const { where } = rpc;

  const askAll = (calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly unknown[]> =>
    readAll(rpc, calls, signal);

  return {
    where,
    async blockCount(signal) {
      const [height] = await askAll([{ method: 'getblockcount', params: [] }], signal);
      return readCount(where, { height }, 'height');
    },
    async genesisAndMedianTime(height, signal) {
      const [genesis, answer] = await askAll([GENESIS, toStatsCall(height)], signal);
      const fields = toFields(where, answer);
      const got = readCount(where, fields, 'height');
      if (got !== height) throw shapeError(where, `the statistics of block ${height}`, `${got}`);
      return {
        genesis: toHash(where, genesis, 'hash of block 0'),
        medianTime: readCount(where, fields, 'mediantime'),
      };
    },
    client: (signal) =>
      askClient(rpc, NETWORK_INFO, (value) => (value as { subversion?: unknown } | null)?.subversion, signal),
    headers: (heights, signal) => readHeaders(rpc, heights, signal),
    async blocks(headers, signal) {
      const calls = headers.map(({ hash }) => ({ method: 'getblock', params: [hash, 3] }));
      const answers = await rpc.batch(calls, signal, MAX_BLOCK_BYTES);
      const pruned = answers.findIndex(isPruned);
      if (pruned !== -1) throw await prunedError(rpc, headers[pruned]?.height ?? 0, signal);
      return headers.map((header, i) => {
        const answer = answers[i] ?? { result: undefined };
        return parseBlock(where, resultOf(where, 'getblock', answer), header);
      });
    },
  };
}

/** Returns the results of calls that are sent as a batch. @throws SourceError for an error of the node */
async function readAll(
  rpc: JsonRpc,
  calls: readonly RpcCall[],
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const answers = await rpc.batch(calls, signal);
  return answers.map((answer, i) => resultOf(rpc.where, calls[i]?.method ?? '', answer));
}

async function readHeaders(
  rpc: JsonRpc,
  heights: readonly number[],
  signal: AbortSignal,
): Promise<readonly BlockHeader[]> {
  const { where } = rpc;
  const found = await readAll(rpc, heights.map(toHashCall), signal);
  const hashes = found.map((each) => toHash(where, each, 'hash of a block'));
  const headers = await readAll(rpc, hashes.map(toHeaderCall), signal);
  return headers.map((each, i) => {
    const header = parseHeader(where, each, heights[i] ?? -1);
    if (header.hash === hashes[i]) return header;
    throw shapeError(where, `the header ${hashes[i] ?? ''}`, header.hash);
  });
}

/** Returns the error of a node that deleted a block, with the first date that it has. */
async function prunedError(rpc: JsonRpc, height: number, signal: AbortSignal): Promise<SourceError> {
  const { where } = rpc;
  const [info] = await readAll(rpc, [CHAIN_INFO], signal);
  const first = readCount(where, toFields(where, info), 'pruneheight');
  const [header] = await readHeaders(rpc, [first], signal);
  const since = firstWholeDate(header?.time ?? 0);
  const remedy = `Set "since" of bitcoin to ${since} in the policy, or use a node that is not pruned.`;
  return new SourceError(
    'shape',
    `${where}: block ${height}: the node is pruned and has the blocks from ${first} only. ${remedy}`,
  );
}

export function toHashCall(height: number): RpcCall {
  return { method: 'getblockhash', params: [height] };
}

export function toHeaderCall(hash: string): RpcCall {
  return { method: 'getblockheader', params: [hash, true] };
}

export function toStatsCall(height: number): RpcCall {
  return { method: 'getblockstats', params: [height, ['height', 'mediantime']] };
}

/** Returns the first date whose blocks all come after a block. `time`: that of its header. */
export function firstWholeDate(time: number): string {
  return addDays(toDate(Math.floor((time + HEADER_SKEW) / 86_400)), 1);
}
