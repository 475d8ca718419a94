import type { CollectedDay } from '../../../../generator/core/collection/day-values.js';
import { failureOf } from '../../../support/sources/failure-of.js';
import {
  addressOf,
  LAST,
  PER_DAY,
  startEvmNodeScene,
  type EvmNodeScene,
} from '../../../support/sources/evm-node-scene.js';

const { signal } = new AbortController();

describe('evm-node with receipts', () => {
  let scene: EvmNodeScene;
  beforeEach(async () => {
    scene = await startEvmNodeScene();
  });
  afterEach(() => scene.service.dispose());

  const day = (): Promise<CollectedDay> => scene.create({ receipts: true }).day('base', LAST, signal);
  const FEE = { price: 10n, l1Fee: 5n, status: 1, type: 2 };
  const [a, b, c, d] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)];
  const setDay = (...txs: EvmNodeScene['blocks'][number]['txs']): void => {
    for (let i = 0; i < PER_DAY; i += 1) {
      const block = scene.blocks[scene.firstOfLast() + i];
      if (block !== undefined) block.txs = i === 1 ? txs : [];
    }
  };

  it('adds the fee for Ethereum on base, and leaves out the transactions of the protocol', async () => {
    setDay(
      { from: a, to: b, gas: 1000, ...FEE, type: 0x7e, l1Fee: undefined },
      { from: c, to: c.toUpperCase().replace('0X', '0x'), gas: 100, ...FEE },
      { from: c, to: null, gas: 200, ...FEE, status: 0, l1Fee: 10n ** 20n },
      { from: d, to: c, gas: 300, ...FEE, price: 20n },
      { from: d, to: c, gas: 400, ...FEE, price: 30n },
    );
    const { values, counts } = await day();
    expect(values).toMatchObject({
      tx_count: '4',
      failed_tx_count: '1',
      active_addresses: '2',
      fees_total: '100.000000000000021015',
      fee_median: '0.000000000000009005', // of 6,005 and 12,005
      gas_price_mean: '0.000000021', // 21,000 wei for 1,000 gas
      gas_used: '2000',
    });
    expect(counts).toMatchObject({
      all_rows: '5',
      block_tx_count: '5',
      all_gas: '2000',
      gas_used: '2000',
      tx_gas_used: '1000',
      l2_fees: '21000',
      fee_missing: '0',
      status_missing: '0',
      type_missing: '0',
    });
  });

  it.each([
    ['fee_missing', { l1Fee: undefined }],
    ['fee_missing', { price: undefined }],
    ['status_missing', { status: undefined }],
    ['type_missing', { type: undefined }],
  ])('counts %s, so that the day is not taken as whole', async (name, change) => {
    setDay({ from: a, to: b, gas: 100, ...FEE }, { from: a, to: b, gas: 100, ...FEE, ...change });
    expect((await day()).counts).toMatchObject({ [name]: '1' });
  });

  it('leaves out failed_tx_count if receipts of ethereum have a root and no status, as before Byzantium', async () => {
    const node = await startEvmNodeScene('ethereum');
    try {
      const fields = { status: undefined, type: '0x0', root: `0x${'ab'.repeat(32)}` };
      const read = (change: (tx: number) => object) => {
        node.service.methods['eth_getBlockReceipts'] = (tag: string) =>
          node.receipts(Number(tag)).map((each, i) => ({ ...each, ...change(i) }));
        return node.create({ receipts: true }).day('ethereum', LAST, signal);
      };
      const [usual, before] = [await read(() => ({})), await read(() => fields)];
      const { failed_tx_count: _failed, ...others } = usual.values;
      expect(usual.counts).toMatchObject({ before_status: '0' });
      expect(before.values).toEqual(others);
      expect(before.counts).toMatchObject({ before_status: usual.counts.tx_count, status_missing: '0' });
      expect(before.counts).not.toHaveProperty('failed_tx_count');
      const some = await read((tx) => (tx === 0 ? fields : {}));
      expect(some.values).toEqual(others); // the day of Byzantium has receipts of both forms
      const broken = await read(() => ({ ...fields, root: '0x' }));
      expect(broken.counts).toMatchObject({ before_status: '0', status_missing: usual.counts.tx_count });
    } finally {
      await node.service.dispose();
    }
  });

  it('does not compute the fee of an operator', async () => {
    setDay({ from: a, to: b, gas: 100, ...FEE });
    scene.service.methods['eth_getBlockReceipts'] = (tag: string) =>
      scene
        .receipts(Number(tag))
        .map((each) => ({ ...each, operatorFeeScalar: '0x0', operatorFeeConstant: '0x1' }));
    expect((await day()).counts).toMatchObject({ fee_missing: '1', tx_count: '1' });
  });

  it('has no median and no price on a day without transactions', async () => {
    setDay();
    const { values } = await day();
    expect(values).toMatchObject({ tx_count: '0', fees_total: '0', active_addresses: '0' });
    expect(values).not.toHaveProperty('fee_median');
    expect(values).not.toHaveProperty('gas_price_mean');
  });

  it.each<[string, (receipts: Record<string, unknown>[]) => unknown]>([
    ['one too few', (all) => all.slice(1)],
    ['of another block', (all) => all.map((each) => ({ ...each, blockHash: `0x${'1'.repeat(64)}` }))],
    ['in another order', (all) => all.toReversed()],
    ['without gas', (all) => all.map((each) => ({ ...each, gasUsed: undefined }))],
    ['with a sender that is no address', (all) => all.map((each) => ({ ...each, from: '0x12' }))],
    ['that are no array', () => ({})],
  ])('refuses receipts %s', async (_what, change) => {
    setDay({ from: a, to: b, gas: 100, ...FEE }, { from: c, to: b, gas: 100, ...FEE });
    scene.service.methods['eth_getBlockReceipts'] = (tag: string) => change(scene.receipts(Number(tag)));
    const error = await failureOf(day());
    expect(error).toMatchObject({ code: 'shape', message: expect.stringMatching(/receipts of block \d+/) });
  });

  it('gives dates another mark than without them, so that they are read again', async () => {
    const marks = (receipts: boolean): Promise<ReadonlyMap<string, string>> =>
      scene.create({ receipts }).days('base', { first: LAST, last: LAST }, signal);
    expect((await marks(true)).get(LAST)).not.toBe((await marks(false)).get(LAST));
  });

  it('stops to read headers when receipts fail', async () => {
    const stopped: string[] = [];
    let fails = false;
    const fetch: typeof globalThis.fetch = (url, init) => {
      const body = typeof init?.body === 'string' ? init.body : '';
      if (fails && body.includes('eth_getBlockReceipts'))
        return Promise.resolve(new Response(null, { status: 400 }));
      const isLast = body.includes(`"0x${(scene.firstOfLast() + PER_DAY).toString(16)}"`);
      if (!fails || !isLast) return scene.tools.fetch(url, init);
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          stopped.push('headers');
          reject(init.signal?.reason as Error);
        });
      });
    };
    const source = scene.create({ receipts: true, batchSize: 2, tools: { ...scene.tools, fetch } });
    await source.day('base', LAST, signal); // which finds the ends of the day
    fails = true;
    expect(await failureOf(source.day('base', LAST, signal))).toMatchObject({ code: 'shape' });
    expect(stopped).toEqual(['headers']);
  });
});
