import { addDays, toDate, toInstant } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { SYSTEM_TOOLS, type HttpTools } from '../http/http-tools.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import { createJsonRpc } from '../json-rpc/json-rpc.js';
import { shapeError } from '../shape-error.js';
import { SourceError, type Source, type SourceFacts } from '../source.js';
import type { BlockHeader } from './block-header.js';
import { EVM_CHAINS, evmDefinitions, type EvmChain } from './evm-chains.js';
import { createEvmRpc, type EvmRpc } from './evm-rpc.js';
import { probeNode, type NodeExpectations } from './probe-node.js';
import { readDay } from './read-day.js';

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
  const json = createJsonRpc({ source: id, endpoint, pace, tools, ...(limits && { limits }) });
  const rpc = createEvmRpc(json);
  const expected = { chain: options.chain, chainId: options.chainId ?? chainId };
  const readFinalized = createFinalized(rpc, expected, tools);
  const firstBlocks = new Map<number, number>();
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
        firstBlocks,
      };
      return readDay(reading, date, signal);
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      return isServed(chain) ? probeNode(json, { ...expected, receipts }, signal) : [];
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
