import { toArray, toFields } from '../json-rpc/fields.js';
import { shapeError } from '../shape-error.js';
import { SourceError } from '../source.js';
import { readHash, readInteger, readQuantity, toHash } from './quantity.js';

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
export function parseHeader(node: string, value: unknown, asked: number | 'finalized'): BlockHeader {
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
