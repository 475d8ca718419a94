import { readCollection, type Collection } from '../../../generator/collect/collection-store.js';
import { findUnseen, faultsIn } from '../../support/collection/month/month-faults.js';
import {
  createTable,
  FIRST_TRY,
  describeTable,
  runOracle,
  type ChainTable,
} from '../../support/collection/month/month-oracle.js';
import { findLate, findWrong, releaseTables } from '../../support/collection/month/month-promises.js';
import {
  readPublishedHistory,
  toTable,
  createReleaseReader,
  type ReleaseReader,
} from '../../support/collection/month/month-releases.js';
import {
  collectHour,
  describeChain,
  findDecisions,
  runAt,
  type Decision,
  type HourlyRun,
  runMs,
} from '../../support/collection/month/month-run.js';
import {
  MONTH_CHAINS,
  MONTH_DAYS,
  nameOf,
  type MonthChain,
  drawMonth,
  type MonthScript,
} from '../../support/collection/month/month-script.js';
import { findOutage } from '../../support/collection/month/month-sources.js';
import { isRevisedWithWeek, viewMain } from '../../support/collection/month/month-view.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { COLLECTION_KEY } from '../../../schemas/paths.js';
import { expectSame } from '../../support/jest/expect-same.js';
import { createRandom } from '../../support/random/seeded.js';
import { readLedgers } from '../../../generator/input/collected-ledgers.js';
import { openInputFolder } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import { prepareSeries, publishPrepared } from '../../support/release/publish-series.js';
import { readCurrent } from '../../support/release/read-release.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';

type Publication = {
  readonly collection: ObjectStore;
  readonly store: ObjectStore;
  readonly hour: number;
  readonly kill?: number;
};

/** Publishes what a collection keeps, as `publish --accept-collected` does, but without lineages: they have laws of their own. */
async function publishHour({ collection, store, hour, kill }: Publication): Promise<string> {
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(collection));
  const { series } = await readInput({ folder, asOfMs: runMs(hour) });
  const pointer = folder.collection?.();
  if (pointer === undefined) throw new Error('no collection');
  const target = kill === undefined ? store : createStoppingStore(store, kill).store;
  const recorded = await readLedgers(folder, pointer);
  try {
    const prepared = await prepareSeries(target, { inputs: series, asOf: runAt(hour), recorded });
    const report = await publishPrepared(target, prepared, runAt(hour));
    return report.outcome === 'refused' ? JSON.stringify(report) : report.outcome;
  } catch (error) {
    if (isStop(error)) return 'killed';
    throw error;
  }
}

function isStop(error: unknown): boolean {
  return error instanceof Error && (error instanceof StoppedError || isStop(error.cause));
}

/** Where the next runs are killed: in each round after operations from the first to the last. */
type KillPlan = {
  /** The number of the operation after which the next run is killed. */
  readonly next: () => number;
  /** Notes how a run ended: killed, or that it did all its work with fewer operations. */
  readonly note: (end: 'killed' | 'done') => void;
  /** Number of kills, and how often they have reached the end of a run. */
  readonly count: () => { readonly kills: number; readonly rounds: number };
};

/** Operations between the beginnings of two rounds; prime to the steps in use, so that all operations have their turn. */
const SHIFT = 5;

/**
 * Plans kills at every `step`th operation; if that is not every one, in each round at other ones. `first`: the number of the
 * first one, from 1.
 */
function planKills(first: number, step: number): KillPlan {
  let [kills, rounds] = [0, 0];
  const start = (): number => 1 + ((first - 1 + SHIFT * rounds) % step);
  let at = start();
  return {
    next: () => at,
    note(end) {
      if (end === 'killed') {
        kills += 1;
        at += step;
      } else if (at > step) {
        rounds += 1;
        at = start();
      }
    },
    count: () => ({ kills, rounds }),
  };
}

const HOURS = MONTH_DAYS * 24;
/** Operations of a publication between two kills: a publication has several hundred, and a month about ten kills for them. */
const PUBLISH_STEP = 53;

/** A month that is lived hour by hour, and what must come of it. */
type Month = {
  readonly script: MonthScript;
  readonly random: () => number;
  readonly collection: ObjectStore;
  readonly store: ObjectStore;
  readonly reader: ReleaseReader;
  readonly tables: ReadonlyMap<MonthChain, ChainTable>;
  /** What the tables say that a reader of the store sees. */
  readonly shown: Map<string, number>;
  /** The runs that took effect, chain by chain: those of a killed run before its end count too. */
  readonly effective: HourlyRun[];
  /** Those that changed the collection. */
  readonly changing: HourlyRun[];
  readonly decided: Decision[];
  /** The hours in which a collection and a publication ran to their end. */
  readonly whole: Set<number>;
  /** The faults that were met, by chain. */
  readonly faults: Set<string>;
  readonly collectKills: KillPlan;
  readonly publishKills: KillPlan;
  releases: number;
  /** The collection as it was read last, and its chains as text. */
  collected: Collection;
  described: ReadonlyMap<MonthChain, readonly string[]>;
  /** The collection that was published last. */
  published: number;
};

async function beginMonth(seed: number): Promise<Month> {
  const [collection, store] = [createMemoryStore(), createMemoryStore()];
  return {
    script: drawMonth(seed),
    random: createRandom(seed),
    collection,
    store,
    reader: createReleaseReader(store),
    shown: new Map(),
    effective: [],
    changing: [],
    decided: [],
    whole: new Set(),
    faults: new Set(),
    releases: 0,
    published: 0,
    tables: new Map(MONTH_CHAINS.map((chain) => [chain, createTable()])),
    collectKills: planKills(1, 1),
    publishKills: planKills(1 + ((5 * seed) % PUBLISH_STEP), PUBLISH_STEP),
    collected: await readCollection(collection),
    described: new Map(),
  };
}

/** Lives a month: each hour collects and then publishes, as the scheduled services do, and compares with the tables. */
async function liveMonth(seed: number): Promise<Month> {
  const month = await beginMonth(seed);
  let wasKilled = true; // the first hour is whole
  for (let hour = 0; hour < HOURS; hour += 1) {
    wasKilled = !(await liveHour(month, hour, !wasKilled));
    if (!wasKilled) month.whole.add(hour);
  }
  return month;
}

/** Returns whether the collection and the publication ran to their end: a machine that fails is back in the next hour. */
async function liveHour(month: Month, hour: number, mayDie: boolean): Promise<boolean> {
  const { random } = month;
  let isDone = await collect(month, hour, mayDie && random() < 0.5);
  if (!isDone && random() < 0.5) isDone = await collect(month, hour, false); // restarted at once
  if (!isDone && random() < 0.5) return false;
  return (await publish(month, hour, mayDie && random() < 0.4)) && isDone;
}

/** Collects, sometimes killed at an operation of the store, and compares the collection with the tables. */
async function collect(month: Month, hour: number, mayDie: boolean): Promise<boolean> {
  const { script, collection, collected: before, collectKills } = month;
  const decisions = findDecisions(before, script, hour);
  const kill = mayDie ? collectKills.next() : undefined;
  const run = { script, chains: MONTH_CHAINS, hour, decisions, ...(kill ? { kill } : {}) };
  const isKilled = await collectHour(collection, run);
  const changed = await readAgain(month);
  if (isKilled) collectKills.note('killed');
  else if (kill !== undefined && changed.length > 0) collectKills.note('done');
  const chains = isKilled ? changed : MONTH_CHAINS;
  if (changed.length > 0) month.changing.push({ script, chains: changed, hour, decisions });
  month.effective.push({ script, chains, hour, decisions });
  const open = findDecisions(month.collected, script, hour).map(({ chain, day }) => nameOf(chain, day));
  month.decided.push(...decisions.filter(({ chain, day }) => !open.includes(nameOf(chain, day))));
  for (const chain of chains) runTable(month, chain, hour, decisions);
  return !isKilled;
}

/** Reads the collection again if it is another one. Returns the chains that changed. */
async function readAgain(month: Month): Promise<MonthChain[]> {
  const { collection, collected: before, described } = month;
  if ((await collection.head(COLLECTION_KEY))?.etag === (before.etag ?? undefined)) return [];
  month.collected = await readCollection(collection);
  const changed = MONTH_CHAINS.filter((chain) => textOf(before, chain) !== textOf(month.collected, chain));
  month.described = new Map(
    MONTH_CHAINS.map((chain) => [
      chain,
      changed.includes(chain) ? describeChain(month.collected, chain) : (described.get(chain) ?? []),
    ]),
  );
  return changed;
}

/** A chain of a collection as text. */
function textOf({ ledgers, states }: Collection, chain: MonthChain): string {
  return JSON.stringify([ledgers.get(chain), states.get(chain)]);
}

function runTable(month: Month, chain: MonthChain, hour: number, decisions: readonly Decision[]): void {
  const { script, tables, faults, described } = month;
  const accepts = (day: number, metric: string): boolean =>
    decisions.some((each) => each.chain === chain && each.day === day && each.metric === metric);
  const table = tables.get(chain) ?? createTable();
  runOracle(table, { script, chain, hour, accepts });
  expectSame([hour, chain, described.get(chain) ?? []], [hour, chain, describeTable(table)]);
  for (const fault of faultsIn(script, chain, hour)) faults.add(`${chain} ${fault}`);
}

/**
 * Publishes if the collection is another than the published one, sometimes killed, so that the next publication does. What
 * a reader then sees must differ by what the tables say, or not at all.
 */
async function publish(month: Month, hour: number, mayDie: boolean): Promise<boolean> {
  const { collection, store, reader, publishKills, collected, tables, shown } = month;
  if (collected.sequence === month.published) return true;
  const kill = mayDie ? publishKills.next() : undefined;
  const outcome = await publishHour({ collection, store, hour, ...(kill ? { kill } : {}) });
  const changes = await reader.read();
  const isKilled = outcome === 'killed';
  const mustChange = !isKilled || changes.length > 0 ? releaseTables(tables, shown, runAt(hour)) : [];
  const mustPublish = mustChange.length > 0 || (outcome === 'published' && (await hasNewVolume(store)));
  if (!isKilled) expectSame([hour, outcome], [hour, mustPublish ? 'published' : 'unchanged']);
  expectSame([hour, toTable(changes)], [hour, toTable(mustChange)]);
  month.releases += Number(changes.length > 0);
  if (isKilled) publishKills.note('killed');
  else if (kill !== undefined && outcome === 'published') publishKills.note('done');
  if (!isKilled) month.published = collected.sequence;
  return !isKilled;
}

/** Returns whether the newest release closed a period: this changes no date. */
async function hasNewVolume(store: ObjectStore): Promise<boolean> {
  const { revision, bundles } = await readCurrent(store);
  return Object.entries(bundles).some(
    ([path, each]) => path.includes('/volumes/') && each.revision === revision,
  );
}

/** A month takes about half a minute of processor time, so that a hundredth of the usual number of seeds runs. */
const SEEDS = Math.max(1, Math.floor(Number(process.env['CRD_SEEDS'] ?? '100') / 100));

/** The faults that the months met, by chain. */
const seen = new Set<string>();

/** The first run of a chain in which a date may be accepted, if nothing happens to the date. */
function firstRunOf({ effective, script }: Month, chain: MonthChain, day: number): number | undefined {
  return effective.find(
    ({ hour, chains }) =>
      hour >= (day + 1) * 24 + FIRST_TRY[chain] &&
      chains.includes(chain) &&
      findOutage(script, chain, 'main', hour) === undefined &&
      viewMain(script, chain, day, hour) !== undefined,
  )?.hour;
}

describe.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  'a month of hourly collections and publications, with sources and machines that fail, seed %i',
  (seed) => {
    let month: Month;
    beforeAll(async () => {
      month = await liveMonth(seed);
      for (const fault of month.faults) seen.add(fault);
    }, 600_000);

    it('dies at every operation of a collection, and all over a publication', () => {
      const { collectKills, publishKills, releases } = month;
      expect(collectKills.count().rounds).toBeGreaterThanOrEqual(1);
      expect(publishKills.count().rounds).toBeGreaterThanOrEqual(1);
      expect(releases).toBeGreaterThan(MONTH_DAYS);
    });

    it('publishes nothing wrong, except what a person accepted', () => {
      const { script, reader, decided } = month;
      expect(toTable(findWrong(script, reader.log, decided))).toEqual([]);
    });

    it('publishes a good day at most an hour after its deadline, and each late value when it arrives', () => {
      const { script, reader, whole } = month;
      const { late, goodDays } = findLate({ script, log: reader.log, whole });
      expect(late).toEqual([]);
      expect(goodDays).toBeGreaterThan(20);
    });

    it('says in its manifests what a reader saw after each release', async () => {
      expect(toTable(await readPublishedHistory(month.store))).toEqual(toTable(month.reader.log));
    });

    it('accepts each good day in the first run that can', () => {
      const { script, tables } = month;
      for (const chain of MONTH_CHAINS) {
        const { values, since } = tables.get(chain) ?? createTable();
        for (let day = 0; day < MONTH_DAYS - 1; day += 1) {
          if (script.episodes.has(nameOf(chain, day))) continue;
          expect([chain, day, since.get(day)]).toEqual([chain, day, firstRunOf(month, chain, day)]);
          if (isRevisedWithWeek(script, chain, day)) continue; // some of its dates had settled
          expect(values.get(day)).toEqual(viewMain(script, chain, day, 10_000)?.values);
        }
      }
    });

    it('asks a person only for what the rules leave to one', () => {
      const asked = MONTH_CHAINS.flatMap((chain) =>
        [...(month.tables.get(chain)?.decided ?? [])].map((day) => nameOf(chain, day)),
      );
      expect(month.decided.map(({ chain, day }) => nameOf(chain, day)).sort()).toEqual(asked.sort());
      expect(asked.length).toBeGreaterThan(0);
    });

    it('leaves the collection of a month without kills', async () => {
      const twin = createMemoryStore();
      for (const run of month.changing) await collectHour(twin, run);
      const [one, other] = [await readCollection(month.collection), await readCollection(twin)];
      for (const chain of MONTH_CHAINS) expect(textOf(one, chain)).toBe(textOf(other, chain));
    });
  },
);

it('the months have every fault on both chains', () => {
  expect(findUnseen(seen)).toEqual([]);
});
