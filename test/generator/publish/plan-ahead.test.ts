import { mayPlanAhead } from '../../../generator/publish/plan-ahead.js';
import type { PlanRequest } from '../../../generator/core/release/plan-types.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { readStartingPoint } from '../../../generator/state/published-state.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';

const long = [
  randomSeries({ chain: 'bitcoin', seed: 1, days: 600 }),
  randomSeries({ chain: 'base', seed: 2, days: 400 }),
];
const short = [randomSeries({ chain: 'bitcoin', seed: 1, days: 999 })];

async function request(changes: Partial<PlanRequest> = {}): Promise<PlanRequest> {
  return { inputs: long, previous: undefined, asOfMs: 0, texts: await readProductTexts(), ...changes };
}

it('mayPlanAhead allows a first release of a thousand dates', async () => {
  expect(mayPlanAhead(await request())).toBe(true);
  expect(mayPlanAhead(await request({ inputInvalid: true }))).toBe(true);
  expect(mayPlanAhead(await request({ allOrNothing: true }))).toBe(true);
});

it('mayPlanAhead rejects a short release, a release that could be refused, and a later release', async () => {
  expect(mayPlanAhead(await request({ inputs: short }))).toBe(false);
  expect(mayPlanAhead(await request({ inputInvalid: true, allOrNothing: true }))).toBe(false);
  const store = createMemoryStore();
  const before = [randomSeries({ chain: 'base', seed: 2, days: 20 })];
  await publishSeries(store, { inputs: before, asOf: '2022-02-01T00:00:00Z' });
  const { state: previous } = await readStartingPoint(store, ['base']);
  expect(mayPlanAhead(await request({ previous }))).toBe(false);
});
