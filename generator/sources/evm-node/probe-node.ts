import { toClientName } from '../json-rpc/fields.js';
import type { JsonRpc } from '../json-rpc/json-rpc.js';
import { askAnyway, probeFields, probeValue, type Form } from '../json-rpc/probe-answer.js';
import type { Probe } from '../source.js';
import { EVM_CHAINS, type EvmChain } from './evm-chains.js';
import { CHAIN_ID, CLIENT_VERSION, FINALIZED } from './evm-rpc.js';
import { isQuantity } from './quantity.js';

const isText = (value: unknown): value is string => typeof value === 'string';
const QUANTITY: Form = { expected: 'a quantity', has: isQuantity };
const HASH: Form = {
  expected: '32 bytes in hexadecimal',
  has: (value) => isText(value) && /^0x[0-9a-f]{64}$/i.test(value),
};
const ADDRESS: Form = {
  expected: '20 bytes in hexadecimal',
  has: (value) => isText(value) && /^0x[0-9a-f]{40}$/i.test(value),
};
const ARRAY: Form = { expected: 'an array', has: Array.isArray };
const BLOCK: Form = { expected: 'a block', has: (value) => isQuantity(numberOf(value)) };
const CLIENT: Form = { expected: 'name and version', has: (value) => isText(value) && value.trim() !== '' };

const HEADER_FORMS = {
  ...{ number: QUANTITY, hash: HASH, parentHash: HASH, timestamp: QUANTITY },
  ...{ gasUsed: QUANTITY, gasLimit: QUANTITY, transactions: ARRAY },
};
const RECEIPT_FORMS = {
  ...{ blockHash: HASH, transactionHash: HASH, type: QUANTITY, status: QUANTITY },
  ...{ gasUsed: QUANTITY, effectiveGasPrice: QUANTITY, from: ADDRESS },
};

/** Requirements on a node. */
export type NodeExpectations = {
  readonly chain: EvmChain;
  readonly chainId: number;
  readonly receipts: boolean;
};

/** Compares a node's chain, methods and fields with what the source uses. @throws SourceError 'unavailable' */
export async function probeNode(
  rpc: JsonRpc,
  { chain, chainId, receipts }: NodeExpectations,
  signal: AbortSignal,
): Promise<Probe[]> {
  const isChain: Form = {
    expected: `${chainId}`,
    has: (value) => isQuantity(value) && BigInt(value) === BigInt(chainId),
  };
  const finalized = await askAnyway(rpc, FINALIZED, signal);
  const header = 'value' in finalized ? finalized.value : undefined;
  const showNumber = (value: unknown): string => String(BigInt(String(value)));
  const probes = [
    probeChain(isChain, await askAnyway(rpc, CHAIN_ID, signal)),
    probeValue('web3_clientVersion', CLIENT, await askAnyway(rpc, CLIENT_VERSION, signal), (value) =>
      toClientName(value, rpc.scrub),
    ),
    probeValue('block with the tag finalized', BLOCK, finalized, (value) => {
      return `block ${showNumber(numberOf(value))}`;
    }),
    ...probeFields('eth_getBlockByNumber', HEADER_FORMS, header),
  ];
  const number = numberOf(header);
  if (!receipts || !isQuantity(number)) return probes;
  const asked = await askAnyway(rpc, { method: 'eth_getBlockReceipts', params: [number] }, signal);
  const forms = { ...RECEIPT_FORMS, ...(EVM_CHAINS[chain].hasL1Fee && { l1Fee: QUANTITY }) };
  // the first transactions of a block can be the protocol's own, which pay no fee
  const last = 'value' in asked && Array.isArray(asked.value) ? (asked.value.at(-1) as unknown) : undefined;
  return [
    ...probes,
    probeValue('eth_getBlockReceipts', ARRAY, asked),
    ...(last === undefined ? [] : probeFields('eth_getBlockReceipts', forms, last)),
  ];
}

/** Shows a wrong chain by its number, not in hexadecimal. */
function probeChain(form: Form, asked: Parameters<typeof probeValue>[2]): Probe {
  const probe = probeValue('eth_chainId', form, asked);
  return 'value' in asked && isQuantity(asked.value)
    ? { ...probe, found: String(BigInt(asked.value)) }
    : probe;
}

function numberOf(block: unknown): unknown {
  return (block as { number?: unknown } | null | undefined)?.number;
}
