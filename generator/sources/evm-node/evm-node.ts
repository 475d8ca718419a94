import { addDays, toDate, toInstant } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { type HttpTools, SYSTEM_TOOLS, type TransferLimits } from '../http-client.js';
import { createJsonRpc, type JsonRpc, type RpcAnswer, type RpcCall } from '../json-rpc.js';
import { createBlockSearch } from '../node-blocks.js';
import {
  type Asked,
  askAnyway,
  type Form,
  probeBatch,
  probeClient,
  probeFields,
  probeObject,
  probeValue,
} from '../node-probe.js';
import { type Probe, shapeError, type Source, SourceError, type SourceFacts } from '../source.js';
import {
  type BlockHeader,
  CHAIN_ID,
  CLIENT_VERSION,
  createEvmRpc,
  EVM_CHAINS,
  type EvmChain,
  evmDefinitions,
  type EvmRpc,
  FINALIZED,
  isHash,
  isQuantity,
  toHeaderCall,
  toReceiptsCall,
} from './evm-rpc.js';
import { AT_ONCE, readDay } from './read-day.js';

const REQUESTS_PER_MINUTE = 6_000;
const BATCH_SIZE = 100;
/** Tolerated difference between the clocks. */
const CLOCK_SKEW_MS = 10 * 60_000;

/** Options for `createEvmNode`. */
export type EvmNodeOptions = {
  /** Name in the policy, such as `base-node`. */
  readonly id: string;
  /** The chain of the node. For all others the source has no dates. */
  readonly chain: EvmChain;
  /** https, or http on loopback. May have user and password, or a key in its path; only its origin is ever shown. */
  readonly endpoint: string;
  /** Required answer to `eth_chainId`. By default that of the chain's main network. */
  readonly chainId?: number;
  /** First date that the node has blocks for. By default the first one of the chain. */
  readonly since?: string;
  /**
   * True to read the receipts of all transactions too, for the metrics of transactions. Without them the source gives
   * `block_count`, `gas_used` and `gas_limit_mean`. Receipts of a day are an estimated 3 GB on ethereum and 30 GB on base, and
   * take about 8 bytes of memory per transaction and 100 bytes per address.
   */
  readonly receipts?: boolean;
  /** Most headers in a request; 100 by default. */
  readonly batchSize?: number;
  /** 6,000 by default. */
  readonly requestsPerMinute?: number;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/**
 * Creates a source of finalized days of an EVM chain, for one collection. Finalized days do not change: their mark says
 * only what was read of them. @throws GeneratorError 'usage' for an endpoint that is not safe
 */
export function createEvmNode(options: EvmNodeOptions): Source {
  const { id, endpoint, limits, tools = SYSTEM_TOOLS, receipts = false, batchSize = BATCH_SIZE } = options;
  const facts = toFacts(options);
  const { firstDate, chainId } = EVM_CHAINS[options.chain];
  const pace = { requests: facts.requestsPerMinute, perMs: 60_000 };
  const connection = { source: id, endpoint, pace, atOnce: AT_ONCE, tools };
  const json = createJsonRpc({ ...connection, ...(limits && { limits }) });
  const rpc = createEvmRpc(json);
  const expected = { chain: options.chain, chainId: options.chainId ?? chainId };
  const readFinalized = createFinalized(rpc, expected, tools);
  const findFirstBlock = createBlockSearch(batchSize, rpc.headers);
  const isServed = (chain: Chain): boolean => chain === options.chain;

  return {
    facts,
    async days(chain, span, signal) {
      signal.throwIfAborted();
      const first = laterOf(span.first, options.since ?? firstDate);
      if (!isServed(chain) || first > span.last) return new Map();
      const last = earlierOf(span.last, lastEndedDate(await readFinalized(signal)));
      const days = new Map<string, string>();
      for (let date = first; date <= last; date = addDays(date, 1)) {
        days.set(date, receipts ? 'final with receipts' : 'final');
      }
      return days;
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const finalized = isServed(chain) ? await readFinalized(signal) : undefined;
      if (finalized === undefined || date > lastEndedDate(finalized)) {
        throw new SourceError(
          'not-yet',
          `${rpc.where}: expected ${chain} on ${date} to be finalized, it is not.`,
        );
      }
      const reading = {
        rpc,
        chain: options.chain,
        withReceipts: receipts,
        batchSize,
        finalized,
        findFirstBlock,
      };
      return readDay(reading, date, signal);
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      return isServed(chain) ? probeNode(json, { ...expected, receipts, batchSize }, signal) : [];
    },
  };
}

/**
 * Creates a function that returns the finalized block, read once, after the check that the node is of the chain.
 * It throws SourceError.
 */
function createFinalized(
  rpc: EvmRpc,
  { chain, chainId }: Pick<NodeExpectations, 'chain' | 'chainId'>,
  { now }: HttpTools,
): (signal: AbortSignal) => Promise<BlockHeader> {
  let known: BlockHeader | undefined;
  return async (signal) => {
    if (known !== undefined) return known;
    const gotId = await rpc.chainId(signal);
    if (gotId !== chainId)
      throw shapeError(rpc.where, `the chain ${chainId} (${chain})`, `the chain ${gotId}`);
    const finalized = await rpc.finalized(signal);
    const nowMs = now();
    if (finalized.time * 1000 > nowMs + CLOCK_SKEW_MS) {
      const got = toInstant(finalized.time * 1000);
      throw shapeError(rpc.where, `a finalized block until ${toInstant(nowMs)}`, got);
    }
    return (known = finalized);
  };
}

/** Returns the last date whose end is not after the finalized block. */
function lastEndedDate({ time }: BlockHeader): string {
  return toDate(Math.floor(time / 86_400) - 1);
}

function toFacts({ id, chain, receipts = false, requestsPerMinute }: EvmNodeOptions): SourceFacts {
  return {
    id,
    name: `own node of ${chain}`,
    url: 'https://ethereum.github.io/execution-apis/',
    licence: 'own node',
    resale: 'yes',
    attribution: null,
    completeFrom: EVM_CHAINS[chain].completeFrom,
    settlingDays: 0,
    requestsPerMinute: requestsPerMinute ?? REQUESTS_PER_MINUTE,
    definitions: evmDefinitions(chain, receipts),
  };
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

function earlierOf(one: string, other: string): string {
  return one < other ? one : other;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const QUANTITY: Form = { expected: 'a quantity', has: isQuantity };
const HASH: Form = {
  expected: '32 bytes in hexadecimal',
  has: isHash,
};
const ADDRESS: Form = {
  expected: '20 bytes in hexadecimal',
  has: (value) => isText(value) && /^0x[0-9a-f]{40}$/i.test(value),
};
const ARRAY: Form = { expected: 'an array', has: Array.isArray };
const BLOCK: Form = { expected: 'a block', has: (value) => isQuantity(numberOf(value)) };

const HEADER_FORMS = {
  number: QUANTITY,
  hash: HASH,
  parentHash: HASH,
  timestamp: QUANTITY,
  gasUsed: QUANTITY,
  gasLimit: QUANTITY,
  transactions: ARRAY,
};
const RECEIPT_FORMS = {
  blockHash: HASH,
  transactionHash: HASH,
  type: QUANTITY,
  status: QUANTITY,
  gasUsed: QUANTITY,
  effectiveGasPrice: QUANTITY,
  from: ADDRESS,
};

/** Requirements on a node. */
type NodeExpectations = {
  readonly chain: EvmChain;
  readonly chainId: number;
  readonly receipts: boolean;
  readonly batchSize: number;
};

/** Compares a node's chain, methods and fields with what the source uses. @throws SourceError 'unavailable' */
async function probeNode(
  rpc: JsonRpc,
  { chain, chainId, receipts, batchSize }: NodeExpectations,
  signal: AbortSignal,
): Promise<Probe[]> {
  const isChain: Form = {
    expected: `${chainId}`,
    has: (value) => isQuantity(value) && BigInt(value) === BigInt(chainId),
  };
  const finalized = await askAnyway(rpc, FINALIZED, signal);
  const header = 'value' in finalized ? finalized.value : undefined;
  const number = numberOf(header);
  const probes = [
    probeChain(isChain, await askAnyway(rpc, CHAIN_ID, signal)),
    probeClient('web3_clientVersion', await askAnyway(rpc, CLIENT_VERSION, signal), rpc.scrub),
    ...probeObject('block with the tag finalized', BLOCK, finalized, {
      what: 'eth_getBlockByNumber',
      forms: HEADER_FORMS,
      show: () => `block ${Number(number)}`,
    }),
  ];
  if (!isQuantity(number)) return probes;
  const newest = { calls: headerCallsBefore(Number(number) + 1, batchSize), number: Number(number) };
  const { probe: batch, answers } = await probeBatch(rpc, newest.calls, signal);
  if (!receipts || !batch.agrees) return [...probes, batch];
  const used = await findUsed(rpc, { chain, batchSize, answers, end: newest.number + 1 }, signal);
  return [...probes, batch, ...(await probeReceipts(rpc, chain, { used, newest: newest.number }, signal))];
}

/** Most requests that look for a block with transactions. */
const LOOKS_BACK = 10;

/**
 * Returns the number of the newest block that surely has a transaction of a user, among some thousand; without one that of
 * the newest with any; `undefined` if there is none.
 */
async function findUsed(
  rpc: JsonRpc,
  options: {
    readonly chain: EvmChain;
    readonly batchSize: number;
    /** The answers for the blocks before `end`, from the newest. */
    readonly answers: readonly RpcAnswer[];
    readonly end: number;
  },
  signal: AbortSignal,
): Promise<number | undefined> {
  let { answers, end } = options;
  // the first transaction of each block of a rollup is the protocol's own, except in nodes for tests
  const least = EVM_CHAINS[options.chain].systemType === undefined ? 1 : 2;
  let any: number | undefined;
  for (let looks = 1; ; looks += 1) {
    const counts = answers.map((answer) => {
      const block = 'result' in answer ? answer.result : undefined;
      const { transactions } = (block ?? {}) as { transactions?: unknown };
      return Array.isArray(transactions) ? transactions.length : 0;
    });
    const used = counts.findIndex((count) => count >= least);
    if (used !== -1) return end - 1 - used;
    const first = counts.findIndex((count) => count > 0);
    if (first !== -1) any ??= end - 1 - first;
    end -= answers.length;
    if (end <= 0 || looks === LOOKS_BACK) return any;
    answers = await rpc.part(headerCallsBefore(end, options.batchSize), signal);
  }
}

/** Compares the receipts of a block with a transaction of a user, if there is one. */
async function probeReceipts(
  rpc: JsonRpc,
  chain: EvmChain,
  { used, newest }: { readonly used: number | undefined; readonly newest: number },
  signal: AbortSignal,
): Promise<Probe[]> {
  const asked = await askAnyway(rpc, toReceiptsCall({ number: used ?? newest }), signal);
  const probe = probeValue('eth_getBlockReceipts', ARRAY, asked);
  if (!probe.agrees || !('value' in asked)) return [probe];
  const { systemType, hasL1Fee } = EVM_CHAINS[chain];
  const last = (asked.value as readonly unknown[]).findLast((receipt) => {
    const { type } = (receipt ?? {}) as { type?: unknown }; // a receipt may be anything
    return systemType === undefined || !isQuantity(type) || BigInt(type) !== systemType;
  });
  if (last === undefined) {
    const expected = 'in one of the newest blocks';
    return [probe, { item: 'transactions of users', expected, found: 'none', agrees: false }];
  }
  const forms = { ...RECEIPT_FORMS, ...(hasL1Fee && { l1Fee: QUANTITY }) };
  return [probe, ...probeFields('eth_getBlockReceipts', forms, last)];
}

/** Returns the calls for the headers of the blocks before `end`, from the newest. */
function headerCallsBefore(end: number, count: number): RpcCall[] {
  return Array.from({ length: Math.min(count, end) }, (_, i) => toHeaderCall(end - 1 - i));
}

/** Shows a wrong chain by its number, not in hexadecimal. */
function probeChain(form: Form, asked: Asked): Probe {
  const probe = probeValue('eth_chainId', form, asked);
  return 'value' in asked && isQuantity(asked.value)
    ? { ...probe, found: String(BigInt(asked.value)) }
    : probe;
}

function numberOf(block: unknown): unknown {
  return (block as { number?: unknown } | null | undefined)?.number;
}
