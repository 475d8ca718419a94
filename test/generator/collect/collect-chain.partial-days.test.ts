import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import { pickValues } from '../../../generator/core/collection/day-values.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { metricsOf } from '../../../schemas/catalog.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import { createDays, createScene, outcomes, usual } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

const FEES: readonly MetricName[] = ['fees_total', 'fee_median'];
const { fee_median: MEDIAN, ...WITHOUT_MEDIAN } = usual(30);

/** A chain of 30 dates and a 31st, whose source gives no `fee_median` while `isSilent`. */
function createSilentScene() {
  const days = createDays(30);
  const source = createMemorySource(days);
  const silence = { isSilent: false };
  const partial: Source = {
    ...source,
    async day(chain, date, signal) {
      const day = await source.day(chain, date, signal);
      if (!silence.isSilent) return day;
      const { fee_median: _lost, ...values } = day.values;
      return { ...day, values, failures: ['files: txcosts.json: status 500.'] };
    },
  };
  const scene = createScene(days, { parts: [{ source: partial, metrics: metricsOf('base') }] });
  return { days, scene, silence };
}

describe('a date of which a source could not read all', () => {
  it('waits, is taken without the rest at its deadline, and is filled in although its data are the same', async () => {
    const { days, scene, silence } = createSilentScene();
    await scene.collect('2026-07-31T06:15:00Z');
    silence.isSilent = true;
    days.set('2026-07-31', usual(30));
    const waiting = await scene.collect('2026-08-01T06:15:00Z');
    expect([outcomes(waiting), waiting.failures]).toEqual([
      ['2026-07-31 waiting'],
      ['files: txcosts.json: status 500.'],
    ]);
    const { added } = await scene.collect('2026-08-01T12:00:00Z');
    expect(added).toMatchObject([{ date: '2026-07-31', rule: 'deadline', values: WITHOUT_MEDIAN }]);
    silence.isSilent = false;
    const filled = await scene.collect('2026-08-01T13:00:00Z');
    expect([filled.added, filled.failures]).toMatchObject([
      [{ date: '2026-07-31', rule: 'fill-in', values: { fee_median: MEDIAN } }],
      [],
    ]);
  });

  it('keeps the difference of a value that was not read again', async () => {
    const { days, scene, silence } = createSilentScene();
    await scene.collect('2026-07-31T06:15:00Z');
    days.set('2026-07-10', { ...usual(9), fee_median: '0.9', tx_count: '5000' });
    await scene.collect('2026-07-31T07:15:00Z');
    expect(scene.state().drifts.map(({ metric }) => metric)).toEqual(['fee_median', 'tx_count']);
    silence.isSilent = true;
    days.set('2026-07-10', { ...usual(9), fee_median: '0.8' });
    await scene.collect('2026-07-31T08:15:00Z');
    expect(scene.state().drifts).toMatchObject([{ metric: 'fee_median', to: '0.9' }]);
    silence.isSilent = false;
    await scene.collect('2026-07-31T09:15:00Z');
    expect(scene.state().drifts).toMatchObject([{ metric: 'fee_median', to: '0.8' }]);
  });

  it('ends the collection if no later one would read it again', async () => {
    const { scene, silence } = createSilentScene();
    silence.isSilent = true;
    await expect(scene.collect('2026-10-31T06:15:00Z')).rejects.toMatchObject({ code: 'unavailable' });
    expect(scene.lines).toEqual([]);
  });
});

it('a date with an export that nobody can read is collected without it only while it may still be filled in', async () => {
  const source = createMemorySource(createDays(30));
  const unreadable = ['files: rent.json: expected JSON. l1_fees_total is left out.'];
  const broken: Source = {
    ...source,
    day: async (...asked) => ({ ...(await source.day(...asked)), unreadable }),
  };
  const parts = [{ source: broken, metrics: metricsOf('base') }] as const;
  const recent = await createScene(new Map(), { parts }).collect('2026-07-31T06:15:00Z');
  expect([recent.added.length, recent.failures]).toEqual([30, unreadable]);
  await expect(createScene(new Map(), { parts }).collect('2026-12-31T06:15:00Z')).rejects.toMatchObject({
    code: 'shape',
    message: `${unreadable.join('')} 2026-07-01 would stay without it, so it is not collected.`,
  });
});

describe('a new date whose main source fails', () => {
  const fees = new Map([...createDays(31)].map(([date, values]) => [date, pickValues(values, FEES)]));
  const create = (failed: string) => {
    const days = createDays(31);
    const source = createMemorySource(days);
    const main: Source = {
      ...source,
      day: (chain, date, signal) =>
        date === failed
          ? Promise.reject(new SourceError('unavailable', 'files: no answer.'))
          : source.day(chain, date, signal),
    };
    const metrics = ['tx_count', 'active_addresses'] as const;
    const parts = (first: Source) =>
      [
        { source: first, metrics },
        { source: createMemorySource(fees, 'fees'), metrics: FEES },
      ] as const;
    const rules = DEFAULT_RULES.base;
    const plan = { chain: 'base', since: '2026-07-01', checks: [], rules } as const;
    const scene = createScene(days);
    return {
      scene,
      fails: (at: string) => scene.collectUntilFailure(at, { ...plan, parts: parts(main) }),
      answers: (at: string) => scene.collectUntilFailure(at, { ...plan, parts: parts(source) }),
    };
  };

  it('is not awaited before its deadline, then taken without its metrics, which are filled in later', async () => {
    const { scene, fails, answers } = create('2026-07-31');
    expect((await fails('2026-08-01T11:59:00Z')).error?.message).toBe('files: no answer.');
    expect([scene.valuesOn('2026-07-31'), scene.state().awaited]).toEqual([undefined, []]);
    const { days, error } = await fails('2026-08-01T12:00:00Z');
    expect([days.at(-1), error?.message]).toMatchObject([
      { date: '2026-07-31', outcome: 'incomplete', isNewlyOverdue: true },
      'files: no answer.',
    ]);
    expect(scene.valuesOn('2026-07-31')).toEqual(pickValues(usual(30), FEES));
    expect(scene.state().awaited).toMatchObject([{ date: '2026-07-31', overdue: true }]);
    await answers('2026-08-01T13:00:00Z');
    expect([scene.valuesOn('2026-07-31'), scene.state().awaited]).toEqual([usual(30), []]);
  });

  it('is only tried again once it is settled, and then judged as if it had been read at once', async () => {
    const { scene, fails, answers } = create('2026-07-10');
    await fails('2026-08-01T12:00:00Z');
    expect([scene.valuesOn('2026-07-10'), scene.state().awaited]).toEqual([undefined, []]);
    await answers('2026-08-01T13:00:00Z');
    expect(scene.valuesOn('2026-07-10')).toEqual(usual(9));
  });
});

it('a date that could not be read at its deadline is read again, although its data are those that were read before', async () => {
  const days = createDays(31);
  const fees = new Map([...days].map(([date, values]) => [date, pickValues(values, FEES)]));
  fees.set('2026-07-31', pickValues(usual(30), ['fees_total']));
  const source = createMemorySource(fees, 'fees');
  const parts = (second: Source) =>
    [
      { source: createMemorySource(days), metrics: ['tx_count', 'active_addresses'] },
      { source: second, metrics: FEES },
    ] as const;
  const failing: Source = {
    ...source,
    day: () => Promise.reject(new SourceError('unavailable', 'fees: no answer.')),
  };
  const plan = { chain: 'base', since: '2026-07-01', checks: [] } as const;
  const scene = createScene(days, { parts: parts(source) });
  await scene.collect('2026-08-01T06:15:00Z');
  const rules = DEFAULT_RULES.base;
  await scene.collect('2026-08-01T12:00:00Z', { plan: { ...plan, rules, parts: parts(failing) } });
  expect(scene.valuesOn('2026-07-31')?.fees_total).toBeUndefined();
  await scene.collect('2026-08-01T13:00:00Z');
  expect(scene.valuesOn('2026-07-31')?.fees_total).toBe(usual(30).fees_total);
});
