import { createBitcoinNode } from '../../../../generator/sources/bitcoin-node/bitcoin-node.js';
import type { CollectedDay, Evidence } from '../../../../generator/core/collection/day-values.js';
import { describeSource } from '../../../contract/source.js';
import { failureOf } from '../../../support/sources/failure-of.js';
import {
  FIRST,
  LAST,
  startBitcoinNodeScene,
  type BitcoinBlock,
  type BitcoinNodeScene,
} from '../../../support/sources/bitcoin-node-scene.js';
import { RpcFault } from '../../../support/sources/rpc-service.js';

const { signal } = new AbortController();
const SPAN = { first: FIRST, last: LAST };
const NEXT = '2026-03-27';

describeSource('bitcoin-node', async () => {
  const scene = await startBitcoinNodeScene(2);
  return {
    create: scene.create,
    chains: ['bitcoin'],
    span: SPAN,
    revise: null,
    expectServed: (evidence) => expectServed(scene, evidence),
    dispose: scene.service.dispose,
  };
});

describe('bitcoin-node', () => {
  let scene: BitcoinNodeScene;
  beforeEach(async () => {
    scene = await startBitcoinNodeScene();
  });
  afterEach(() => scene.service.dispose());

  const day = (date = LAST, options?: Parameters<BitcoinNodeScene['create']>[0]): Promise<CollectedDay> =>
    scene.create(options).day('bitcoin', date, signal);
  const at = (instant: string): BitcoinBlock => {
    const block = scene.blocks[scene.heightAt(instant)];
    if (block === undefined) throw new Error('no block');
    return block;
  };
  /** Empties the blocks of the last date, and gives these transactions to one of them. */
  const setDay = (...txs: BitcoinBlock['txs']): void => {
    for (const block of scene.blocks) block.txs = [];
    Object.assign(at(`${LAST}T12:00:00Z`), { txs, reward: 312_500_000 + 1_001 });
  };

  it('gives the metrics of the day in the units of the catalog', async () => {
    setDay(
      { from: ['a', 'b'], to: ['c', null], fee: 1 },
      { from: ['c'], to: ['d'], fee: 400 },
      { from: ['d', null], to: ['a'], fee: 500 },
      { from: ['a'], to: ['miner'], fee: 100 },
    );
    const { values, counts, evidence } = await day();
    const [first, last] = [scene.heightAt(`${LAST}T00:00:00Z`), scene.heightAt(`${LAST}T23:00:00Z`)];
    const size = scene.blocks.slice(first, last + 1).reduce((sum, block) => sum + block.size, 0);
    expect(values).toMatchObject({
      tx_count: '4',
      active_addresses: '5',
      block_count: '24',
      fees_total: '0.00001001',
      fee_median: '0.0000025',
      issuance: '75',
      block_size: String(size),
      block_weight: String(3 * size),
    });
    expect(Number(values.difficulty)).toBeCloseTo((0xffff * 2 ** 48) / 0x020a3c, 0);
    expect(counts).toMatchObject({
      all_rows: '28',
      block_tx_count: '28',
      coinbase_count: '24',
      fee_missing: '0',
      bits_17020a3c: '24',
      first_block: String(first),
      last_block: String(last),
      block_numbers: '24',
    });
    expect(evidence).toEqual({
      kind: 'node',
      client: '/Satoshi:29.1.0/',
      first_block: String(first),
      first_hash: scene.hashOf(first),
      last_block: String(last),
      last_hash: scene.hashOf(last),
    });
  });

  it('selects blocks by their own time, also where times go backwards at midnight', async () => {
    const midnight = scene.heightAt(`${NEXT}T00:00:00Z`);
    const [before, after] = [scene.blocks[midnight - 1], scene.blocks[midnight + 2]];
    if (before === undefined || after === undefined) throw new Error('no blocks');
    before.time += 7200; // 01:00 of the next date
    after.time -= 9000; // 23:30
    const { values, counts } = await day();
    expect(values.block_count).toBe('24');
    expect(counts.last_block).toBe(String(midnight + 2));
    expect(await day(NEXT).catch((error: unknown) => error)).toMatchObject({ code: 'not-yet' });
    const earlier = scene.heightAt(`${LAST}T00:00:00Z`);
    const ahead = scene.blocks[earlier - 3];
    if (ahead !== undefined) ahead.time += 12_600; // 00:30, before blocks of the day before
    expect((await day()).counts).toMatchObject({ block_count: '25', first_block: String(earlier - 3) });
    expect((await day('2026-03-25')).counts).toMatchObject({
      block_count: '23',
      last_block: String(earlier - 1),
    });
  });

  it('has a row for each difficulty', async () => {
    const change = scene.heightAt(`${LAST}T12:00:00Z`);
    scene.blocks.slice(change).forEach((block) => void (block.bits = '17010000'));
    const { values, counts } = await day();
    expect(counts).toMatchObject({ bits_17020a3c: '12', bits_17010000: '12', block_count: '24' });
    expect(values.block_count).toBe('24');
  });

  it('counts a fee that the node does not state, so that the day is not taken as whole', async () => {
    setDay({ from: ['a'], to: ['b'], fee: undefined }, { from: ['a'], to: ['b'], fee: 7 });
    expect((await day()).counts).toMatchObject({ fee_missing: '1', tx_count: '2', fees: '7' });
  });

  it('gives a day of a node that does not tell its version', async () => {
    delete scene.service.methods['getnetworkinfo'];
    expect((await day()).evidence).toMatchObject({ kind: 'node', client: 'unknown' });
  });

  describe('confirmations', () => {
    it('offers a date when six blocks are certainly after its last one', async () => {
      const dates = async (): Promise<string[]> => [
        ...(await scene.create().days('bitcoin', SPAN, signal)).keys(),
      ];
      // the median time of the sixth block before the last one is 00:00
      scene.blocks.length = scene.heightAt(`${NEXT}T11:00:00Z`) + 1;
      expect(await dates()).toContain(LAST);
      expect((await day()).values.block_count).toBe('24');
      scene.blocks.length -= 1;
      expect(await dates()).not.toContain(LAST);
      expect(await failureOf(day())).toMatchObject({ code: 'not-yet' });
    });

    it('offers nothing of a node that has only a few blocks', async () => {
      scene.blocks.length = 3;
      expect(await scene.create().days('bitcoin', SPAN, signal)).toEqual(new Map());
    });

    it('refuses blocks of the future', async () => {
      scene.blocks.forEach((block) => void (block.time += 86_400));
      expect(await failureOf(day())).toMatchObject({ code: 'shape' });
    });
  });

  it('needs two requests when nothing is new, and none for other chains', async () => {
    await scene.create().days('bitcoin', SPAN, signal);
    expect(scene.service.takeRequests()).toHaveLength(2);
    expect(await scene.create().days('base', SPAN, signal)).toEqual(new Map());
    expect(await failureOf(scene.create().day('base', LAST, signal))).toMatchObject({ code: 'not-yet' });
    expect(scene.service.takeRequests()).toEqual([]);
  });

  it('sends every call as a batch, whose errors have status 200', async () => {
    await day();
    await scene.create().probe('bitcoin', signal);
    const bodies = scene.service.takeRequests();
    expect(bodies.filter(({ isBatch }) => !isBatch)).toEqual([]);
  });

  it.each([
    ['takes 100 calls at once', Infinity],
    ['takes 10 calls at once', 10],
  ])('checks a node that %s in at most 20 requests', async (_what, most) => {
    scene.service.alter((body, calls) =>
      calls.length > most ? { id: null, error: { code: -32600, message: 'batch too large' } } : body,
    );
    const probes = await scene.create().probe('bitcoin', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(scene.service.takeRequests().length).toBeLessThanOrEqual(20);
  });

  // Bitcoin SV 1.0.13, seen on regtest
  it('finds that a node takes a hash where the source names a height, which no later run would change', async () => {
    const stats = scene.service.methods['getblockstats'] as (asked: number | string) => Fields;
    scene.service.methods['getblockstats'] = (asked: number | string) => {
      if (typeof asked === 'string') return stats(asked);
      throw new RpcFault(-1, 'JSON value is not a string as expected');
    };
    const probes = await scene.create().probe('bitcoin', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toMatchObject([
      { item: 'getblockstats', found: 'the error -1: JSON value is not a string as expected' },
    ]);
    expect(await failureOf(scene.create().days('bitcoin', SPAN, signal))).toMatchObject({ code: 'shape' });
  });

  it('offers no date before the first one that the node has', async () => {
    expect([...(await scene.create({ since: LAST }).days('bitcoin', SPAN, signal)).keys()]).toEqual([LAST]);
  });

  it('has no day before the first block of the node', async () => {
    expect(await failureOf(day('2026-03-20'))).toMatchObject({ code: 'not-yet' });
  });

  describe('a node that does not do what it should', () => {
    it('is refused if it is of another chain', async () => {
      expect(await failureOf(day(LAST, { genesis: 'f'.repeat(64) }))).toMatchObject({
        code: 'shape',
        message: expect.stringMatching(/expected f+ as block 0, got [0-9a-f]{64}\.$/),
      });
    });

    // Bitcoin Core 31.99 with -prune, seen on regtest; `pruneheight` is the first block that it has.
    it.each([
      ['2026-03-25T12:00:00Z', '2026-03-26'],
      ['2026-03-25T23:00:00Z', '2026-03-27'], // a block of the 26th can come before it
    ])(
      'names the first whole date of a node that deleted the blocks before %s: %s',
      async (instant, since) => {
        const first = scene.heightAt(instant);
        const blocks = scene.service.methods['getblock'] as (hash: string) => Fields;
        scene.service.methods['getblock'] = (hash: string) => {
          if (parseInt(hash.slice(-8), 16) >= first) return blocks(hash);
          throw new RpcFault(-1, 'Block not available (pruned data)');
        };
        const info = scene.service.methods['getblockchaininfo'] as () => Fields;
        scene.service.methods['getblockchaininfo'] = () => ({ ...info(), pruned: true, pruneheight: first });
        const { code, message } = await failureOf(day('2026-03-25'));
        expect(code).toBe('shape');
        expect(message).toMatch(/: block \d+: the node is pruned and has the blocks from \d+ only\. /);
        expect(message).toContain(`Set "since" of bitcoin to ${since} in the policy`);
        const probes = await scene.create().probe('bitcoin', signal);
        expect(probes.filter(({ item }) => item === 'first date of a pruned node')).toEqual([
          { item: 'first date of a pruned node', expected: 'a date', found: since, agrees: true },
        ]);
      },
    );

    const change = (method: string, alter: Change): void => {
      const read = scene.service.methods[method] as (...params: unknown[]) => Fields;
      scene.service.methods[method] = (...params: unknown[]) => alter(read(...params));
    };
    const faults: [string, string, Change][] = [
      ['another height', 'getblockheader', (header) => ({ ...header, height: 1 })],
      ['another hash', 'getblockheader', (header) => ({ ...header, hash: 'a'.repeat(64) })],
      ['a height as text', 'getblockheader', (header) => ({ ...header, height: String(header['height']) })],
      ['no median time', 'getblockheader', without('mediantime')],
      ['a time before the median', 'getblockheader', (header) => ({ ...header, time: 1 })],
      ['another block before', 'getblockheader', (h) => ({ ...h, previousblockhash: 'a'.repeat(64) })],
      ['bits that are none', 'getblockheader', (header) => ({ ...header, bits: '0x17020a3c' })],
      ['bits that are no target', 'getblockheader', (header) => ({ ...header, bits: 'ffffffff' })],
      ['null as a header', 'getblockheader', () => null],
      ['a hash that is none', 'getblockhash', () => '0x12'],
      ['a count below 0', 'getblockcount', () => -1],
      ['another block', 'getblock', (block) => ({ ...block, hash: 'a'.repeat(64) })],
      ['a transaction too few', 'getblock', withTransactions((all) => all.slice(1))],
      ['no coinbase', 'getblock', withTransactions((all) => all.map(() => all.at(-1)))],
      ['two coinbases', 'getblock', withTransactions((all) => all.map(() => all[0]))],
      ['transactions as hashes', 'getblock', withTransactions((all) => all.map(() => 'ab'))],
      ['transactions that are no array', 'getblock', (block) => ({ ...block, tx: {} })],
      ['no weight', 'getblock', without('weight')],
      ['a size with a fraction', 'getblock', (block) => ({ ...block, size: 1.5 })],
      ['inputs without what they spend', 'getblock', without('prevout')],
      ['outputs without a value', 'getblock', without('value')],
      ['an amount as text', 'getblock', withFee('1')],
      ['an amount of less than a satoshi', 'getblock', withFee(1.5e-8)],
      ['an amount below 0', 'getblock', withFee(-1)],
    ];
    it.each(faults)('is refused if it gives %s', async (_what, method, alter) => {
      change(method, alter);
      expect(await failureOf(day())).toMatchObject({ code: 'shape' });
    });
  });

  it('sends its user and password, and shows them nowhere', async () => {
    const endpoint = scene.service.endpoint.replace('http://', 'http://rpcuser:s3cret@');
    const source = scene.create({ endpoint });
    const shown = [await source.day('bitcoin', LAST, signal), await source.probe('bitcoin', signal)];
    const [request] = scene.service.takeRequests();
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('rpcuser:s3cret').toString('base64')}`);
    scene.service.refuse((res) => res.writeHead(401).end());
    const { code, message } = await failureOf(scene.create({ endpoint }).days('bitcoin', SPAN, signal));
    expect(code).toBe('shape');
    expect(message).toMatch(/: the node refuses the user or password \(status 401\)\. Correct them\.$/);
    await expect(scene.create({ endpoint }).probe('bitcoin', signal)).rejects.toMatchObject({ message });
    expect(JSON.stringify([shown, message])).not.toMatch(/rpcuser|s3cret/);
  });

  /** Bitcoin Core 31.99 with -rpcwhitelist answers a batch with a method that is not allowed with status 403 as a whole. */
  const allow = (...methods: string[]): void => {
    scene.service.intercept((res, calls) => {
      const isRefused = calls.some(({ method }) => !methods.includes(method));
      if (isRefused) res.writeHead(403).end();
      return isRefused;
    });
  };
  const NEEDED = ['getblockcount', 'getblockhash', 'getblockheader', 'getblockstats', 'getblock'];

  it('gives days of a node that does not allow getnetworkinfo, whose client is unknown', async () => {
    allow(...NEEDED, 'getblockchaininfo');
    expect((await day()).evidence).toMatchObject({ kind: 'node', client: 'unknown' });
    const probes = await scene.create().probe('bitcoin', signal);
    const found = expect.stringMatching(/^unknown: .* refuses to be asked for getnetworkinfo \(status 403\)/);
    expect(probes.find(({ item }) => item === 'subversion')).toMatchObject({ found, agrees: true });
  });

  it('names the methods that the node does not allow', async () => {
    allow(...NEEDED.filter((method) => method !== 'getblockstats'));
    expect(await failureOf(day())).toMatchObject({
      code: 'shape',
      message: expect.stringContaining(
        'the node refuses to be asked for getblockhash, getblockstats (status 403). Allow this user all',
      ),
    });
  });

  // Bitcoin Core 31.99 in its first seconds: -28 with status 500 for a call, with 200 in a batch and in JSON-RPC 2.0
  it('waits for a node that is starting as long as for one that does not answer', async () => {
    let starting = 3;
    scene.service.alter((body) => {
      const error = { code: -28, message: 'Loading block index…' };
      return (starting -= 1) < 0 ? body : [body].flat().map(({ id }) => ({ jsonrpc: '2.0', error, id }));
    });
    expect((await day()).values.block_count).toBe('24');
    expect(scene.tools.slept).toEqual([500, 1000, 2000]);
    starting = 100;
    expect(await failureOf(day())).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('got the error -28: Loading block index…, 6 times'),
    });
  });

  it('refuses an endpoint on another machine without https', () => {
    const create = (): unknown => createBitcoinNode({ id: 'b', endpoint: 'http://u:s3cret@10.0.0.5:8332' });
    expect(create).toThrow('b: the endpoint must be an https URL, or an http URL on loopback.');
    expect(create).not.toThrow(/s3cret/);
  });

  it('probes the chain, the client, the methods and the fields, one by one', async () => {
    const { txs } = scene.blocks.at(-1) ?? {};
    txs?.push({ from: ['a'], to: ['b'], fee: 1 });
    const probes = await scene.create().probe('bitcoin', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(probes.map(({ item, found }) => `${item}: ${found}`)).toEqual(
      expect.arrayContaining([
        `block 0: ${scene.hashOf(0)}`,
        'subversion: /Satoshi:29.1.0/',
        'initialblockdownload: false',
        'field mediantime of getblockstats: a number',
        'field fee of a transaction: a number',
        'field prevout of an input: an object',
      ]),
    );
  });

  it('finds by a probe an old node that is not in sync', async () => {
    const { txs } = scene.blocks.at(-1) ?? {};
    txs?.push({ from: ['a'], to: ['b'], fee: 1 });
    delete scene.service.methods['getblockstats'];
    const block = scene.service.methods['getblock'] as (hash: string) => Fields;
    scene.service.methods['getblock'] = (hash: string) => without('prevout')(block(hash));
    scene.service.methods['getblockchaininfo'] = () => ({
      bestblockhash: scene.hashOf(scene.blocks.length - 1),
      initialblockdownload: true,
    });
    const probes = await scene.create().probe('bitcoin', signal);
    expect(probes.filter(({ agrees }) => !agrees).map(({ item, found }) => `${item}: ${found}`)).toEqual([
      'initialblockdownload: a boolean',
      'getblockstats: the error -32601: the method getblockstats does not exist',
      'field prevout of an input: no such field',
    ]);
  });
});

type Fields = Readonly<Record<string, unknown>>;
type Change = (fields: Fields) => unknown;

/** Removes a field at any depth. */
function without(name: string): Change {
  return (fields) => copy(fields, (key, value) => (key === name ? undefined : value));
}

function withFee(fee: unknown): Change {
  return (fields) => copy(fields, (key, value) => (key === 'fee' ? fee : value));
}

function withTransactions(alter: (all: readonly unknown[]) => unknown): Change {
  return (block) => ({ ...block, tx: alter(block['tx'] as unknown[]) });
}

function copy(fields: Fields, change: (key: string, value: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(fields), change) as unknown;
}

function expectServed(scene: BitcoinNodeScene, evidence: Evidence): void {
  if (evidence.kind !== 'node') throw new Error(`expected blocks of a node, got ${evidence.kind}`);
  const { first_block, first_hash, last_block, last_hash } = evidence;
  expect([first_hash, last_hash]).toEqual([first_block, last_block].map((n) => scene.hashOf(Number(n))));
}
