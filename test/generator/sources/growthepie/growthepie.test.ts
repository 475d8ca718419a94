import { sha256Hex } from '../../../../schemas/digest.js';
import type { Chain } from '../../../../schemas/types.generated.js';
import { GROWTHEPIE_EXPORTS } from '../../../../generator/sources/growthepie/growthepie-exports.js';
import { createGrowthepie } from '../../../../generator/sources/growthepie/growthepie.js';
import { SourceError, type Probe } from '../../../../generator/sources/source.js';
import type { CollectedDay } from '../../../../generator/core/collection/values/collected-day.js';
import { describeSource } from '../../../contract/source.js';
import { replyStatus } from '../../../support/sources/fake-service.js';
import { expectServedBy } from '../../../support/sources/expect-served.js';
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

  const days = (chain: Chain, source = scene.create()): Promise<ReadonlyMap<string, string>> =>
    source.days(chain, SPAN, SIGNAL);
  const day = (chain: Chain, date: string, source = scene.create()): Promise<CollectedDay> =>
    source.day(chain, date, SIGNAL);
  /** Returns the values of all offered dates that have any. */
  const valuesOf = async (chain: Chain): Promise<Map<string, CollectedDay['values']>> => {
    const source = scene.create();
    const found = new Map<string, CollectedDay['values']>();
    for (const date of (await days(chain, source)).keys()) {
      const read = await day(chain, date, source).catch(ignoreNotYet);
      if (read !== undefined) found.set(date, read.values);
    }
    return found;
  };
  const failureOf = async (chain: Chain): Promise<unknown> =>
    day(chain, LAST).catch((error: unknown) => error);
  const paths = (): string[] => scene.service.takeRequests().map(({ url }) => url);

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
    await expect(day('arbitrum', LAST, source)).rejects.toMatchObject({ code: 'unavailable' });
    expect(scene.tools.slept.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
    expect(scene.service.takeRequests()).toHaveLength(9);
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

  describe('the probe', () => {
    const probe = async (chain: Chain): Promise<readonly Probe[]> =>
      await scene.create().probe(chain, SIGNAL);
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

  describe('when the data are late or revised', () => {
    it('leaves out a metric whose newest value is null or has no row', async () => {
      scene.row('daa', 'daa', 'base', LAST).value = 'null';
      scene.exports.fees?.splice(
        scene.exports.fees.indexOf(scene.row('fees', 'fees_paid_eth', 'base', LAST)),
        1,
      );
      const { values } = await day('base', LAST);
      expect(Object.keys(values)).toEqual(['tx_count', 'fee_median', 'l1_fees_total', 'gas_used']);
    });

    it('gives another mark when the late metric arrives', async () => {
      const row = scene.row('daa', 'daa', 'base', LAST);
      const { value } = row;
      row.value = 'null';
      const [before, marks] = [await valuesOf('base'), await days('base')];
      row.value = value;
      scene.update();
      expect(changed(before, await valuesOf('base'))).toEqual([LAST]);
      expect(changed(marks, await days('base'))).toContain(LAST);
    });

    it('does not have a date yet on which every value is null, or that has no row', async () => {
      scene.row('txcount', 'txcount', 'ethereum', LAST).value = 'null';
      await expect(day('ethereum', LAST)).rejects.toMatchObject({ code: 'not-yet' });
      await expect(day('ethereum', '2026-03-14')).rejects.toMatchObject({ code: 'not-yet' });
    });

    it.each([
      ['arbitrum', 'rent_paid', 'l1_fees_total'],
      ['base', 'throughput', 'gas_used'],
    ] as const)(
      'leaves out a metric of %s that is not required while %s is missing',
      async (chain, id, metric) => {
        const whole = await day(chain, LAST);
        scene.replace(`/v1/export/${id}.json`, replyStatus(404));
        const { values, evidence } = await day(chain, LAST);
        expect(values).toEqual({ ...whole.values, [metric]: undefined });
        expect(JSON.stringify(evidence)).not.toContain(id);
      },
    );

    it('leaves out a metric that is not required while its export lacks the chain', async () => {
      const rows = scene.exports.rent_paid ?? [];
      scene.replace('/v1/export/rent_paid.json', toJson(rows.filter(({ origin }) => origin !== 'base')));
      expect((await day('base', LAST)).values.l1_fees_total).toBeUndefined();
      expect((await day('arbitrum', LAST)).values.l1_fees_total).toMatch(/^10\./);
    });

    it('gives the dates of half an export, and the others without its metric', async () => {
      const rows = scene.exports.daa ?? [];
      scene.replace(
        '/v1/export/daa.json',
        toJson(rows.slice(0, rows.indexOf(scene.row('daa', 'daa', 'base', LAST)))),
      );
      expect((await valuesOf('base')).size).toBe(12);
      expect((await day('base', '2026-03-25')).values.active_addresses).toBe('2025225');
      expect((await day('base', LAST)).values.active_addresses).toBeUndefined();
    });

    it('keeps a false zero, which a rule judges later', async () => {
      scene.row('fees', 'fees_paid_eth', 'base', LAST).value = '0.0';
      expect((await day('base', LAST)).values.fees_total).toBe('0');
    });

    it('gives the revised values of a week, and of a whole history', async () => {
      const before = await valuesOf('arbitrum');
      for (const row of scene.exports.fees ?? []) if (row.date >= '2026-03-20') row.value = `1${row.value}`;
      const week = await valuesOf('arbitrum');
      expect(changed(before, week)).toEqual(
        ['20', '21', '22', '23', '24', '25', '26'].map((d) => `2026-03-${d}`),
      );
      for (const row of scene.exports.rent_paid ?? []) row.value = `2${row.value}`;
      expect(changed(week, await valuesOf('arbitrum'))).toHaveLength(12);
    });

    it('gives the same values when only dollars, other chains or the spelling of a number change', async () => {
      const before = await valuesOf('arbitrum');
      for (const row of Object.values(scene.exports).flat()) {
        if (row.key.endsWith('_usd') || row.origin === 'optimism') row.value = '-1';
        else if (row.key === 'txcount') row.value = row.value.replace('.0', '');
      }
      expect(await valuesOf('arbitrum')).toEqual(before);
    });

    it('does not have the date of the last update, which has not ended', async () => {
      scene.master.last_updated_utc = '2026-03-26 23:59:59';
      const dates = [...(await days('base')).keys()];
      expect(dates.at(-1)).toBe('2026-03-25');
      await expect(day('base', LAST)).rejects.toMatchObject({ code: 'not-yet' });
    });

    it('has no day while the last update is more than 36 hours ago', async () => {
      scene.master.last_updated_utc = '2026-03-25 18:15:00';
      expect((await days('base')).size).toBe(10);
      scene.master.last_updated_utc = '2026-03-25 18:14:59';
      expect(await failureOf('base')).toMatchObject({ code: 'not-yet' });
    });
  });

  describe('refuses', () => {
    it.each([
      ['no time', undefined, 'no such field'],
      ['a time in another form', '2026-03-27T05:30:09Z', '"2026-03-27T05:30:09Z"'],
      ['a time that does not exist', '2026-02-30 05:30:09', '"2026-02-30 05:30:09"'],
      ['a number', 1774589409, 'the number 1774589409'],
      ['a time in the future', '2026-03-27 06:26:00', '2026-03-27T06:26:00Z'],
    ])('a last update with %s', async (_name, time, got) => {
      scene.master.last_updated_utc = time;
      const error = await failureOf('base');
      expect(error).toMatchObject({ code: 'shape', message: expect.stringContaining(`got ${got}.`) });
      expect(paths()).toEqual(['/v1/master.json']);
    });

    it.each([
      ['a missing export', replyStatus(404), 'got status 404'],
      ['a redirect', replyStatus(302, { Location: '/v2/daa.json' }), 'got a redirect'],
      [
        'truncated JSON',
        '[{"metric_key":"daa","origin_key":"base","date":"2026-03-01","val',
        'expected JSON',
      ],
      ['NaN', '[{"metric_key":"daa","origin_key":"base","date":"2026-03-01","value":NaN}]', 'expected JSON'],
      ['an object', '{"data":[]}', 'expected an array of rows, got an object'],
      ['no rows', '[]', 'expected values of arbitrum, got none'],
      ['a row that is a text', '["x"]', 'row 1: expected an object, got "x"'],
    ])('%s', async (_name, reply, message) => {
      scene.replace('/v1/export/daa.json', reply);
      expect(await failureOf('base')).toMatchObject({
        code: 'shape',
        message: expect.stringContaining(message),
      });
    });

    it.each([
      ['value', 'val', 'expected a field "value", got no such field'],
      ['metric_key', 'metric', 'expected a text as metric_key, got no such field'],
      ['origin_key', 'chain', 'expected a text as origin_key, got no such field'],
      ['date', 'unix', 'expected a date as YYYY-MM-DD, got no such field'],
    ])('the field %s under the name %s', async (field, renamed, message) => {
      const json = toJson(scene.exports.daa ?? []).replaceAll(`"${field}":`, `"${renamed}":`);
      scene.replace('/v1/export/daa.json', json);
      expect(await failureOf('base')).toMatchObject({
        code: 'shape',
        message: expect.stringContaining(message),
      });
    });

    it.each([
      ['daa', 'daa', '1734842.5', 'expected a whole number, got 1734842.5'],
      ['daa', 'daa', '-1', 'expected a number of at least 0, got -1'],
      ['fees', 'fees_paid_eth', '-0.001', 'expected a number of at least 0, got -0.001'],
      ['throughput', 'gas_per_second', '-0.00000000000001', 'expected a number of at least 0'],
      ['fees', 'fees_paid_eth', '"20.1"', 'expected a number, got "20.1"'],
      ['fees', 'fees_paid_eth', 'true', 'expected a number, got a boolean'],
      ['fees', 'fees_paid_eth', '1e999', 'expected a number, got 1e999'],
    ])('in %s the %s %s', async (id, key, value, message) => {
      scene.row(id, key, 'base', '2026-03-16').value = value;
      const error = await failureOf('base');
      expect(error).toMatchObject({ code: 'shape', message: expect.stringContaining(message) });
      expect(error).toMatchObject({ message: expect.stringContaining('(base 2026-03-16)') });
    });

    it('an unknown metric_key, such as one in another unit', async () => {
      scene.exports.fees?.push({ key: 'fees_paid_gwei', origin: 'optimism', date: LAST, value: '1.0' });
      const message = expect.stringMatching(
        /row 97: expected metric_key fees_paid_eth, got fees_paid_gwei\.$/,
      );
      expect(await failureOf('base')).toMatchObject({ code: 'shape', message });
    });

    it('a date that does not exist', async () => {
      scene.exports.daa?.push({ key: 'daa', origin: 'optimism', date: '2026-02-30', value: '1.0' });
      expect(await failureOf('base')).toMatchObject({ code: 'shape' });
    });

    it('another form of an export that is not required', async () => {
      scene.replace('/v1/export/rent_paid.json', '{"data":[]}');
      expect(await failureOf('base')).toMatchObject({ code: 'shape' });
    });

    it('a date that is repeated, even with the same or no value', async () => {
      const row = scene.row('daa', 'daa', 'base', '2026-03-16');
      for (const value of [row.value, 'null']) {
        scene.exports.daa?.push({ ...row, value });
        const message = expect.stringContaining('expected one row of base 2026-03-16, got another one');
        expect(await failureOf('base')).toMatchObject({ code: 'shape', message });
        scene.exports.daa?.pop();
      }
    });

    it('an export from which the chain has disappeared', async () => {
      scene.replace(
        '/v1/export/daa.json',
        toJson((scene.exports.daa ?? []).filter(({ origin }) => origin !== 'base')),
      );
      const message = expect.stringContaining('expected values of base, got none');
      expect(await failureOf('base')).toMatchObject({ code: 'shape', message });
    });
  });
});

/** Returns the dates whose mark or values differ. */
function changed(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const textOf = (value: unknown): string => JSON.stringify(value ?? null);
  return [...after.keys()].filter((date) => textOf(before.get(date)) !== textOf(after.get(date)));
}

function ignoreNotYet(error: unknown): undefined {
  if (!(error instanceof SourceError) || error.code !== 'not-yet') throw error;
}
