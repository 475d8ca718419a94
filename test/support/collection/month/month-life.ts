import { readCollection, type Collection } from '../../../../generator/collect/collection-store.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { COLLECTION_KEY } from '../../../../schemas/paths.js';
import { expectSame } from '../../jest/expect-same.js';
import { createRandom } from '../../random/seeded.js';
import { createMemoryStore } from '../../stores/memory-store.js';
import { faultsIn } from './month-faults.js';
import { planKills, type KillPlan } from './month-kills.js';
import { createTable, describeTable, runOracle, type ChainTable } from './month-oracle.js';
import { releaseTables } from './month-promises.js';
import { publishHour } from './month-publication.js';
import { createReleaseReader, toTable, type ReleaseReader } from './month-releases.js';
import {
  collectHour,
  describeChain,
  findDecisions,
  runAt,
  type Decision,
  type HourlyRun,
} from './month-run.js';
import {
  drawMonth,
  MONTH_CHAINS,
  MONTH_DAYS,
  nameOf,
  type MonthChain,
  type MonthScript,
} from './month-script.js';

const HOURS = MONTH_DAYS * 24;
/** Operations of a publication between two kills: a publication has several hundred, and a month about ten kills for them. */
const PUBLISH_STEP = 41;

/** A month that is lived hour by hour, and what must come of it. */
export type Month = {
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
    ...{ script: drawMonth(seed), random: createRandom(seed), collection, store },
    ...{ reader: createReleaseReader(store), shown: new Map(), effective: [], changing: [], decided: [] },
    ...{ whole: new Set(), faults: new Set(), releases: 0, published: 0 },
    tables: new Map(MONTH_CHAINS.map((chain) => [chain, createTable()])),
    ...{
      collectKills: planKills(1, 1),
      publishKills: planKills(1 + ((5 * seed) % PUBLISH_STEP), PUBLISH_STEP),
    },
    ...{ collected: await readCollection(collection), described: new Map() },
  };
}

/** Lives a month: each hour collects and then publishes, as the scheduled services do, and compares with the tables. */
export async function liveMonth(seed: number): Promise<Month> {
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
  return (await publish(month, hour, mayDie && random() < 0.3)) && isDone;
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
export function textOf({ ledgers, states }: Collection, chain: MonthChain): string {
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
  if (!isKilled) expectSame([hour, outcome], [hour, mustChange.length > 0 ? 'published' : 'unchanged']);
  expectSame([hour, toTable(changes)], [hour, toTable(mustChange)]);
  month.releases += Number(changes.length > 0);
  if (isKilled) publishKills.note('killed');
  else if (kill !== undefined && outcome === 'published') publishKills.note('done');
  if (!isKilled) month.published = collected.sequence;
  return !isKilled;
}
