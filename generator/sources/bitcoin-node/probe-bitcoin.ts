import { isJsonNumber } from '../../core/collection/values/json-digits.js';
import { toClientName } from '../json-rpc/fields.js';
import type { JsonRpc, RpcCall } from '../json-rpc/json-rpc.js';
import { askAnyway, probeFields, probeValue, type Form } from '../json-rpc/probe-answer.js';
import type { Probe } from '../source.js';
import { CHAIN_INFO, GENESIS, NETWORK_INFO } from './bitcoin-rpc.js';

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const NUMBER: Form = { expected: 'a number', has: isJsonNumber };
const TEXT: Form = { expected: 'a text', has: isText };
const ARRAY: Form = { expected: 'an array', has: Array.isArray };
const OBJECT: Form = {
  expected: 'an object',
  has: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const CLIENT: Form = { expected: 'name and version', has: (value) => isText(value) && value.trim() !== '' };
const IN_SYNC: Form = { expected: 'false', has: (value) => value === false };

const HEADER_FORMS = {
  ...{ height: NUMBER, hash: TEXT, previousblockhash: TEXT, time: NUMBER },
  ...{ mediantime: NUMBER, bits: TEXT, nTx: NUMBER },
};
const BLOCK_FORMS = { hash: TEXT, size: NUMBER, weight: NUMBER, tx: ARRAY };

/** Compares a node's chain, methods and fields with what the source uses. @throws SourceError 'unavailable' */
export async function probeBitcoin(rpc: JsonRpc, genesis: string, signal: AbortSignal): Promise<Probe[]> {
  const ask = (method: string, ...params: RpcCall['params']): ReturnType<typeof askAnyway> =>
    askAnyway(rpc, { method, params }, signal);
  const info = await askAnyway(rpc, CHAIN_INFO, signal);
  const network = await askAnyway(rpc, NETWORK_INFO, signal);
  const { bestblockhash, initialblockdownload } = fieldsOf(info);
  const best = isText(bestblockhash) ? bestblockhash : '';
  const isChain: Form = { expected: genesis, has: (value) => value === genesis };
  const header = await ask('getblockheader', best, true);
  const stats = await ask('getblockstats', best, ['height', 'mediantime']);
  const block = await ask('getblock', best, 3);
  return [
    probeGenesis(isChain, await askAnyway(rpc, GENESIS, signal)),
    probeValue('getblockchaininfo', OBJECT, info),
    probeValue('initialblockdownload', IN_SYNC, { value: initialblockdownload }),
    probeValue('subversion', CLIENT, nested(network, 'subversion'), (value) =>
      toClientName(value, rpc.scrub),
    ),
    probeValue('getblockheader', OBJECT, header),
    ...probeFields('getblockheader', HEADER_FORMS, fieldsOf(header)),
    probeValue('getblockstats', OBJECT, stats),
    ...probeFields('getblockstats', { height: NUMBER, mediantime: NUMBER }, fieldsOf(stats)),
    probeValue('getblock with verbosity 3', OBJECT, block),
    ...probeFields('getblock', BLOCK_FORMS, fieldsOf(block)),
    ...probeTransaction(fieldsOf(block)['tx']),
  ];
}

/** Compares a transaction that is not a coinbase, if the block has one. */
function probeTransaction(transactions: unknown): Probe[] {
  const last =
    Array.isArray(transactions) && transactions.length > 1 ? (transactions.at(-1) as unknown) : null;
  if (last === null) return [];
  const { vin, vout } = last as Fields;
  return [
    ...probeFields('a transaction', { fee: NUMBER, vin: ARRAY, vout: ARRAY }, last),
    ...probeFields('an input', { prevout: OBJECT }, firstOf(vin)),
    ...probeFields('an output', { value: NUMBER, scriptPubKey: OBJECT }, firstOf(vout)),
  ];
}

/** Shows another first block by its hash. */
function probeGenesis(form: Form, asked: Awaited<ReturnType<typeof askAnyway>>): Probe {
  const probe = probeValue('block 0', form, asked);
  return 'value' in asked && isText(asked.value) ? { ...probe, found: asked.value.slice(0, 64) } : probe;
}

function nested(
  asked: Awaited<ReturnType<typeof askAnyway>>,
  name: string,
): Awaited<ReturnType<typeof askAnyway>> {
  return 'refused' in asked ? asked : { value: fieldsOf(asked)[name] };
}

function fieldsOf(asked: Awaited<ReturnType<typeof askAnyway>>): Fields {
  const value = 'value' in asked ? asked.value : undefined;
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] as unknown) : undefined;
}
