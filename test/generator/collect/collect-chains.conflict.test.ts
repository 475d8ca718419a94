import { metricsOf } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { ChainPlan } from '../../../generator/collect/policy.js';
import {
  commitCollection,
  EMPTY_STATE,
  readCollection,
} from '../../../generator/collect/collection-store.js';
import { collectChains } from '../../../generator/collect/collect-chains.js';
import {
  collectExitOf,
  toCollectReport,
  type CollectReport,
} from '../../../generator/collect/collect-report.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { SILENT } from '../../../generator/run/progress.js';
import { createMemorySource } from '../../support/collection/memory-source.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const FIRST = '2026-07-01';
const AS_OF = Date.parse('2026-07-05T12:00:00Z');
const { signal } = new AbortController();

type Days = Map<string, DayValues>;

const usual = (i: number): DayValues => ({
  tx_count: String(1_000 + i),
  active_addresses: String(500 + i),
  fees_total: '10',
  fee_median: '0.01',
});
const createDays = (): Days => new Map([0, 1, 2, 3].map((i) => [addDays(FIRST, i), usual(i)]));

async function collect(store: ObjectStore, days: { [chain in Chain]?: Days }): Promise<CollectReport> {
  const plans = Object.entries(days).map(([name, each]): ChainPlan => {
    const chain = name as Chain; // Object.entries loses the key type
    const parts = [{ source: createMemorySource(each), metrics: metricsOf(chain) }] as const;
    return { chain, parts, checks: [], rules: DEFAULT_RULES[chain], since: FIRST };
  });
  const run = { asOfMs: AS_OF, isDryRun: false };
  const result = await collectChains({ store, plans, sources: {}, progress: SILENT, signal, ...run });
  return toCollectReport(result, { address: store.address, ...run });
}

/** Commits something else. */
async function commitAnother(store: ObjectStore): Promise<void> {
  const before = await readCollection(store);
  const marks = { files: { [FIRST]: String(before.sequence) } };
  const states = new Map([['ethereum', { ...EMPTY_STATE, marks }]] as const);
  await commitCollection(
    store,
    before,
    { lines: new Map(), lineages: [], states },
    { asOfMs: 0, sources: {} },
  );
}

/** Returns the store as a run sees it if something happens just before its commits, from the `from`th to the `to`th. */
function disturb(store: ObjectStore, [from, to]: readonly [number, number], happen: () => Promise<unknown>) {
  let commits = 0;
  return interceptStore(store, async ({ name }, run) => {
    if (name === 'compareAndSwap' && (commits += 1) >= from && commits <= to) await happen();
    return run();
  });
}

const lengthsOf = async (store: ObjectStore): Promise<Record<string, number>> =>
  Object.fromEntries(
    [...(await readCollection(store)).ledgers].map(([chain, lines]) => [chain, lines.length]),
  );

let store: ObjectStore;
beforeEach(() => {
  store = createMemoryStore();
});

describe('a chain that meets another collection', () => {
  it('is collected again, and both are kept', async () => {
    const disturbed = disturb(store, [1, 1], () => collect(store, { base: createDays() }));
    const report = await collect(disturbed, { arbitrum: createDays(), base: createDays() });
    expect(await lengthsOf(store)).toEqual({ arbitrum: 4, base: 4 });
    expect([collectExitOf(report), report.chains.arbitrum?.accepted]).toEqual(['done', 4]);
  });

  it('is given up after three conflicts, while the others are collected', async () => {
    const disturbed = disturb(store, [1, 3], () => commitAnother(store));
    const report = await collect(disturbed, { arbitrum: createDays(), base: createDays() });
    expect(await lengthsOf(store)).toEqual({ base: 4 });
    expect(report.chains.arbitrum).toMatchObject({
      accepted: 0,
      through: null,
      error: { code: 'conflict', message: expect.stringContaining('Another collection was committed') },
    });
    expect(collectExitOf(report)).toBe('conflict');
  });

  it('does not hide the deadline that passed of another chain', async () => {
    const late = createDays();
    late.set('2026-07-04', { tx_count: '1003', active_addresses: '503', fees_total: '10' });
    const disturbed = disturb(store, [2, 4], () => commitAnother(store));
    const report = await collect(disturbed, { arbitrum: late, base: createDays() });
    expect(report.chains).toMatchObject({
      arbitrum: { newly_overdue: ['2026-07-04'] },
      base: { error: { code: 'conflict' } },
    });
    expect(collectExitOf(report)).toBe('damaged');
  });

  it('reports only the differences that the other one did not find', async () => {
    const days = createDays();
    await collect(store, { base: days });
    days.set('2026-07-03', { ...usual(2), tx_count: '1500' });
    const seen = new Map(days);
    const disturbed = disturb(store, [1, 1], () => collect(store, { base: seen }));
    expect((await collect(disturbed, { base: days })).chains.base).toMatchObject({
      new_drifts: 0,
      error: null,
      drifts: [{ date: '2026-07-03', to: '1500' }],
    });
    const again = disturb(store, [1, 1], () => commitAnother(store));
    days.set('2026-07-02', { ...usual(1), tx_count: '1600' });
    expect((await collect(again, { base: days })).chains.base).toMatchObject({ new_drifts: 1, error: null });
  });
});
