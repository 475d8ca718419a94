import { addressOf, startEvmNodeScene, type EvmNodeScene } from '../../../support/sources/evm-node-scene.js';
import { RpcFault } from '../../../support/sources/rpc-service.js';

const { signal } = new AbortController();

describe('a probe of evm-node', () => {
  let scene: EvmNodeScene;
  beforeEach(async () => {
    scene = await startEvmNodeScene();
  });
  afterEach(() => scene.service.dispose());

  it('probes the chain, the client, the tag, and the fields, one by one', async () => {
    const probes = await scene.create({ receipts: true }).probe('base', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(probes.map(({ item, found }) => `${item}: ${found}`)).toEqual(
      expect.arrayContaining([
        'eth_chainId: 8453',
        'web3_clientVersion: Geth/v1.16.9-stable/linux-amd64/go1.25',
        `block with the tag finalized: block ${scene.blocks.length - 1}`,
        'field gasUsed of eth_getBlockByNumber: a quantity',
        'eth_getBlockReceipts: an array',
        'field l1Fee of eth_getBlockReceipts: a quantity',
      ]),
    );
  });

  describe('a probe of receipts', () => {
    const itemsOf = async (): Promise<string[]> => {
      const probes = await scene.create({ receipts: true, batchSize: 5 }).probe('base', signal);
      return probes.filter(({ agrees }) => !agrees).map(({ item, found }) => `${item}: ${found}`);
    };
    /** anvil 1.7.1 with --optimism: receipts have no l1Fee. */
    const withoutFee = (): void => {
      scene.service.methods['eth_getBlockReceipts'] = (tag: string) =>
        scene.receipts(Number(tag)).map((each) => ({ ...each, l1Fee: undefined }));
    };
    const keepUsers = (...kept: number[]): void =>
      scene.blocks.forEach((block, number) => {
        if (!kept.includes(number)) block.txs.length = Math.min(1, block.txs.length); // the protocol's own
      });

    it('looks back for a block with a transaction of a user', async () => {
      withoutFee();
      keepUsers(scene.blocks.findLastIndex(({ txs }, number) => txs.length > 1 && number < 34));
      expect(await itemsOf()).toEqual(['field l1Fee of eth_getBlockReceipts: no such field']);
    });

    it('takes the only transaction of a block of anvil --optimism, which has none of the protocol', async () => {
      withoutFee();
      keepUsers();
      const block = scene.blocks.findLast(({ txs }) => txs.length > 0);
      for (const { txs } of scene.blocks) txs.length = 0;
      block?.txs.push({ from: addressOf(1), to: addressOf(2), gas: 21_000, price: 1n, status: 1, type: 2 });
      expect(await itemsOf()).toEqual(['field l1Fee of eth_getBlockReceipts: no such field']);
    });

    it('does not pass without such a block, after a few requests', async () => {
      keepUsers();
      expect(await itemsOf()).toEqual(['transactions of users: none']);
      expect(scene.service.takeRequests().length).toBeLessThanOrEqual(20);
    });

    it('names the batch that the node takes, and passes', async () => {
      scene.service.alter((body, calls) =>
        calls.length > 3 ? { id: null, error: { code: -32000, message: 'too many' } } : body,
      );
      const probes = await scene.create({ receipts: true }).probe('base', signal);
      expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
      expect(probes.find(({ item }) => item.startsWith('batch of'))).toMatchObject({
        item: 'batch of 7 eth_getBlockByNumber',
        found: 'an answer to each of at most 2',
      });
      expect(scene.service.takeRequests().length).toBeLessThanOrEqual(20);
    });
  });

  it('finds by a probe what the node lacks', async () => {
    delete scene.service.methods['eth_getBlockReceipts'];
    scene.service.methods['eth_chainId'] = () => '0x1';
    const headers = scene.service.methods['eth_getBlockByNumber'] as (tag: string) => object;
    scene.service.methods['eth_getBlockByNumber'] = (tag: string) => ({ ...headers(tag), gasLimit: 5 });
    const probes = await scene.create({ receipts: true }).probe('base', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([
      { item: 'eth_chainId', expected: '8453', found: '1', agrees: false },
      {
        item: 'field gasLimit of eth_getBlockByNumber',
        expected: 'a quantity',
        found: 'the number 5',
        agrees: false,
      },
      {
        item: 'eth_getBlockReceipts',
        expected: 'an array',
        found: 'the error -32601: the method eth_getBlockReceipts does not exist',
        agrees: false,
      },
    ]);
  });

  // op-geth 1.101702.3 before its first block of the engine API
  it('names the finalized block of a node that has none, and nothing that it cannot have either', async () => {
    scene.service.methods['eth_getBlockByNumber'] = () => {
      throw new RpcFault(-32000, 'finalized block not found');
    };
    const probes = await scene.create({ receipts: true }).probe('base', signal);
    expect(probes.filter(({ agrees }) => !agrees)).toMatchObject([
      { item: 'block with the tag finalized', found: 'the error -32000: finalized block not found' },
    ]);
  });

  it('does not probe a node that does not answer', async () => {
    scene.service.refuse((res) => res.writeHead(503).end());
    await expect(scene.create().probe('base', signal)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
