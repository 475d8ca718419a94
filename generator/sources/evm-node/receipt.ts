import { toArray, toFields, type Fields } from '../json-rpc/fields.js';
import { shapeError } from '../shape-error.js';
import { SourceError } from '../source.js';
import type { BlockHeader } from './block-header.js';
import { readAddress, readHash, readOptionalQuantity, readQuantity } from './quantity.js';

/** The parts of a receipt that are used. A field that the receipt does not have is undefined. */
export type Receipt = {
  readonly type: bigint | undefined;
  readonly status: bigint | undefined;
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
export function parseReceipts(node: string, value: unknown, header: BlockHeader): Receipt[] {
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
