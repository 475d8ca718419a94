import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import type { CollectedDay, NodeEvidence } from '../../core/collection/values/collected-day.js';
import { toQueryDay } from '../../core/collection/values/query-day.js';
import { readInOrder } from '../json-rpc/read-in-order.js';
import { shapeError } from '../shape-error.js';
import { SourceError } from '../source.js';
import { assertLinked, type BlockHeader } from './block-header.js';
import { createDaySums } from './day-sums.js';
import type { EvmChain } from './evm-chains.js';
import type { EvmRpc } from './evm-rpc.js';
import { findFirstBlock } from '../json-rpc/first-block.js';
import type { Receipt } from './receipt.js';

const SECONDS_PER_DAY = 86_400;
/** Requests at the same time. */
const CONCURRENCY = 4;

/** Options for `readDay`. */
type ReadDayOptions = {
  readonly rpc: EvmRpc;
  readonly chain: EvmChain;
  readonly withReceipts: boolean;
  /** Most headers in a request. */
  readonly batchSize: number;
  /** The newest block that cannot be reorganized. */
  readonly finalized: BlockHeader;
  /** The first block of each day that is known, by the start of the day in seconds since the epoch. */
  readonly firstBlocks: Map<number, number>;
};

/**
 * Reads a UTC day, whose end is not after the finalized block. Checks that its blocks are linked, also with the blocks
 * before and after it. @throws SourceError
 */
export async function readDay(
  options: ReadDayOptions,
  date: string,
  signal: AbortSignal,
): Promise<CollectedDay> {
  const { rpc, chain, withReceipts } = options;
  const end = endOfDayMs(toDayNumber(date)) / 1000;
  const next = await firstBlockFrom(options, end, signal);
  const first = await firstBlockFrom(options, end - SECONDS_PER_DAY, signal);
  if (first === next) {
    throw new SourceError('not-yet', `${rpc.where}: expected blocks of ${date}, got none.`);
  }
  const sums = createDaySums(chain, withReceipts);
  const isOfDay = ({ number }: BlockHeader): boolean => number >= first && number < next;
  const ends: { first?: BlockHeader; last?: BlockHeader } = {};
  let previous: BlockHeader | undefined;
  await readInOrder<readonly number[], Batch>({
    parts: toParts(Math.max(0, first - 1), next, options.batchSize),
    concurrency: CONCURRENCY,
    read: (numbers, any) => readBatch(options, numbers, isOfDay, any),
    take({ headers, receipts }) {
      for (const header of headers) {
        if (previous !== undefined) assertLinked(rpc.where, previous, header);
        previous = header;
        assertSide(rpc.where, header, isOfDay(header), end);
        if (!isOfDay(header)) continue;
        ends.first ??= header;
        ends.last = header;
        sums.addBlock(header);
      }
      sums.addReceipts(receipts);
    },
    signal,
  });
  const client = await rpc.client(signal);
  return {
    ...{ chain, date },
    ...toQueryDay(chain, [sums.toRow()]),
    evidence: toEvidence(client, ends),
  };
}

type Batch = { readonly headers: readonly BlockHeader[]; readonly receipts: readonly Receipt[] };

async function readBatch(
  { rpc, withReceipts }: ReadDayOptions,
  numbers: readonly number[],
  isOfDay: (header: BlockHeader) => boolean,
  signal: AbortSignal,
): Promise<Batch> {
  const headers = await rpc.headers(numbers, signal);
  const receipts: Receipt[] = [];
  if (!withReceipts) return { headers, receipts };
  for (const header of headers.filter(isOfDay)) {
    for (const each of await rpc.receipts(header, signal)) receipts.push(each);
  }
  return { headers, receipts };
}

async function firstBlockFrom(
  { rpc, finalized, firstBlocks }: ReadDayOptions,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const known = firstBlocks.get(seconds);
  if (known !== undefined) return known;
  const found = await findFirstBlock(seconds, finalized, (number) => rpc.header(number, signal));
  firstBlocks.set(seconds, found);
  return found;
}

/** Checks that a block is on the right side of both ends of the day. `end`: seconds since the epoch. */
function assertSide(where: string, { number, time }: BlockHeader, isOfDay: boolean, end: number): void {
  const isWithin = time >= end - SECONDS_PER_DAY && time < end;
  if (isWithin === isOfDay) return;
  const expected = isOfDay ? 'a time within the day' : 'a time outside of the day';
  throw shapeError(`${where}: block ${number}`, `${expected} that ends at ${end}`, `${time}`);
}

/** Returns the numbers from `first` to `last` in parts. */
function toParts(first: number, last: number, size: number): number[][] {
  const parts: number[][] = [];
  for (let start = first; start <= last; start += size) {
    const length = Math.min(size, last - start + 1);
    parts.push(Array.from({ length }, (_, i) => start + i));
  }
  return parts;
}

function toEvidence(
  client: string,
  { first, last }: { first?: BlockHeader; last?: BlockHeader },
): NodeEvidence {
  return {
    kind: 'node',
    client,
    first_block: String(first?.number ?? ''),
    first_hash: first?.hash ?? '',
    last_block: String(last?.number ?? ''),
    last_hash: last?.hash ?? '',
  };
}
