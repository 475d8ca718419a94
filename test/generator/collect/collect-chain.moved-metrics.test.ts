import type { ChainPlan } from '../../../generator/collect/policy.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import { SourceError, type Source } from '../../../generator/sources/source.js';
import { addDays } from '../../../schemas/dates.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import { FIRST, createDays, createScene, type Days } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

const OWN: readonly MetricName[] = ['tx_count', 'active_addresses', 'fees_total', 'fee_median'];
const MORE: readonly MetricName[] = [...OWN, 'block_count'];
const DATES = 3;

/** A main source that has the blocks too, a node, and a chain of three dates that took no blocks. */
async function createChain() {
  const days: Days = createDays(DATES);
  for (const [date, values] of days) days.set(date, { ...values, block_count: '43200' });
  const main = createMemorySource(days);
  const node = createMemorySource(
    new Map(Array.from({ length: DATES }, (_, i) => [addDays(FIRST, i), { block_count: '43200' }])),
    'node',
  );
  const planOf = (changes: Partial<ChainPlan>): ChainPlan => ({
    chain: 'base',
    rules: DEFAULT_RULES.base,
    since: FIRST,
    checks: [],
    parts: [{ source: main, metrics: OWN }],
    ...changes,
  });
  const scene = createScene(days);
  await scene.collect('2026-07-04T06:15:00Z', { plan: planOf({ checks: [{ source: node, same: [] }] }) });
  expect(scene.lines.map(({ values }) => values.block_count)).toEqual([undefined, undefined, undefined]);
  return { scene, main, node, planOf };
}

const filledIn = (source: string): object[] =>
  [0, 1, 2].map((i) => ({
    date: addDays(FIRST, i),
    rule: 'fill-in',
    source,
    values: { block_count: '43200' },
  }));

describe('known dates without a metric that a new policy takes from a source that was read before', () => {
  it('are filled in if the source was only a check', async () => {
    const { scene, main, node, planOf } = await createChain();
    const parts: ChainPlan['parts'] = [
      { source: main, metrics: OWN },
      { source: node, metrics: ['block_count'] },
    ];
    const { added } = await scene.collect('2026-07-04T07:15:00Z', { plan: planOf({ parts }) });
    expect(added).toMatchObject(filledIn('node'));
  });

  it('are filled in if the source gave other metrics, and not read again', async () => {
    const { scene, main, planOf } = await createChain();
    const plan = planOf({ parts: [{ source: main, metrics: MORE }] });
    const { added } = await scene.collect('2026-07-04T07:15:00Z', { plan });
    expect(added).toMatchObject(filledIn('files'));
    const reads = main.reads.length;
    await scene.collect('2026-07-04T08:15:00Z', { plan });
    expect(main.reads).toHaveLength(reads);
  });

  it('are filled in later if the source does not answer at first', async () => {
    const { scene, main, node, planOf } = await createChain();
    const silent: Source = {
      ...node,
      days: () => Promise.reject(new SourceError('unavailable', 'node: no answer.')),
    };
    const planWith = (source: Source): ChainPlan =>
      planOf({
        parts: [
          { source: main, metrics: OWN },
          { source, metrics: ['block_count'] },
        ],
      });
    const first = await scene.collect('2026-07-04T07:15:00Z', { plan: planWith(silent) });
    expect([first.added, first.failures]).toEqual([[], ['node: no answer.']]);
    const { added } = await scene.collect('2026-07-04T08:15:00Z', { plan: planWith(node) });
    expect(added).toHaveLength(DATES);
  });

  it('are not read again if only the rules change, although their source never gives some metrics', async () => {
    const { scene, main, planOf } = await createChain();
    const part = { source: main, metrics: [...MORE, 'new_addresses'] as const };
    await scene.collect('2026-07-04T07:15:00Z', { plan: planOf({ parts: [part] }) });
    const reads = main.reads.length;
    const rules = { ...DEFAULT_RULES.base, tolerance: 0.02 };
    await scene.collect('2026-07-04T08:15:00Z', { plan: planOf({ parts: [part], rules }) });
    expect(main.reads).toHaveLength(reads);
  });
});
