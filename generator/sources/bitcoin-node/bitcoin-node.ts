import { addDays, toDate, toInstant } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { SYSTEM_TOOLS, type HttpTools } from '../http/http-tools.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import type { TimedBlock } from '../json-rpc/first-block.js';
import { createJsonRpc } from '../json-rpc/json-rpc.js';
import { shapeError } from '../shape-error.js';
import { SourceError, type Source, type SourceFacts } from '../source.js';
import { BITCOIN_DEFINITIONS, CONFIRMATIONS, FIRST_WHOLE_DATE, MAIN_GENESIS } from './bitcoin-chain.js';
import { createBitcoinRpc, type BitcoinRpc } from './bitcoin-rpc.js';
import { probeBitcoin } from './probe-bitcoin.js';
import { readDay } from './read-day.js';

const REQUESTS_PER_MINUTE = 6_000;
/** The most that a header may be ahead of the clocks of the network. */
const HEADER_SKEW_MS = 2 * 3_600_000;

/** Options for `createBitcoinNode`. */
export type BitcoinNodeOptions = {
  /** Name in the policy, such as `bitcoin-node`. */
  readonly id: string;
  /** https, or http on loopback. May have user and password, or a key in its path; only its origin is ever shown. */
  readonly endpoint: string;
  /** Hash of block 0. By default that of the main network. */
  readonly genesis?: string;
  /** First date that the node has blocks for; by default the first one with blocks on every later date. */
  readonly since?: string;
  /** 6,000 by default. */
  readonly requestsPerMinute?: number;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/**
 * Creates a source of bitcoin's days from a node of Bitcoin Core (version 23 or later), for one collection. A date is given
 * when six blocks follow its last one; it does not change later. @throws GeneratorError 'usage' for an endpoint that is not safe
 */
export function createBitcoinNode(options: BitcoinNodeOptions): Source {
  const { id, endpoint, limits, tools = SYSTEM_TOOLS, since = FIRST_WHOLE_DATE } = options;
  const facts = toFacts(options);
  const pace = { requests: facts.requestsPerMinute, perMs: 60_000 };
  const json = createJsonRpc({ source: id, endpoint, pace, tools, ...(limits && { limits }) });
  const rpc = createBitcoinRpc(json);
  const genesis = options.genesis ?? MAIN_GENESIS;
  const readSettled = createSettled(rpc, genesis, tools);
  const isServed = (chain: Chain): boolean => chain === 'bitcoin';

  return {
    facts,
    async days(chain, span, signal) {
      signal.throwIfAborted();
      const first = span.first > since ? span.first : since;
      if (!isServed(chain) || first > span.last) return new Map();
      const ended = lastEndedDate(await readSettled(signal));
      const days = new Map<string, string>();
      for (let date = first; date <= span.last && date <= ended; date = addDays(date, 1)) {
        days.set(date, 'settled');
      }
      return days;
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const settled = isServed(chain) ? await readSettled(signal) : undefined;
      if (settled === undefined || date > lastEndedDate(settled)) {
        throw new SourceError(
          'not-yet',
          `${rpc.where}: expected ${CONFIRMATIONS} blocks after the last one of ${chain} on ${date}, got fewer.`,
        );
      }
      return readDay({ rpc, settled }, date, signal);
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      return isServed(chain) ? probeBitcoin(json, genesis, signal) : [];
    },
  };
}

/**
 * Creates a function that returns the newest block with enough blocks after it, and its median time. It reads once, checks
 * that the node is of the chain, and throws SourceError.
 */
function createSettled(
  rpc: BitcoinRpc,
  genesis: string,
  { now }: HttpTools,
): (signal: AbortSignal) => Promise<TimedBlock> {
  let known: TimedBlock | undefined;
  return async (signal) => {
    if (known !== undefined) return known;
    const number = Math.max(0, (await rpc.blockCount(signal)) - CONFIRMATIONS);
    const got = await rpc.genesisAndMedianTime(number, signal);
    if (got.genesis !== genesis) throw shapeError(rpc.where, `${genesis} as block 0`, got.genesis);
    const nowMs = now();
    if (got.medianTime * 1000 > nowMs + HEADER_SKEW_MS) {
      throw shapeError(rpc.where, `blocks until ${toInstant(nowMs)}`, toInstant(got.medianTime * 1000));
    }
    return (known = { number, time: got.medianTime });
  };
}

/** Returns the last date of which no block can come after this one. `time`: median time, in seconds since the epoch. */
function lastEndedDate({ time }: TimedBlock): string {
  return toDate(Math.floor(time / 86_400) - 1);
}

function toFacts({ id, requestsPerMinute = REQUESTS_PER_MINUTE }: BitcoinNodeOptions): SourceFacts {
  return {
    id,
    name: 'own node of bitcoin',
    url: 'https://bitcoincore.org/en/doc/',
    licence: 'own node',
    resale: 'yes',
    attribution: null,
    completeFrom: '02:30',
    settlingDays: 1,
    requestsPerMinute,
    definitions: BITCOIN_DEFINITIONS,
  };
}
