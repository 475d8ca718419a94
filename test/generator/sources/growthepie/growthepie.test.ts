import { sha256Hex } from '../../../../schemas/digest.js';
import { GROWTHEPIE_EXPORTS } from '../../../../generator/sources/growthepie/growthepie-reader.js';
import { createGrowthepie } from '../../../../generator/sources/growthepie/growthepie.js';
import { describeSource } from '../../../contract/source.js';
import { replyStatus } from '../../../support/sources/fake-service.js';
import { expectServedBy } from '../../../support/sources/expect-served.js';
import { createReads } from '../../../support/sources/growthepie-reads.js';
import {
  FIRST,
  LAST,
  startGrowthepieScene,
  toJson,
  type GrowthepieScene,
} from '../../../support/sources/growthepie-scene.js';

const SIGNAL = new AbortController().signal;
const SPAN = { first: FIRST, last: LAST };

describeSource('growthepie', async () => {
  const scene = await startGrowthepieScene();
  return {
    create: scene.create,
    chains: ['ethereum', 'arbitrum', 'base'],
    span: SPAN,
    marks: 'update',
    revise(chain, date) {
      scene.row('txcount', 'txcount', chain, date).value = '7.0';
      scene.update();
    },
    expectServed: (evidence) => expectServedBy(scene.service, evidence),
    dispose: scene.service.dispose,
  };
});

describe('growthepie', () => {
  let scene: GrowthepieScene;
  beforeEach(async () => {
    scene = await startGrowthepieScene();
  });
  afterEach(() => scene.service.dispose());
  const { days, day, paths } = createReads(() => scene);

  it('has the mapping of metrics, units and chains that was decided', () => {
    const table = GROWTHEPIE_EXPORTS.map(({ id, key, dollarKey, metric, required, chains, convert }) => [
      `${id} ${key} ${dollarKey ?? '-'}`,
      `${metric}${required ? '' : '?'} ${chains.join()}`,
      convert('2.5'),
    ]);
    expect(table).toEqual([
      ['txcount txcount -', 'tx_count ethereum,arbitrum,base', '2.5'],
      ['daa daa -', 'active_addresses arbitrum,base', '2.5'],
      ['fees fees_paid_eth fees_paid_usd', 'fees_total arbitrum,base', '2.5'],
      ['txcosts txcosts_median_eth txcosts_median_usd', 'fee_median arbitrum,base', '2.5'],
      ['rent_paid rent_paid_eth rent_paid_usd', 'l1_fees_total? arbitrum,base', '2.5'],
      ['throughput gas_per_second -', 'gas_used? base', '216000000000'],
    ]);
  });

  it('states the terms of growthepie', () => {
    expect(scene.create().facts).toMatchObject({
      licence: 'CC BY 4.0',
      resale: 'yes',
      attribution: expect.stringMatching(
        /^Source: growthepie, https:\/\/www\.growthepie\.com\. .*transformed/,
      ),
      completeFrom: '06:15',
      settlingDays: 7,
      requestsPerMinute: 8,
      definitions: expect.arrayContaining([expect.stringMatching(/^l1_fees_total: .*whole history/)]),
    });
  });

  it('gives the values of a day with all their digits, in the units of the catalog', async () => {
    expect((await day('base', '2026-03-26')).values).toEqual({
      tx_count: '2026234',
      active_addresses: '2026234',
      fees_total: '20.12345678901234261',
      fee_median: '0.000002265',
      l1_fees_total: '20.12345678901234261',
      gas_used: '1750570666589', // 20.261234567 million a second
    });
    expect(Object.keys((await day('arbitrum', '2026-03-26')).values)).not.toContain('gas_used');
    expect((await day('ethereum', '2026-03-26')).values).toEqual({ tx_count: '3026234' });
  });

  it('offers all dates of a span before the last update, with one request', async () => {
    const source = scene.create();
    const span = { first: '2025-12-31', last: '2026-12-31' };
    const marks = await source.days('base', span, SIGNAL);
    expect([...marks.keys()].at(0)).toBe('2025-12-31');
    expect([...marks.keys()].at(-1)).toBe(LAST);
    expect(marks.size).toBe(86);
    expect(new Set(marks.values())).toEqual(new Set(['2026-03-27T05:30:09Z']));
    expect(await source.days('arbitrum', span, SIGNAL)).toEqual(marks);
    expect(paths()).toEqual(['/v1/master.json']);
  });

  it('reads each export once for all chains and dates: seven requests', async () => {
    const source = scene.create();
    for (const chain of ['ethereum', 'arbitrum', 'base', 'bitcoin'] as const) {
      for (const date of (await days(chain, source)).keys()) await day(chain, date, source);
      await days(chain, source);
    }
    expect(paths()).toEqual([
      '/v1/master.json',
      ...['txcount', 'daa', 'fees', 'txcosts', 'rent_paid', 'throughput'].map(
        (id) => `/v1/export/${id}.json`,
      ),
    ]);
    expect(scene.tools.slept).toEqual([]);
  });

  it('reads for ethereum only the transaction count, and for bitcoin nothing', async () => {
    await day('ethereum', LAST);
    expect(paths()).toEqual(['/v1/master.json', '/v1/export/txcount.json']);
    expect(await days('bitcoin')).toEqual(new Map());
    expect(paths()).toEqual([]);
  });

  it('starts at most eight requests a minute', async () => {
    const source = createGrowthepie({ endpoint: scene.service.endpoint, tools: scene.tools });
    scene.replace('/v1/export/fees.json', replyStatus(429, { 'Retry-After': '1' }));
    expect((await day('arbitrum', LAST, source)).failures).toHaveLength(1);
    expect(scene.tools.slept.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
    expect(scene.service.takeRequests()).toHaveLength(11);
  });

  it('names the responses of the chain as evidence', async () => {
    const { evidence } = await day('arbitrum', '2026-03-17');
    const { endpoint } = scene.service;
    expect(evidence).toMatchObject({ kind: 'responses' });
    expect(evidence.kind === 'responses' && evidence.responses.map(({ url }) => url)).toEqual([
      `${endpoint}/v1/master.json`,
      ...['txcount', 'daa', 'fees', 'txcosts', 'rent_paid'].map((id) => `${endpoint}/v1/export/${id}.json`),
    ]);
    const rows = sha256Hex(toJson(scene.exports.daa ?? []));
    expect(evidence).toMatchObject({
      responses: expect.arrayContaining([expect.objectContaining({ sha256: rows })]),
    });
  });

  it('reads again in the same collection what failed, and nothing else', async () => {
    const source = scene.create();
    scene.replace('/v1/export/fees.json', '[{"metric_key":"fees_paid_eth","or');
    await expect(day('arbitrum', LAST, source)).rejects.toMatchObject({ code: 'shape' });
    paths();
    scene.replace('/v1/export/fees.json', toJson(scene.exports.fees ?? []));
    expect((await day('arbitrum', LAST, source)).values.fees_total).toMatch(/^10\.123/);
    expect(paths()).toEqual(['fees', 'txcosts', 'rent_paid'].map((id) => `/v1/export/${id}.json`));
  });
});
