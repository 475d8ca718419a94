import { replyStatus } from '../../../support/sources/fake-service.js';
import { createReads } from '../../../support/sources/growthepie-reads.js';
import {
  LAST,
  startGrowthepieScene,
  toJson,
  type GrowthepieScene,
} from '../../../support/sources/growthepie-scene.js';

describe('growthepie refuses', () => {
  let scene: GrowthepieScene;
  beforeEach(async () => {
    scene = await startGrowthepieScene();
  });
  afterEach(() => scene.service.dispose());
  const { failureOf, paths } = createReads(() => scene);

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
    ['truncated JSON', '[{"metric_key":"daa","origin_key":"base","date":"2026-03-01","val', 'expected JSON'],
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
    const message = expect.stringMatching(/row 97: expected metric_key fees_paid_eth, got fees_paid_gwei\.$/);
    expect(await failureOf('base')).toMatchObject({ code: 'shape', message });
  });

  it('a date that does not exist', async () => {
    scene.exports.daa?.push({ key: 'daa', origin: 'optimism', date: '2026-02-30', value: '1.0' });
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
