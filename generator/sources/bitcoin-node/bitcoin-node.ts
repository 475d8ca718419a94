import { addDays, toDate, toInstant } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { type HttpTools, SYSTEM_TOOLS, type TransferLimits } from '../http-client.js';
import { createJsonRpc, type JsonRpc, type RpcAnswer, type RpcCall } from '../json-rpc.js';
import { createBlockSearch, type TimedBlock } from '../node-blocks.js';
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
  type BitcoinRpc,
  CHAIN_INFO,
  createBitcoinRpc,
  firstWholeDate,
  GENESIS,
  NETWORK_INFO,
  toHashCall,
  toHeaderCall,
  toStatsCall,
} from './block.js';
import { AT_ONCE, BATCH_SIZE, readDay } from './read-day.js';
import { isJsonNumber } from '../../core/collection/decimal.js';

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
  const connection = { source: id, endpoint, pace, atOnce: AT_ONCE, tools };
  const json = createJsonRpc({ ...connection, ...(limits && { limits }) });
  const rpc = createBitcoinRpc(json);
  const genesis = options.genesis ?? MAIN_GENESIS;
  const readSettled = createSettled(rpc, genesis, tools);
  const findFirstBlock = createBlockSearch(BATCH_SIZE, async (heights, signal) => {
    const headers = await rpc.headers(heights, signal);
    return headers.map(({ height, medianTime }) => ({ number: height, time: medianTime }));
  });
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
      return readDay({ rpc, settled, findFirstBlock }, date, signal);
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

/** Hash of the first block of Bitcoin's main network. */
const MAIN_GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

/** First date from which every date has blocks. */
const FIRST_WHOLE_DATE = '2009-01-09';

/** Blocks that must follow the last block of a day before the day counts as settled. */
const CONFIRMATIONS = 6;

/** The definitions of the values, as the query in `schemas/sql` has them. */
const BITCOIN_DEFINITIONS: readonly string[] = [
  'A day has the blocks whose header time is in [00:00, 24:00) UTC. It is given when six blocks follow its last one.',
  'tx_count, fees_total, fee_median: all transactions but the coinbase.',
  'active_addresses: distinct addresses of inputs and outputs; an output without an address is not counted.',
  'issuance: outputs of the coinbase transactions, minus the fees.',
  'block_count, block_size, block_weight: of all blocks of the day.',
  'difficulty, hash_rate: from the field bits of the headers; hash_rate is 2^32 hashes per difficulty and block over a day.',
];

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const NUMBER: Form = { expected: 'a number', has: isJsonNumber };
const TEXT: Form = { expected: 'a text', has: isText };
const ARRAY: Form = { expected: 'an array', has: Array.isArray };
const OBJECT: Form = {
  expected: 'an object',
  has: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const IN_SYNC: Form = { expected: 'false', has: (value) => value === false };

const HEADER_FORMS = {
  height: NUMBER,
  hash: TEXT,
  previousblockhash: TEXT,
  time: NUMBER,
  mediantime: NUMBER,
  bits: TEXT,
  nTx: NUMBER,
};
const STATS_FORMS = { height: NUMBER, mediantime: NUMBER };
const BLOCK_FORMS = { hash: TEXT, size: NUMBER, weight: NUMBER, tx: ARRAY };

/** Compares a node's chain, methods and fields with what the source uses. @throws SourceError 'unavailable' */
async function probeBitcoin(rpc: JsonRpc, genesis: string, signal: AbortSignal): Promise<Probe[]> {
  const ask = (method: string, ...params: RpcCall['params']): Promise<Asked> =>
    askAnyway(rpc, { method, params }, signal);
  const info = await askAnyway(rpc, CHAIN_INFO, signal);
  const network = await askAnyway(rpc, NETWORK_INFO, signal);
  const { bestblockhash, initialblockdownload, blocks: height } = fieldsOf(info);
  const best = isText(bestblockhash) ? bestblockhash : '';
  const isChain: Form = { expected: genesis, has: (value) => value === genesis };
  const header = await ask('getblockheader', best, true);
  const stats = await askAnyway(rpc, toStatsCall(heightOf(height)), signal);
  const { probe: batch, answers } = await probeBatch(rpc, hashCallsUntil(height), signal);
  const used = (await findUsed(rpc, answers, signal)) ?? best;
  const block = await ask('getblock', used, 3);
  return [
    probeGenesis(isChain, await askAnyway(rpc, GENESIS, signal)),
    probeValue('getblockchaininfo', OBJECT, info),
    probeValue('initialblockdownload', IN_SYNC, { value: initialblockdownload }),
    ...(await probePruned(rpc, fieldsOf(info), signal)),
    probeClient('subversion', nested(network, 'subversion'), rpc.scrub),
    batch,
    ...probeObject('getblockheader', OBJECT, header, { what: 'getblockheader', forms: HEADER_FORMS }),
    ...probeObject('getblockstats', OBJECT, stats, { what: 'getblockstats', forms: STATS_FORMS }),
    ...probeObject('getblock with verbosity 3', OBJECT, block, { what: 'getblock', forms: BLOCK_FORMS }),
    ...probeTransaction(fieldsOf(block)['tx']),
  ];
}

function heightOf(value: unknown): number {
  return isJsonNumber(value) ? Number(value.number) : 0;
}

/** Returns the calls for the hashes of the blocks until a height, from the newest. */
function hashCallsUntil(height: unknown): RpcCall[] {
  const newest = heightOf(height);
  return Array.from({ length: Math.min(BATCH_SIZE, newest + 1) }, (_, i) => toHashCall(newest - i));
}

/** Returns the hash of the first block that has more than a coinbase; `undefined` if none has. */
async function findUsed(
  rpc: JsonRpc,
  hashes: readonly RpcAnswer[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const known = hashes.flatMap((answer) =>
    'result' in answer && isText(answer.result) ? [answer.result] : [],
  );
  if (known.length === 0) return undefined;
  const { answers: headers } = await probeBatch(rpc, known.map(toHeaderCall), signal);
  const at = headers.findIndex((answer) => {
    const { nTx } = 'result' in answer ? fieldsOf({ value: answer.result }) : {};
    return isJsonNumber(nTx) && Number(nTx.number) > 1;
  });
  return known[at];
}

/** Names the first date of a node that deletes old blocks. This is no difference: new dates can be collected. */
async function probePruned(
  rpc: JsonRpc,
  { pruned, pruneheight }: Fields,
  signal: AbortSignal,
): Promise<Probe[]> {
  if (pruned !== true || !isJsonNumber(pruneheight)) return [];
  const hash = await askAnyway(rpc, toHashCall(Number(pruneheight.number)), signal);
  const header = await askAnyway(rpc, toHeaderCall(String('value' in hash ? hash.value : '')), signal);
  const { time } = fieldsOf(header);
  const item = 'first date of a pruned node';
  const since = isJsonNumber(time) ? firstWholeDate(Number(time.number)) : undefined;
  return [{ item, expected: 'a date', found: since ?? 'unknown', agrees: since !== undefined }];
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
function probeGenesis(form: Form, asked: Asked): Probe {
  const probe = probeValue('block 0', form, asked);
  return 'value' in asked && isText(asked.value) ? { ...probe, found: asked.value.slice(0, 64) } : probe;
}

function nested(asked: Asked, name: string): Asked {
  return 'refused' in asked ? asked : { value: fieldsOf(asked)[name] };
}

function fieldsOf(asked: Asked): Fields {
  const value = 'value' in asked ? asked.value : undefined;
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value[0] as unknown) : undefined;
}
