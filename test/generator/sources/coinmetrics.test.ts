import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../../generator/core/collection/day-values.js';
import { createCoinMetrics } from '../../../generator/sources/coinmetrics.js';
import type { Source } from '../../../generator/sources/source.js';
import { describeSource } from '../../contract/source.js';
import {
  FIRST,
  LAST,
  startCoinMetricsScene,
  type CoinMetricsScene,
} from '../../support/sources/coinmetrics-scene.js';
import { expectServedBy } from '../../support/sources/expect-served.js';
import { replyStatus } from '../../support/sources/fake-service.js';

const SIGNAL = new AbortController().signal;
const SPAN = { first: FIRST, last: LAST };
const ASSETS: Readonly<Record<string, string>> = { bitcoin: 'btc', ethereum: 'eth' };

describeSource('coinmetrics', async () => {
  const scene = await startCoinMetricsScene();
  return {
    create: scene.create,
    chains: ['bitcoin', 'ethereum'],
    span: SPAN,
    revise: (chain, date) => void (scene.row(ASSETS[chain] ?? '', date).TxCnt = '7'),
    expectServed: (evidence) => expectServedBy(scene.service, evidence),
    dispose: scene.service.dispose,
  };
});

describe('coinmetrics', () => {
  let scene: CoinMetricsScene;
  beforeEach(async () => {
    scene = await startCoinMetricsScene();
  });
  afterEach(() => scene.service.dispose());

  const days = (chain: Chain, source: Source = scene.create()): Promise<ReadonlyMap<string, string>> =>
    source.days(chain, SPAN, SIGNAL);
  const day = (chain: Chain, date: string): Promise<CollectedDay> => scene.create().day(chain, date, SIGNAL);
  const failureOf = async (chain: Chain): Promise<unknown> => days(chain).catch((error: unknown) => error);

  it('gives the values of a day with all their digits', async () => {
    expect((await day('bitcoin', LAST)).values).toEqual({
      tx_count: '400123',
      active_addresses: '700456',
      block_count: '144',
      fees_total: '3.141592653589793238',
      fee_median: '0.00000145',
      issuance: '450',
      transfer_count: '900789',
      block_weight: '570000000',
      block_size: '230000000',
      hash_rate: '812345678.123456789012345678',
      difficulty: '113757508810854',
    });
    expect((await day('ethereum', LAST)).values).toEqual({
      tx_count: '400123',
      active_addresses: '700456',
      block_count: '144',
      fees_total: '3.141592653589793238',
      fee_median: '0.00000145',
      issuance: '450',
      transfer_count: '900789',
      gas_used: '108000000000',
      gas_limit_mean: '36000000.25',
    });
  });

  it('requests all metrics of a span at once, and none in dollars', async () => {
    const source = scene.create();
    for (const date of (await days('bitcoin', source)).keys()) await source.day('bitcoin', date, SIGNAL);
    const [request, ...more] = scene.service.takeRequests();
    expect(more).toEqual([]);
    const query = new URL(request?.url ?? '', scene.service.endpoint).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      assets: 'btc',
      metrics:
        'TxCnt,AdrActCnt,BlkCnt,FeeTotNtv,FeeMedNtv,IssTotNtv,TxTfrCnt,' +
        'BlkWghtTot,BlkSizeByte,HashRate,DiffMean,AssetEODCompletionTime',
      frequency: '1d',
      start_time: FIRST,
      end_time: LAST,
      page_size: '10000',
      paging_from: 'start',
    });
  });

  it('has no rollups, and makes no request for them', async () => {
    expect(await days('base')).toEqual(new Map());
    expect(scene.service.takeRequests()).toEqual([]);
  });

  it('sends the API key, and does not show it', async () => {
    const source = scene.create({ apiKey: 'hush' });
    const { evidence } = await source.day('bitcoin', LAST, SIGNAL);
    expect(scene.service.takeRequests()[0]?.url).toMatch(/&api_key=hush$/);
    expect(JSON.stringify(evidence)).not.toContain('hush');
    expectServedBy(scene.service, evidence, '&api_key=hush');
  });

  describe('without the right to the data', () => {
    it.each([undefined, '', ' '])('is refused, and names the option: %p', (licence) => {
      expect(() => createCoinMetrics({ licence, commercial: false })).toThrow(
        'as "licence" of the source in the policy',
      );
      expect(() => createCoinMetrics({ licence, commercial: false })).toThrow(
        expect.objectContaining({ exit: 'usage' }) as Error,
      );
    });

    it.each([
      'https://community-api.coinmetrics.io',
      'https://COMMUNITY-api.coinmetrics.io./',
      'https://community-api.coinmetrics.io:443/',
    ])('refuses the community host for a commercial store, whatever is declared: %s', (endpoint) => {
      const options = { endpoint, licence: 'contract 17', resale: 'yes' } as const;
      expect(() => createCoinMetrics({ ...options, commercial: true })).toThrow('not for commercial use');
      expect(createCoinMetrics({ ...options, commercial: false }).facts.resale).toBe('no');
    });

    it('states the declared licence, and leaves its effect to the operator', () => {
      expect(scene.create().facts).toMatchObject({
        licence: 'contract 17',
        resale: 'unknown',
        completeFrom: '02:00',
        settlingDays: 3,
        requestsPerMinute: 90,
      });
    });
  });

  it('may be sold only if the operator declares it', () => {
    const resaleOf = (resale?: 'yes' | 'no'): string =>
      scene.create(resale === undefined ? {} : { resale }).facts.resale;
    expect([resaleOf(), resaleOf('no'), resaleOf('yes')]).toEqual(['unknown', 'no', 'yes']);
  });

  describe('the probe', () => {
    const differences = async (chain: Chain): Promise<unknown> =>
      (await scene.create().probe(chain, SIGNAL))
        .filter(({ agrees }) => !agrees)
        .map(({ item, found }) => `${item}: ${found}`);

    it('agrees with the recorded form, column by column, with one request', async () => {
      const probes = await scene.create().probe('bitcoin', SIGNAL);
      expect(scene.service.takeRequests()).toHaveLength(1);
      expect(probes.filter(({ agrees }) => !agrees)).toEqual([]);
      expect(probes).toHaveLength(3 + 11);
      expect(probes[4]).toEqual({
        item: 'column AdrActCnt',
        expected: 'active_addresses as text, with the status flash, reviewed or revised, or none',
        found: '"700456", status "reviewed"',
        agrees: true,
      });
      expect(await differences('ethereum')).toEqual([]);
      expect(await differences('base')).toEqual([]);
    });

    it('shows a missing column, an unknown status, another type and a late day', async () => {
      for (const row of scene.rows.btc ?? []) {
        delete row.HashRate;
        row.BlkCnt = 144;
      }
      scene.row('btc', LAST)['TxCnt-status'] = 'guessed';
      const faults = [
        'column TxCnt: "400123", status "guessed"',
        'column BlkCnt: the number 144, status none',
        'column HashRate: no value',
      ];
      expect(await differences('bitcoin')).toEqual([
        expect.stringMatching(/^rows of btc: .*BlkCnt as a text/),
        ...faults,
      ]);
      scene.rows.eth?.pop();
      expect(await differences('ethereum')).toEqual(['newest day of eth: 2026-03-25']);
    });

    it('shows what a key lacks, without the key, and fails if nobody answers', async () => {
      scene.service.answer(() => replyStatus(403));
      const probes = await scene.create({ apiKey: 'hush' }).probe('bitcoin', SIGNAL);
      expect(probes).toMatchObject([{ agrees: false, found: expect.stringContaining('got status 403') }]);
      expect(JSON.stringify(probes)).not.toContain('hush');
      scene.service.answer(() => replyStatus(503));
      await expect(differences('bitcoin')).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  describe('pages', () => {
    it('are followed until there is no next one, unchanged', async () => {
      scene.paging.size = 4;
      scene.paging.changeNext = (url) => `${url}&opaque=%2B+`;
      expect((await days('bitcoin')).size).toBe(9);
      const urls = scene.service.takeRequests().map(({ url }) => url);
      expect(urls.map((url) => url.replace(/^.*paging_from=start/, ''))).toEqual([
        '',
        '&next_page_token=4&opaque=%2B+',
        expect.stringMatching(/^&next_page_token=8&opaque=.*&opaque=%2B\+$/),
      ]);
    });

    it('are each the evidence of their own dates', async () => {
      scene.paging.size = 4;
      const source = scene.create();
      await days('bitcoin', source);
      const { evidence } = await source.day('bitcoin', LAST, SIGNAL);
      expectServedBy(scene.service, evidence);
      expect(evidence).toMatchObject({ responses: [{ url: expect.stringContaining('next_page_token=8') }] });
    });

    it('on another host are refused, without a request to it', async () => {
      scene.paging.size = 4;
      for (const next of [
        'https://evil.example/v4?api_key=hush',
        'http://127.0.0.1:9/v4',
        'v4',
        '//evil.example/',
      ]) {
        scene.paging.changeNext = () => next;
        const error = await failureOf('bitcoin');
        expect(error).toMatchObject({
          code: 'shape',
          message: expect.stringContaining('expected a URL on http://127.0.0.1:'),
        });
        expect(String(error)).not.toContain('hush');
        expect(scene.service.takeRequests()).toHaveLength(1);
      }
    });

    it('that are repeated are refused', async () => {
      scene.paging.size = 4;
      scene.paging.changeNext = (url) => url.replace(/&next_page_token=\d+/, '');
      const message = expect.stringContaining(`expected one row of ${FIRST}, got another one`);
      expect(await failureOf('bitcoin')).toMatchObject({ code: 'shape', message });
    });

    it('without an end are refused', async () => {
      scene.paging.size = 0;
      expect(await failureOf('bitcoin')).toMatchObject({
        message: 'coinmetrics: expected at most 50 pages, got more.',
      });
    });

    it('that end before the span does give only their dates', async () => {
      scene.rows.btc?.splice(4);
      expect([...(await days('bitcoin')).keys()]).toEqual([
        '2026-03-18',
        '2026-03-19',
        '2026-03-20',
        '2026-03-21',
      ]);
    });

    it('with another next_page_url than a text are refused', async () => {
      scene.paging.size = 4;
      scene.paging.changeNext = () => 7;
      const message = expect.stringContaining('expected a text as next_page_url, got the number 7');
      expect(await failureOf('bitcoin')).toMatchObject({ code: 'shape', message });
    });
  });

  describe('a day', () => {
    const AFTER_NOW = '1774594800'; // 07:00 of the next day, 45 minutes after the clock of the scene
    it.each([undefined, null, AFTER_NOW])('is not complete with the completion time %p', async (time) => {
      scene.row('btc', LAST).AssetEODCompletionTime = time;
      expect([...(await days('bitcoin')).keys()].at(-1)).toBe('2026-03-25');
      await expect(day('bitcoin', LAST)).rejects.toMatchObject({ code: 'not-yet' });
    });

    const BEFORE_ITS_END = '1774569599'; // 23:59:59 of the day
    const NO_TEXT = 1774573200; // 01:00 of the next day, as a number
    it.each([BEFORE_ITS_END, '2026-03-27', '', NO_TEXT])(
      'with the completion time %p is refused: it is not a time after the day as text',
      async (time) => {
        scene.row('btc', LAST).AssetEODCompletionTime = time;
        expect(await failureOf('bitcoin')).toMatchObject({ code: 'shape' });
      },
    );

    it('leaves out a preliminary value, and gets another mark once it is reviewed', async () => {
      const row = scene.row('btc', LAST);
      row['AdrActCnt-status'] = 'flash';
      expect((await day('bitcoin', LAST)).values.active_addresses).toBeUndefined();
      const before = await days('bitcoin');
      for (const status of ['reviewed', 'revised', null, undefined]) {
        row['AdrActCnt-status'] = status;
        const after = await days('bitcoin');
        expect([...after.keys()].filter((date) => before.get(date) !== after.get(date))).toEqual([LAST]);
      }
    });

    it('leaves out a metric that is null or absent', async () => {
      const row = scene.row('btc', LAST);
      row.FeeTotNtv = null;
      delete row.HashRate;
      const { values } = await day('bitcoin', LAST);
      expect([values.fees_total, values.hash_rate, values.tx_count]).toEqual([
        undefined,
        undefined,
        '400123',
      ]);
    });

    it('is absent if every value is', async () => {
      const { asset, time, AssetEODCompletionTime } = scene.row('btc', LAST);
      scene.rows.btc?.splice(-1, 1, { asset, time, AssetEODCompletionTime });
      expect((await days('bitcoin')).has(LAST)).toBe(false);
    });

    it('keeps a false zero, which a rule judges later', async () => {
      scene.row('btc', LAST).FeeTotNtv = '0';
      expect((await day('bitcoin', LAST)).values.fees_total).toBe('0');
    });

    it('outside the span is left out', async () => {
      const source = scene.create();
      scene.row('btc', FIRST).time = '2026-02-01T00:00:00.000000000Z';
      scene.service.answer(() =>
        JSON.stringify({ data: scene.rows.btc?.map(({ PriceUSD, ...row }) => row) }),
      );
      expect([...(await days('bitcoin', source)).keys()][0]).toBe('2026-03-19');
    });

    it('keeps its mark when a field is added that nobody knows', async () => {
      const before = await days('bitcoin');
      scene.row('btc', LAST).SomeNewMetric = 'x';
      expect(await days('bitcoin')).toEqual(before);
    });
  });

  describe('refuses', () => {
    it.each([
      [
        'a price',
        'ReferenceRateUSD',
        '65000',
        'expected no field in dollars, got the field ReferenceRateUSD',
      ],
      ['a status of a price', 'PriceUSD-status', 'reviewed', 'got the field PriceUSD-status'],
      ['a price in small letters', 'volume_usd_1d', null, 'got the field volume_usd_1d'],
      ['an unknown status', 'TxCnt-status', 'guessed', 'as TxCnt-status, got "guessed"'],
      ['a number instead of a text', 'TxCnt', 400123, 'expected TxCnt as a text, got the number 400123'],
      ['a fraction as a count', 'TxCnt', '4.5', 'expected TxCnt to be a whole number, got "4.5"'],
      ['a negative value', 'FeeTotNtv', '-1', 'expected FeeTotNtv to be a number of at least 0, got "-1"'],
      ['NaN', 'FeeTotNtv', 'NaN', 'expected FeeTotNtv to be a number, got "NaN"'],
      ['another asset', 'asset', 'bch', 'expected the asset btc, got "bch"'],
      ['a time within the day', 'time', '2026-03-26T01:00:00Z', 'expected a time at 00:00 UTC'],
      ['a time in another zone', 'time', '2026-03-26T00:00:00+02:00', 'expected a time at 00:00 UTC'],
      ['a date that does not exist', 'time', '2026-02-30T00:00:00Z', 'expected a time at 00:00 UTC'],
      ['no time', 'time', undefined, 'expected a time at 00:00 UTC, got no such field'],
    ])('%s', async (_name, field, value, message) => {
      const row = scene.row('btc', LAST);
      scene.service.answer(() => {
        const { PriceUSD, ...fields } = { ...row, [field]: value };
        return JSON.stringify({ data: [fields] });
      });
      expect(await failureOf('bitcoin')).toMatchObject({
        code: 'shape',
        message: expect.stringContaining(message),
      });
    });

    it.each([
      ['an error document', '{"error":{"type":"forbidden"}}', 'expected an array "data", got no such field'],
      ['an array', '[]', 'expected an object, got an array'],
      ['truncated JSON', '{"data":[{"asset":"btc","ti', 'expected JSON'],
      ['rows that are not objects', '{"data":["btc"]}', 'expected an object, got "btc"'],
      ['a metric that the key lacks', replyStatus(403), 'got status 403'],
    ])('%s', async (_name, reply, message) => {
      scene.service.answer(() => reply);
      expect(await failureOf('bitcoin')).toMatchObject({
        code: 'shape',
        message: expect.stringContaining(message),
      });
    });
  });

  it('starts at most nine requests in six seconds', async () => {
    scene.paging.size = 1;
    const source = scene.create();
    await days('bitcoin', source);
    expect(scene.tools.slept).toEqual([]);
    await days('ethereum', source);
    expect(scene.tools.slept).toEqual([6000]);
  });
});
