import { createEvmNode } from '../../../../generator/sources/evm-node/evm-node.js';
import type { CollectedDay, Evidence } from '../../../../generator/core/collection/day-values.js';
import { describeSource } from '../../../contract/source.js';
import {
  addressOf,
  FIRST,
  LAST,
  PER_DAY,
  startEvmNodeScene,
  type EvmNodeScene,
} from '../../../support/sources/evm-node-scene.js';
import { failureOf } from '../../../support/sources/failure-of.js';
import { RpcFault } from '../../../support/sources/rpc-service.js';

const { signal } = new AbortController();
const SPAN = { first: FIRST, last: LAST };

for (const chain of ['ethereum', 'arbitrum', 'base'] as const) {
  describeSource(`evm-node of ${chain}`, async () => {
    const scene = await startEvmNodeScene(chain);
    return {
      create: () => scene.create({ receipts: chain !== 'arbitrum' }),
      chains: [chain],
      span: SPAN,
      revise: null,
      expectServed: (evidence) => expectServed(scene, evidence),
      dispose: scene.service.dispose,
    };
  });
}

describe('evm-node', () => {
  let scene: EvmNodeScene;
  beforeEach(async () => {
    scene = await startEvmNodeScene();
  });
  afterEach(() => scene.service.dispose());

  const day = (date = LAST, options?: Parameters<EvmNodeScene['create']>[0]): Promise<CollectedDay> =>
    scene.create(options).day('base', date, signal);

  it('gives the metrics of the headers by default, from 00:00:00 to 23:59:59', async () => {
    const { values, counts, evidence } = await day();
    const first = scene.firstOfLast();
    const blocks = scene.blocks.slice(first, first + PER_DAY);
    const [one, last] = [blocks[0], blocks.at(-1)];
    expect([one?.time, last?.time].map((time) => new Date(1000 * (time ?? 0)).toISOString())).toEqual([
      `${LAST}T00:00:00.000Z`,
      `${LAST}T23:59:59.000Z`,
    ]);
    const gas = blocks.flatMap(({ txs }) => txs).reduce((sum, tx) => sum + tx.gas, 0);
    expect(values).toEqual({
      block_count: '9',
      gas_used: String(gas),
      gas_limit_mean: String(30_000_000 + first + 4),
    });
    expect(counts).toMatchObject({
      block_count: '9',
      block_numbers: '9',
      first_block: String(first),
      last_block: String(first + 8),
      block_tx_count: String(blocks.flatMap(({ txs }) => txs).length),
    });
    expect(counts).not.toHaveProperty('all_rows');
    expect(evidence).toEqual({
      kind: 'node',
      client: 'Geth/v1.16.9-stable/linux-amd64/go1.25',
      first_block: String(first),
      first_hash: scene.hashOf(first),
      last_block: String(first + 8),
      last_hash: scene.hashOf(first + 8),
    });
  });

  it('gives a day of a node that does not tell its version', async () => {
    delete scene.service.methods['web3_clientVersion'];
    expect((await day()).evidence).toMatchObject({ kind: 'node', client: 'unknown' });
  });

  describe('finality', () => {
    it('offers a date from the moment when the time of the finalized block is past its end', async () => {
      scene.finalize(scene.blocks.length - 3); // 23:59:59
      expect([...(await scene.create().days('base', SPAN, signal)).keys()]).not.toContain(LAST);
      expect(await failureOf(day())).toMatchObject({ code: 'not-yet' });
      scene.finalize(scene.blocks.length - 2); // 00:00:00
      expect([...(await scene.create().days('base', SPAN, signal)).keys()]).toContain(LAST);
      expect((await day()).values.block_count).toBe('9');
    });

    it('refuses a node without the tag, and says what is needed', async () => {
      const read = scene.service.methods['eth_getBlockByNumber'] as (tag: string) => unknown;
      scene.service.methods['eth_getBlockByNumber'] = (tag: string) => {
        if (tag === 'finalized') throw new RpcFault(-32602, 'invalid block tag');
        return read(tag);
      };
      expect(await failureOf(day())).toMatchObject({
        code: 'shape',
        message: expect.stringContaining(
          'expected the block with the tag finalized, got the error -32602: invalid block tag. Use a node that supports',
        ),
      });
    });

    const fails = (code: number, message: string) => (): never => {
      throw new RpcFault(code, message);
    };
    it.each<[string, () => unknown]>([
      ['null', () => null],
      ['the error of execution-apis', fails(-39001, 'Unknown block')],
      ['geth 1.16.9 and 1.17.10, from its source', fails(-32000, 'finalized block not found')],
      ['an error of another program', fails(-32000, 'unknown block')],
      ['other words', fails(-32000, 'Block not found')],
    ])('waits for a node that has no finalized block yet: %s', async (_what, answer) => {
      scene.service.methods['eth_getBlockByNumber'] = answer;
      expect(await failureOf(scene.create().days('base', SPAN, signal))).toMatchObject({ code: 'not-yet' });
    });

    it('refuses a finalized block of the future', async () => {
      const last = scene.blocks.at(-1);
      if (last !== undefined) last.time += 86_400;
      expect(await failureOf(scene.create().days('base', SPAN, signal))).toMatchObject({ code: 'shape' });
    });
  });

  describe('requests', () => {
    it('needs two when nothing is new', async () => {
      const days = await scene.create().days('base', { first: LAST, last: '2026-04-01' }, signal);
      expect([...days.keys()]).toEqual([LAST]);
      expect(scene.service.takeRequests()).toHaveLength(2);
    });

    const sizesOf = async (reading: Promise<unknown>): Promise<number[]> => {
      await reading;
      return scene.service.takeRequests().map(({ calls }) => calls.length);
    };

    it('reads headers in batches, and looks for the start of a day only once', async () => {
      const source = scene.create();
      const first = await sizesOf(source.day('base', FIRST, signal));
      expect(first.slice(-3)).toEqual([7, 4, 1]); // nine blocks, the one before, the one after; and the client
      await sizesOf(source.day('base', LAST, signal));
      expect(await sizesOf(source.day('base', '2026-03-25', signal))).toEqual([7, 2, 7, 4, 1]);
      expect(await sizesOf(source.day('base', '2026-03-25', signal))).toEqual([7, 4, 1]);
    });

    it('reads the receipts of several blocks at once, of at most 1,000 transactions, and of no block without any', async () => {
      const first = scene.firstOfLast();
      const tx = { from: addressOf(1), to: addressOf(2), gas: 1, price: 1n, status: 1, type: 2, l1Fee: 1n };
      scene.blocks.slice(first, first + PER_DAY).forEach((block, i) => {
        block.txs = Array.from({ length: [0, 400, 600, 1, 0, 2000, 5, 5, 5][i] ?? 0 }, () => tx);
      });
      await scene.create({ receipts: true }).day('base', LAST, signal);
      const asked = scene.service
        .takeRequests()
        .map(({ calls }) => calls.filter(({ method }) => method === 'eth_getBlockReceipts'))
        .filter(({ length }) => length > 0);
      const blocks = asked.map((calls) => calls.map(({ params }) => Number(params[0]) - first));
      expect(blocks.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([[1, 2], [3], [5], [6, 7, 8]]);
    });

    it('sends at most four requests at the same time', async () => {
      let [open, most] = [0, 0];
      const fetch: typeof globalThis.fetch = async (...request) => {
        most = Math.max(most, (open += 1));
        return scene.tools.fetch(...request).finally(() => void (open -= 1));
      };
      const source = scene.create({ receipts: true, batchSize: 1, tools: { ...scene.tools, fetch } });
      await source.day('base', LAST, signal);
      expect(most).toBe(4);
    });

    it('sends none for another chain, and has no date of it', async () => {
      expect(await scene.create().days('ethereum', SPAN, signal)).toEqual(new Map());
      expect(await failureOf(scene.create().day('bitcoin', LAST, signal))).toMatchObject({ code: 'not-yet' });
      expect(scene.service.takeRequests()).toEqual([]);
    });

    it('offers no date before the first one that the node has', async () => {
      const days = await scene.create({ since: '2026-03-25' }).days('base', SPAN, signal);
      expect([...days.keys()]).toEqual(['2026-03-25', LAST]);
    });
  });

  describe('a node that does not do what it should', () => {
    it('is refused if it is of another chain', async () => {
      expect(await failureOf(day(LAST, { chain: 'base', chainId: 84532 }))).toMatchObject({
        code: 'shape',
        message: expect.stringContaining('expected the chain 84532 (base), got the chain 8453'),
      });
    });

    const changed: [string, string, (header: Record<string, unknown>) => unknown][] = [
      ['not-yet', 'a block that it does not have', () => null],
      ['shape', 'a text for a block', () => 'none'],
      ['shape', 'another number', (header) => ({ ...header, number: '0x1' })],
      ['shape', 'a decimal quantity', (header) => ({ ...header, gasUsed: '21000' })],
      ['shape', 'a number for a quantity', (header) => ({ ...header, gasUsed: 21_000 })],
      ['shape', 'no gas limit', (header) => ({ ...header, gasLimit: undefined })],
      ['shape', 'a time above 2^53', (header) => ({ ...header, timestamp: '0xffffffffffffffff' })],
      ['shape', 'whole transactions', (header) => ({ ...header, transactions: [{ hash: '0x1' }] })],
      ['shape', 'another parent', (header) => ({ ...header, parentHash: `0x${'2'.repeat(64)}` })],
      ['shape', 'a hash that is too short', (header) => ({ ...header, hash: '0x12' })],
      ['shape', 'a time before the block before', (header) => ({ ...header, timestamp: '0x1' })],
    ];
    it.each(changed)('gives %s for %s', async (code, _what, change) => {
      const number = scene.firstOfLast() + 4;
      scene.service.alter((body, calls) => {
        if (!Array.isArray(body)) return body; // the search for the ends of the day
        return body.map((each, i) =>
          Number(calls[i]?.params[0]) === number
            ? { ...each, result: change(each.result as Record<string, unknown>) }
            : each,
        );
      });
      const error = await failureOf(day());
      expect(error).toMatchObject({ code });
      expect(error.message).toMatch(/^test-node: http:\/\/127\.0\.0\.1:\d+: block \d+/);
    });

    it('is refused if it reorganizes between two requests: the links show it', async () => {
      scene.service.alter((body, calls) => {
        const isFirstPart = calls.length === 7 && Number(calls[0]?.params[0]) === scene.firstOfLast() - 1;
        const block = scene.blocks[scene.firstOfLast() - 2];
        if (isFirstPart && block !== undefined) block.salt = 'b'; // for the second part
        return body;
      });
      expect(await failureOf(day())).toMatchObject({
        code: 'shape',
        message: expect.stringContaining('expected the parent'),
      });
    });
  });

  it('shows no keys of the endpoint, also not those in errors of the node', async () => {
    const secret = 'k3y-0123456789';
    const host = scene.service.endpoint.replace('http://', '');
    const source = scene.create({ endpoint: `http://user:pass%21word@${host}/v3/${secret}?token=hush-hush` });
    const { evidence } = await source.day('base', LAST, signal);
    const [request] = scene.service.takeRequests();
    expect(request?.url).toBe(`/v3/${secret}?token=hush-hush`);
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('user:pass!word').toString('base64')}`);
    const probes = await source.probe('base', signal);
    scene.service.alter(() => ({
      id: 1,
      error: { code: -32000, message: `no such key ${secret} of pass!word` },
    }));
    const echoed = await failureOf(
      scene.create({ endpoint: `http://user:pass%21word@${host}/v3/${secret}` }).days('base', SPAN, signal),
    );
    expect(echoed.message).toContain('the error -32000: no such key *** of ***');
    scene.service.refuse((res) => res.writeHead(301, { Location: `/v3/${secret}/?token=hush-hush` }).end());
    const redirected = await failureOf(
      scene
        .create({ endpoint: `http://user:pass%21word@${host}/v3/${secret}?token=hush-hush` })
        .days('base', SPAN, signal),
    );
    const shown = JSON.stringify([evidence, probes, echoed.message, redirected.message]);
    for (const word of [secret, 'hush', 'user', 'pass']) expect(shown).not.toContain(word);
    expect(redirected.message).toContain('a redirect');
  });

  it.each([
    'http://node.example.com',
    'ftp://node.example.com/secret-key',
    'secret-key',
    'https://a:%zz@b.example',
  ])('refuses the endpoint %s without showing it', (endpoint) => {
    const create = (): unknown => createEvmNode({ id: 'base-node', chain: 'base', endpoint });
    expect(create).toThrow('base-node: the endpoint must be an https URL, or an http URL on loopback.');
    expect(create).not.toThrow(/secret-key|%zz/);
  });

  // geth 1.17.10 with --history.chain postmerge, from its source
  it('says what to do about blocks that the node deleted', async () => {
    const number = scene.firstOfLast() + 4;
    const read = scene.service.methods['eth_getBlockByNumber'] as (tag: string) => unknown;
    scene.service.methods['eth_getBlockByNumber'] = (tag: string) => {
      if (Number(tag) === number) throw new RpcFault(4444, 'pruned history unavailable');
      return read(tag);
    };
    expect(await failureOf(day())).toMatchObject({
      code: 'shape',
      message: expect.stringContaining('(error 4444: pruned history unavailable). Begin with a later date'),
    });
  });
});

function expectServed(scene: EvmNodeScene, evidence: Evidence): void {
  if (evidence.kind !== 'node') throw new Error(`expected blocks of a node, got ${evidence.kind}`);
  const { first_block, first_hash, last_block, last_hash } = evidence;
  expect(Number(last_block) - Number(first_block)).toBe(PER_DAY - 1);
  expect([first_hash, last_hash]).toEqual([first_block, last_block].map((n) => scene.hashOf(Number(n))));
}
