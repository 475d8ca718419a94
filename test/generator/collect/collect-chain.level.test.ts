import { metricsOf } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { ChainState, LedgerLine } from '../../../schemas/types.generated.js';
import { EMPTY_STATE } from '../../../generator/collect/collection-store.js';
import { collectChain } from '../../../generator/collect/collect-chain.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

const FIRST = '2026-07-01';
/** The first date at the new level. */
const SHIFT = 30;
const on = (i: number): string => addDays(FIRST, i);

/** Values whose counts are eight times as high from `SHIFT` on. */
function valuesOf(i: number): DayValues {
  const times = i < SHIFT ? 1 : 8;
  return {
    tx_count: String(times * (1_000 + i)),
    active_addresses: String(times * (500 + i)),
    fees_total: `1000.${(i % 9) + 1}`,
    fee_median: `0.01${(i % 9) + 1}`,
  };
}

/** A collection of base, in the morning after each date. */
function createScene() {
  const days = new Map<string, DayValues>();
  const source = createMemorySource(days);
  const { signal } = new AbortController();
  const lines: LedgerLine[] = [];
  let state: ChainState = EMPTY_STATE;
  return {
    lines,
    awaited: () => state.awaited.map(({ date }) => date),
    async collect(last: number, acceptedDate?: string): Promise<void> {
      for (let i = 0; i <= last; i += 1) days.set(on(i), valuesOf(i));
      const run = collectChain({
        plan: {
          chain: 'base',
          rules: DEFAULT_RULES.base,
          since: FIRST,
          checks: [],
          parts: [{ source, metrics: metricsOf('base') }],
        },
        lines: [...lines],
        state,
        nowMs: Date.parse(`${on(last + 1)}T06:15:00Z`),
        signal,
        countsOf: () => Promise.resolve(undefined),
        accepted: { accepts: (date) => date === acceptedDate, reason: 'an airdrop' },
      });
      let next = await run.next();
      for (; next.done !== true; next = await run.next()) lines.push(...next.value.lines);
      ({ state } = next.value);
    },
  };
}

describe('a chain whose values jump and stay there', () => {
  it('asks a person once, not until the median has moved', async () => {
    const scene = createScene();
    await scene.collect(SHIFT);
    expect(scene.awaited()).toEqual([on(SHIFT)]);
    await scene.collect(SHIFT, on(SHIFT));
    for (let last = SHIFT + 1; last <= SHIFT + 40; last += 1) {
      await scene.collect(last);
      expect([on(last), scene.awaited()]).toEqual([on(last), []]);
    }
    expect(scene.lines.filter(({ rule }) => rule === 'person').map(({ date }) => date)).toEqual([on(SHIFT)]);
    expect(scene.lines.map(({ date }) => date)).toEqual(Array.from({ length: SHIFT + 41 }, (_, i) => on(i)));
  });

  it('accepts with the first date those that have waited since', async () => {
    const scene = createScene();
    for (let last = SHIFT; last <= SHIFT + 2; last += 1) await scene.collect(last);
    expect(scene.awaited()).toEqual([on(SHIFT), on(SHIFT + 1), on(SHIFT + 2)]);
    await scene.collect(SHIFT + 2, on(SHIFT));
    expect(scene.awaited()).toEqual([]);
  });
});
