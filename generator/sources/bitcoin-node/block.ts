import { isWhole, toDecimalText } from '../../core/collection/values/decimal-text.js';
import { isJsonNumber } from '../../core/collection/values/json-digits.js';
import { toArray, toFields, type Fields } from '../json-rpc/fields.js';
import { describeValue, shapeError } from '../shape-error.js';

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
export function parseHeader(node: string, value: unknown, asked: number): BlockHeader {
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
export function parseBlock(node: string, value: unknown, header: BlockHeader): Block {
  const where = `${node}: block ${header.height}`;
  const fields = toFields(where, value);
  const hash = toHash(where, fields['hash'], 'hash');
  if (hash !== header.hash) throw shapeError(where, `hash ${header.hash}`, hash);
  const transactions = toArray(where, fields['tx'], 'tx');
  if (transactions.length !== header.transactions) {
    throw shapeError(where, `${header.transactions} transactions`, `${transactions.length}`);
  }
  return {
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
export function readCount(where: string, fields: Fields, name: string): number {
  const value = fields[name];
  const text = isJsonNumber(value) ? toDecimalText(value.number) : undefined;
  const count = text !== undefined && isWhole(text) ? Number(text) : -1;
  if (count >= 0 && Number.isSafeInteger(count)) return count;
  throw shapeError(where, `a count as ${name}`, describeValue(value));
}

/** Returns a hash of 32 bytes. @throws SourceError 'shape' */
export function toHash(where: string, value: unknown, name: string): string {
  if (typeof value === 'string' && HASH.test(value)) return value;
  throw shapeError(where, `32 bytes in hexadecimal as ${name}`, describeValue(value));
}
