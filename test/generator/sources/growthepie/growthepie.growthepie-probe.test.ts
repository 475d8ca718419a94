import type { Chain } from '../../../../schemas/types.generated.js';
import type { Probe } from '../../../../generator/sources/source.js';
import { replyStatus } from '../../../support/sources/fake-service.js';
import { createReads } from '../../../support/sources/growthepie-reads.js';
import {
  LAST,
  startGrowthepieScene,
  toJson,
  type GrowthepieScene,
} from '../../../support/sources/growthepie-scene.js';

const SIGNAL = new AbortController().signal;

describe('the probe of growthepie', () => {
  let scene: GrowthepieScene;
  beforeEach(async () => {
    scene = await startGrowthepieScene();
  });
  afterEach(() => scene.service.dispose());
  const { paths } = createReads(() => scene);

  const probe = async (chain: Chain): Promise<readonly Probe[]> => await scene.create().probe(chain, SIGNAL);
  const differences = async (chain: Chain): Promise<string[]> =>
    (await probe(chain)).filter(({ agrees }) => !agrees).map(({ item, found }) => `${item}: ${found}`);

  it('agrees with the recorded form, item by item', async () => {
    const probes = await probe('base');
    expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(probes).toHaveLength(1 + 6 * 5);
    expect(probes.slice(11, 16)).toEqual([
      {
        item: 'fields of fees',
        expected: 'metric_key, origin_key, date, value',
        found: 'metric_key, origin_key, date, value',
        agrees: true,
      },
      {
        item: 'metric_key of fees',
        expected: 'fees_paid_eth, fees_paid_usd (not read)',
        found: 'fees_paid_eth, fees_paid_usd',
        agrees: true,
      },
      {
        item: 'rows of fees',
        expected: 'one number of at least 0 per chain and date, or null',
        found: 'the same',
        agrees: true,
      },
      { item: 'newest value of fees for base', expected: LAST, found: LAST, agrees: true },
      {
        item: 'unit of fees for base',
        expected: 'between 0.001 and 100000',
        found: '20.12345678901234261',
        agrees: true,
      },
    ]);
  });

  it('requests each export once for all chains, and nothing for bitcoin', async () => {
    const source = scene.create();
    for (const chain of ['bitcoin', 'ethereum', 'arbitrum', 'base'] as const)
      await source.probe(chain, SIGNAL);
    expect(paths()).toHaveLength(7);
    expect(await probe('bitcoin')).toEqual([]);
  });

  it('shows a renamed field, another key, a late value and another unit', async () => {
    scene.replace('/v1/export/daa.json', toJson(scene.exports.daa ?? []).replaceAll('"value":', '"val":'));
    for (const row of scene.exports.txcosts ?? []) if (row.key.endsWith('_eth')) row.value = '900.0';
    scene.row('fees', 'fees_paid_eth', 'base', LAST).value = 'null';
    scene.exports.throughput?.push({ key: 'gas_per_hour', origin: 'base', date: LAST, value: '1.0' });
    expect(await differences('base')).toEqual([
      'fields of daa: metric_key, origin_key, date, val',
      expect.stringContaining('rows of daa: export/daa.json row 1: expected a field "value"'),
      'unit of daa for base: no such field',
      'newest value of fees for base: 2026-03-25',
      'unit of txcosts for base: 900.0',
      'metric_key of throughput: gas_per_hour, gas_per_second',
      expect.stringContaining('rows of throughput: '),
    ]);
  });

  it('shows a missing export and a stale update', async () => {
    scene.replace('/v1/export/rent_paid.json', replyStatus(404));
    expect(await differences('arbitrum')).toEqual([
      expect.stringMatching(/^export\/rent_paid.json: .*status 404/),
    ]);
    scene.master.last_updated_utc = '2026-03-20 05:30:09';
    expect(await differences('arbitrum')).toEqual([
      expect.stringMatching(/^master.json: .*2026-03-20T05:30:09Z/),
    ]);
  });

  it('fails if the service does not answer', async () => {
    scene.replace('/v1/export/txcount.json', replyStatus(503));
    await expect(probe('ethereum')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
