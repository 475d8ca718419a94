import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { endOfDayMs, toDayNumber } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';

/** A made-up node on loopback that answers slowly. */
export type SlowNode = {
  readonly endpoint: string;
  /** Returns the number of requests since the last call, and begins the same sequence of waits again. */
  readonly takeRequests: () => number;
  readonly stop: () => Promise<void>;
};

export type SlowChain = 'ethereum' | 'bitcoin';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** The dates that the nodes have. */
export const SLOW_DATES = { first: '2026-01-01', last: '2026-03-01' };
const BLOCKS_PER_DAY = 24;
const SECONDS = 86_400 / BLOCKS_PER_DAY;
const START = endOfDayMs(toDayNumber(SLOW_DATES.first)) / 1000 - 86_400;
/** Blocks before the first date, and after the last one. */
const [EARLIER, LATER] = [2 * BLOCKS_PER_DAY, BLOCKS_PER_DAY];
const DAYS = toDayNumber(SLOW_DATES.last) - toDayNumber(SLOW_DATES.first) + 1;
const LAST_BLOCK = EARLIER + DAYS * BLOCKS_PER_DAY + LATER;
const TRANSACTIONS = { ethereum: 300, bitcoin: 600 };
/** Waits before an answer, in milliseconds. One in ten is slow. */
const WAITS = { usual: 20, slow: 300, share: 0.1 };
/** Hash of block 0 of Bitcoin's main network. */
const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

/** Starts a node of a chain, with a block an hour: a request waits for 20 ms, and one in ten for 300. */
export async function startSlowNode(chain: SlowChain): Promise<SlowNode> {
  let requests = 0;
  const answerCall = chain === 'ethereum' ? answerEthereum : answerBitcoin;
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const isSlow = drawNumber((requests += 1)) < WAITS.share;
    const body = JSON.parse(await text(req)) as Call | readonly Call[]; // of the product
    await sleep(isSlow ? WAITS.slow : WAITS.usual);
    const answers = [body].flat().map((call) => ({ jsonrpc: '2.0', id: call.id, result: answerCall(call) }));
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  };
  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on a port
    takeRequests() {
      const taken = requests;
      requests = 0;
      return taken;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a number in [0, 1) for a number, always the same. */
function drawNumber(n: number): number {
  return parseInt(sha256Hex(String(n)).slice(0, 8), 16) / 2 ** 32;
}

function timeOf(block: number): number {
  return START + (block - EARLIER) * SECONDS;
}

function hashOf(what: string | number): string {
  return sha256Hex(String(what));
}

/** Returns another hash for each transaction, quickly. */
function transactionHash(block: number, index: number): string {
  return `0x${(block * 1_000 + index).toString(16).padStart(24, '0').repeat(3).slice(0, 64)}`;
}

const hex = (number: number): string => `0x${number.toString(16)}`;

function answerEthereum({ method, params: [asked] }: Call): unknown {
  const number = asked === 'finalized' ? LAST_BLOCK : Number(asked);
  const transactions = Array.from({ length: TRANSACTIONS.ethereum }, (_, i) => transactionHash(number, i));
  if (method === 'eth_chainId') return '0x1';
  if (method === 'web3_clientVersion') return 'slow/1';
  if (method === 'eth_getBlockByNumber')
    return {
      number: hex(number),
      hash: `0x${hashOf(number)}`,
      parentHash: `0x${hashOf(number - 1)}`,
      timestamp: hex(timeOf(number)),
      gasUsed: hex(TRANSACTIONS.ethereum * 21_000),
      gasLimit: hex(60_000_000),
      transactions,
    };
  const blockHash = `0x${hashOf(number)}`;
  return transactions.map((hash, i) => ({
    blockHash,
    transactionHash: hash,
    type: '0x2',
    status: i % 50 === 0 ? '0x0' : '0x1',
    gasUsed: hex(21_000),
    effectiveGasPrice: hex(1_000_000_000 + i),
    from: `0x${hash.slice(2, 42)}`,
    to: `0x${hash.slice(18, 58)}`,
    logsBloom: `0x${'0'.repeat(512)}`,
  }));
}

function answerBitcoin({ method, params: [asked] }: Call): unknown {
  if (method === 'getblockcount') return LAST_BLOCK;
  if (method === 'getnetworkinfo') return { subversion: '/Slow:1/' };
  if (method === 'getblockhash') return bitcoinHash(Number(asked));
  if (method === 'getblockstats')
    return { height: Number(asked), mediantime: timeOf(Math.max(0, Number(asked) - 5)) };
  const height = asked === GENESIS ? 0 : parseInt(String(asked).slice(-8), 16);
  const header = {
    height,
    hash: asked,
    ...(height > 0 && { previousblockhash: bitcoinHash(height - 1) }),
    time: timeOf(height),
    mediantime: timeOf(Math.max(0, height - 5)),
    bits: '17020a3c',
    nTx: TRANSACTIONS.bitcoin,
  };
  if (method === 'getblockheader') return header;
  const output = (address: string): object => ({ value: 0.5, scriptPubKey: { address } });
  const coinbase = { vin: [{ coinbase: '00' }], vout: [output('miner')] };
  const others = Array.from({ length: TRANSACTIONS.bitcoin - 1 }, (_, i) => ({
    fee: (1_000 + i) / 1e8,
    vin: [{ prevout: output(`from ${(height + i) % 9_000}`) }],
    vout: [output(`to ${(height * i) % 9_000}`), output(`change ${i}`)],
  }));
  return { ...header, size: 1_000_000, weight: 3_000_000, tx: [coinbase, ...others] };
}

/** Returns the hash of a block, which ends with its height. */
function bitcoinHash(height: number): string {
  return height === 0 ? GENESIS : hashOf(height).slice(8) + height.toString(16).padStart(8, '0');
}
