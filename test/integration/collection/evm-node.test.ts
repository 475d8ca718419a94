import { createEvmNode } from '../../../generator/sources/evm-node/evm-node.js';
import type { CollectedDay } from '../../../generator/core/collection/day-values.js';
import type { Source } from '../../../generator/sources/source.js';
import { createInstantTools } from '../../support/sources/instant-tools.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A node of a development chain, whose blocks are mined on demand. */
type Anvil = {
  readonly endpoint: string;
  /** Calls a method, and returns its result. */
  readonly call: (method: string, ...params: readonly unknown[]) => Promise<unknown>;
  readonly dispose: () => Promise<void>;
};

const PROGRAM = path.resolve('.anvil', 'node_modules', '@foundry-rs', platformPackage(), 'bin', 'anvil');

/**
 * Starts anvil, which `npm run install:anvil` installs. A block is finalized when two others follow it.
 * `timestamp`: time of its first block, in seconds since the epoch.
 */
async function startAnvil(chainId: number, timestamp: number): Promise<Anvil> {
  const options = ['--no-mining', '--slots-in-an-epoch', '1', '--order', 'fifo', '--port', '0'];
  const child = spawn(
    PROGRAM,
    [...options, '--chain-id', String(chainId), '--timestamp', String(timestamp)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const endpoint = await Promise.race([
    readEndpoint(createInterface(child.stdout)),
    once(child, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  let id = 0;
  return {
    endpoint,
    async call(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(endpoint, { method: 'POST', headers, body });
      const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
    async dispose() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function readEndpoint(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, address] = /^Listening on (127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (address !== undefined) return `http://${address}`;
  }
  throw new Error('anvil ended before it listened');
}

function platformPackage(): string {
  const [platform, arch] = [process.platform, process.arch === 'x64' ? 'amd64' : process.arch];
  return `anvil-${platform}-${arch}`;
}

const { signal } = new AbortController();
const DATES = { first: '2025-12-30', last: '2026-01-09' };
const DAY = '2026-01-01';
const START = Date.parse(`${DAY}T00:00:00Z`) / 1000;

type Json = Record<string, string | null>;
type RawBlock = { readonly time: number; readonly header: Json; readonly receipts: readonly Json[] };

describe('evm-node with a real node', () => {
  let anvil: Anvil;
  let accounts: string[];
  let sent: number;
  beforeEach(async () => {
    anvil = await startAnvil(1, START - 3600);
    accounts = (await anvil.call('eth_accounts')) as string[];
    sent = 0;
  });
  afterEach(() => anvil.dispose());

  /** Mines a block at a time relative to the start of the day. Every third transaction fails. */
  const mine = async (seconds: number, transactions = 0): Promise<void> => {
    for (let i = 0; i < transactions; i += 1) {
      sent += 1;
      const from = accounts[sent % 5];
      const tip = {
        maxPriorityFeePerGas: `0x${(10 ** 9 * sent).toString(16)}`,
        maxFeePerGas: '0x1f4ffffffff',
      };
      // The data is PUSH1 0, PUSH1 0, REVERT: the creation of a contract that fails.
      const what = sent % 3 === 0 ? { data: '0x60006000fd' } : { to: accounts[sent % 4], value: '0x1' };
      await anvil.call('eth_sendTransaction', { from, gas: '0x30d40', ...tip, ...what });
    }
    await anvil.call('evm_setNextBlockTimestamp', START + seconds);
    await anvil.call('evm_mine');
  };
  const create = (receipts = true): Source =>
    createEvmNode({
      id: 'test-node',
      chain: 'ethereum',
      endpoint: anvil.endpoint,
      receipts,
      batchSize: 3,
      tools: createInstantTools('2026-01-10T00:00:00Z'),
    });
  const offered = async (): Promise<string[]> => [...(await create().days('ethereum', DATES, signal)).keys()];
  const day = (receipts = true): Promise<CollectedDay> => create(receipts).day('ethereum', DAY, signal);

  it('cuts the day at 00:00 UTC, withholds it until it is final, and agrees with the raw data', async () => {
    await mine(-1, 1);
    await mine(0, 2);
    await mine(43_200, 4);
    await mine(86_399, 1);
    await mine(86_400, 2);
    await mine(86_412, 1);
    expect(await offered()).not.toContain(DAY); // the finalized block is the one at 86,399 s
    await expect(day()).rejects.toMatchObject({ code: 'not-yet' });
    await mine(86_424);
    expect(await offered()).toContain(DAY);
    expect(await offered()).not.toContain('2026-01-02');

    const raw = (await readRaw(anvil)).filter(({ time }) => time >= START && time < START + 86_400);
    expect(raw.map(({ time }) => time - START)).toEqual([0, 43_200, 86_399]);
    const collected = await day();
    expect(collected.values).toEqual(computeValues(raw));
    expect(collected.values).toMatchObject({ tx_count: '7', failed_tx_count: '2' });
    expect(collected.counts.all_gas).toBe(collected.counts.gas_used);
    expect(collected.counts.all_rows).toBe(collected.counts.block_tx_count);
    expect(collected.evidence).toEqual({
      kind: 'node',
      client: expect.stringMatching(/^anvil\/v1\.7/),
      first_block: String(Number(raw[0]?.header['number'])),
      first_hash: raw[0]?.header['hash'],
      last_block: String(Number(raw.at(-1)?.header['number'])),
      last_hash: raw.at(-1)?.header['hash'],
    });
    const { block_count, gas_used, gas_limit_mean } = collected.values;
    expect((await day(false)).values).toEqual({ block_count, gas_used, gas_limit_mean });
  });

  it('never shows blocks that are reorganized before they are final', async () => {
    await mine(-1);
    await mine(0, 1);
    const before = await anvil.call('evm_snapshot');
    await mine(80_000, 3);
    await mine(86_399, 1);
    await mine(86_500, 1);
    await mine(86_512);
    const early = create(); // before the reorganization
    expect([...(await early.days('ethereum', DATES, signal)).keys()]).not.toContain(DAY);
    const lost = await readRaw(anvil);
    await anvil.call('evm_revert', before);
    await mine(70_000, 2);
    for (const seconds of [86_500, 86_512, 86_524]) await mine(seconds);
    const raw = (await readRaw(anvil)).filter(({ time }) => time >= START && time < START + 86_400);
    expect(raw.map(({ time }) => time - START)).toEqual([0, 70_000]);
    const { values, evidence } = await day();
    expect(values).toEqual(computeValues(raw));
    expect(lost.map(({ header }) => header['hash'])).not.toContain(
      evidence.kind === 'node' && evidence.last_hash,
    );
  });

  it('agrees with what the probe expects', async () => {
    await mine(0, 1);
    await mine(12);
    await mine(24);
    const probes = await create().probe('ethereum', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(probes.map(({ item }) => item)).toContain('field effectiveGasPrice of eth_getBlockReceipts');
  });

  it('refuses the node for another chain', async () => {
    const source = createEvmNode({ id: 'base-node', chain: 'base', endpoint: anvil.endpoint });
    await expect(source.days('base', DATES, signal)).rejects.toMatchObject({
      code: 'shape',
      message: `base-node: ${anvil.endpoint}: expected the chain 8453 (base), got the chain 1.`,
    });
  });
});

/** Reads all blocks with plain calls, one by one. */
async function readRaw({ call }: Anvil): Promise<RawBlock[]> {
  const blocks: RawBlock[] = [];
  const last = Number(await call('eth_blockNumber'));
  for (let n = 0; n <= last; n += 1) {
    const number = `0x${n.toString(16)}`;
    const header = (await call('eth_getBlockByNumber', number, false)) as Json;
    const receipts = (await call('eth_getBlockReceipts', number)) as Json[];
    blocks.push({ time: Number(header['timestamp']), header, receipts });
  }
  return blocks;
}

/** Computes the metrics of blocks in another way than the source: with quotients of 60 decimals, and by sorting all fees. */
function computeValues(blocks: readonly RawBlock[]): Record<string, string> {
  const receipts = blocks.flatMap((block) => block.receipts);
  const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, each) => total + each, 0n);
  const field = (all: readonly Json[], name: string): bigint[] => all.map((each) => BigInt(each[name] ?? 0));
  const gas = field(receipts, 'gasUsed');
  const fees = field(receipts, 'effectiveGasPrice').map((price, i) => price * (gas[i] ?? 0n));
  const sorted = fees.toSorted((a, b) => (a < b ? -1 : 1));
  const [low = 0n, high = 0n] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const headers = blocks.map(({ header }) => header);
  const count = BigInt(blocks.length);
  return {
    tx_count: String(receipts.length),
    failed_tx_count: String(receipts.filter(({ status }) => status === '0x0').length),
    active_addresses: String(
      new Set(receipts.flatMap(({ from, to }) => [from, to]).filter((each) => each !== null)).size,
    ),
    block_count: String(count),
    gas_used: String(sum(field(headers, 'gasUsed'))),
    gas_limit_mean: toText(sum(field(headers, 'gasLimit')), count, 0),
    fees_total: toText(sum(fees), 1n, 18),
    fee_median: toText(low + high, 2n, 18),
    gas_price_mean: toText(sum(fees), sum(gas), 9),
  };
}

/** Returns a quotient with 20 significant digits, divided by 10^`digits`. */
function toText(numerator: bigint, denominator: bigint, digits: number): string {
  const scale = 60;
  const whole = String((numerator * 10n ** BigInt(scale)) / denominator).padStart(scale + digits + 1, '0');
  const point = whole.length - scale - digits;
  const leading = /^0*/.exec(whole)?.[0].length ?? 0;
  const kept = leading + 20;
  const rounded = String(BigInt(whole.slice(0, kept)) + (Number(whole[kept] ?? '0') >= 5 ? 1n : 0n)).padStart(
    kept,
    '0',
  );
  const text = rounded.padEnd(whole.length, '0');
  return `${text.slice(0, point)}.${text.slice(point)}`.replace(/\.?0+$/, '');
}
