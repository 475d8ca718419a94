import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { startRpcService, type RpcService } from './rpc-service.js';

/** Nodes on loopback with as many blocks a day as the main networks have. Their blocks are made up. */
export type DailyNodes = {
  readonly ethereum: RpcService;
  readonly bitcoin: RpcService;
  readonly dispose: () => Promise<void>;
};

/** Blocks of a chain, with the same time between any two. */
type Clock = { readonly timeOf: (block: number) => number; readonly last: number };

/** Hash of block 0 of Bitcoin's main network. */
const GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

/** Starts nodes that have the blocks of `date`, and some before and after it. */
export async function startDailyNodes(date: string): Promise<DailyNodes> {
  const ethereum = await startRpcService(ethereumMethods(createClock(date, 12)));
  const bitcoin = await startRpcService(bitcoinMethods(createClock(date, 600)));
  return {
    ethereum,
    bitcoin,
    dispose: async () => {
      await ethereum.dispose();
      await bitcoin.dispose();
    },
  };
}

/** Creates blocks from some hours before a date until some hours after it. */
function createClock(date: string, seconds: number): Clock {
  const end = endOfDayMs(toDayNumber(date)) / 1000;
  const first = end - 86_400 - 30 * seconds;
  return { timeOf: (block) => first + block * seconds, last: (86_400 + 60 * 600) / seconds };
}

const hex = (value: number): string => `0x${value.toString(16)}`;
const hashOf = (what: number | string): string => sha256Hex(String(what));
const transactionsOf = (block: number): string[] => [0, 1, 2].map((i) => `0x${hashOf(`${block}/${i}`)}`);

function ethereumMethods({ timeOf, last }: Clock): RpcService['methods'] {
  return {
    eth_chainId: () => '0x1',
    web3_clientVersion: () => 'Stand-in/1',
    eth_getBlockByNumber: (tag: string) => {
      const number = tag === 'finalized' ? last : Number(tag);
      return {
        number: hex(number),
        hash: `0x${hashOf(number)}`,
        parentHash: `0x${hashOf(number - 1)}`,
        timestamp: hex(timeOf(number)),
        gasUsed: hex(3 * 21_000),
        gasLimit: hex(60_000_000),
        transactions: transactionsOf(number),
      };
    },
    eth_getBlockReceipts: (tag: string) =>
      transactionsOf(Number(tag)).map((hash, i) => ({
        blockHash: `0x${hashOf(Number(tag))}`,
        transactionHash: hash,
        type: '0x2',
        status: i === 0 && Number(tag) % 10 === 0 ? '0x0' : '0x1',
        gasUsed: hex(21_000),
        effectiveGasPrice: hex(1_000_000_000 + Number(tag)),
        from: hash.slice(0, 42),
        to: `0x${hash.slice(26)}`,
      })),
  };
}

function bitcoinMethods({ timeOf, last }: Clock): RpcService['methods'] {
  const hashAt = (height: number): string =>
    height === 0 ? GENESIS : hashOf(height).slice(8) + height.toString(16).padStart(8, '0');
  const heightOf = (hash: string): number => (hash === GENESIS ? 0 : parseInt(hash.slice(-8), 16));
  const times = (height: number): object => ({
    height,
    mediantime: timeOf(Math.max(0, height - 5)),
    time: timeOf(height),
  });
  const header = (hash: string): object => ({
    ...times(heightOf(hash)),
    hash,
    ...(hash !== GENESIS && { previousblockhash: hashAt(heightOf(hash) - 1) }),
    bits: '17020a3c',
    nTx: 3,
  });
  const output = (address: string): object => ({ value: 0.5, scriptPubKey: { address } });
  const payment = (from: string, fee: number): object => ({
    fee,
    vin: [{ prevout: output(from) }],
    vout: [output(`to ${from}`)],
  });
  const coinbase = { vin: [{ coinbase: '00' }], vout: [output('miner')] };
  return {
    getblockcount: () => last,
    getblockhash: hashAt,
    getblockheader: header,
    getblockstats: (asked: number | string) => times(typeof asked === 'number' ? asked : heightOf(asked)),
    getblock: (hash: string) => ({
      ...header(hash),
      size: 1_000,
      weight: 3_000,
      tx: [coinbase, payment(`a ${heightOf(hash)}`, 0.00001), payment(`b ${heightOf(hash)}`, 0.00002)],
    }),
    getblockchaininfo: () => ({
      blocks: last,
      bestblockhash: hashAt(last),
      initialblockdownload: false,
      pruned: false,
    }),
    getnetworkinfo: () => ({ subversion: '/Stand-in:1/' }),
  };
}
