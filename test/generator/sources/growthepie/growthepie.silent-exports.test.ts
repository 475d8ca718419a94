import { replyStatus } from '../../../support/sources/fake-service.js';
import { createReads } from '../../../support/sources/growthepie-reads.js';
import {
  LAST,
  startGrowthepieScene,
  type GrowthepieScene,
} from '../../../support/sources/growthepie-scene.js';

describe('growthepie with exports that do not answer', () => {
  let scene: GrowthepieScene;
  beforeEach(async () => {
    scene = await startGrowthepieScene();
  });
  afterEach(() => scene.service.dispose());
  const { day, failureOf, paths } = createReads(() => scene);

  const silence = (...ids: string[]): void => {
    for (const id of ids) scene.replace(`/v1/export/${id}.json`, replyStatus(500));
  };

  it.each([
    ['a required one', 'fees', 'fees_total'],
    ['one that is not required', 'rent_paid', 'l1_fees_total'],
  ] as const)('gives the other metrics without %s, and names it', async (_what, id, metric) => {
    const whole = await day('arbitrum', LAST);
    expect(whole.failures).toBeUndefined();
    silence(id);
    const { values, evidence, failures } = await day('arbitrum', LAST);
    expect(values).toEqual({ ...whole.values, [metric]: undefined });
    expect(failures).toEqual([expect.stringMatching(`export/${id}.json: .*status 500, 6 times`)]);
    expect(JSON.stringify(evidence)).not.toContain(id);
  });

  it.each([
    ['is refused, as by S3 behind a CDN', replyStatus(403), 'notes', 'got status 403'],
    ['is not there', replyStatus(410), 'notes', 'got status 410'],
    ['has NaN', rentPaid('NaN'), 'unreadable', 'expected JSON'],
    ['has another form', '{"data":[]}', 'unreadable', 'expected an array of rows'],
    ['has a negative value', rentPaid('-0.1'), 'unreadable', 'expected a number of at least 0'],
  ] as const)(
    'gives the other metrics without an export that is not required and %s, and says why',
    async (_what, reply, kind, why) => {
      const whole = await day('arbitrum', LAST);
      scene.replace('/v1/export/rent_paid.json', reply);
      const { values, failures, notes, unreadable } = await day('arbitrum', LAST);
      expect(values).toEqual({ ...whole.values, l1_fees_total: undefined });
      const left = expect.stringMatching(`export/rent_paid.json.*${why}.*l1_fees_total is left out\\.$`);
      const none = { failures: undefined, notes: undefined, unreadable: undefined };
      expect({ failures, notes, unreadable }).toEqual({ ...none, [kind]: [left] });
    },
  );

  it('asks for it only once for all dates of a chain', async () => {
    silence('fees');
    const source = scene.create();
    await day('arbitrum', '2026-03-25', source);
    await day('arbitrum', LAST, source);
    expect(paths().filter((path) => path.includes('fees'))).toHaveLength(6);
  });

  it('names them for a date of which only they may have a value', async () => {
    silence('daa', 'fees', 'txcosts', 'rent_paid');
    scene.row('txcount', 'txcount', 'arbitrum', LAST).value = 'null';
    const { values, failures } = await day('arbitrum', LAST);
    expect([values, failures?.length]).toEqual([{}, 4]);
  });

  it('fails if none answers', async () => {
    silence('txcount', 'daa', 'fees', 'txcosts', 'rent_paid');
    expect(await failureOf('arbitrum')).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('export/txcount.json'),
    });
  });

  it('still refuses another form of an export beside them', async () => {
    silence('txcount');
    scene.replace('/v1/export/daa.json', '{"data":[]}');
    expect(await failureOf('arbitrum')).toMatchObject({ code: 'shape' });
  });

  it('asks no more once it is told to wait for long', async () => {
    scene.replace('/v1/export/daa.json', replyStatus(429, { 'Retry-After': '3600' }));
    const { values, failures } = await day('arbitrum', LAST);
    expect([Object.keys(values), failures?.length]).toEqual([['tx_count'], 4]);
    expect(paths()).toEqual(['/v1/master.json', '/v1/export/txcount.json', '/v1/export/daa.json']);
  });
});

/** An export with a row of `l1_fees_total`. */
function rentPaid(value: string): string {
  return `[{"metric_key":"rent_paid_eth","origin_key":"base","date":"2026-03-01","value":${value}}]`;
}
