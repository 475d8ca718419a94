import { readCollection, type Collection } from '../../../generator/collect/collection-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createRandom } from '../../support/random/seeded.js';
import {
  createTable,
  describeTable,
  runOracle,
  type ChainTable,
} from '../../support/collection/month/month-oracle.js';
import { publishHour, readPublished } from '../../support/collection/month/month-publication.js';
import {
  collectHour,
  describeChain,
  findDecisions,
  type Decision,
  type HourlyRun,
} from '../../support/collection/month/month-run.js';
import {
  drawMonth,
  MONTH_CHAINS,
  MONTH_DAYS,
  nameOf,
  type MonthChain,
  type MonthScript,
} from '../../support/collection/month/month-script.js';
import { dateOf, findOutage } from '../../support/collection/month/month-sources.js';
import { viewMain } from '../../support/collection/month/month-view.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

/** A month takes about half a minute of processor time, so that a hundredth of the usual number of seeds runs. */
const SEEDS = Math.max(1, Math.floor(Number(process.env['CRD_SEEDS'] ?? '100') / 100));
const HOURS = MONTH_DAYS * 24;

/** A month that is lived hour by hour, and what must come of it. */
type Month = {
  readonly script: MonthScript;
  readonly random: () => number;
  readonly collection: ObjectStore;
  readonly store: ObjectStore;
  readonly tables: ReadonlyMap<MonthChain, ChainTable>;
  /** The runs that took effect, chain by chain: those of a killed run before its end count too. */
  readonly effective: HourlyRun[];
  /** Those that changed the collection. */
  readonly changing: HourlyRun[];
  readonly decided: Decision[];
  kills: number;
  publications: number;
  /** The collection that was published last. */
  published: number;
};

function beginMonth(seed: number): Month {
  return {
    ...{
      script: drawMonth(seed),
      random: createRandom(seed),
      effective: [],
      changing: [],
      decided: [],
      kills: 0,
      publications: 0,
      published: 0,
    },
    ...{ collection: createMemoryStore(), store: createMemoryStore() },
    tables: new Map(MONTH_CHAINS.map((chain) => [chain, createTable()])),
  };
}

const textOf = ({ ledgers, states }: Collection, chain: MonthChain): string =>
  JSON.stringify([ledgers.get(chain), states.get(chain)]);

/** Collects, sometimes killed at an operation of the store, and compares the collection with the table. */
async function collect(month: Month, hour: number, mayDie: boolean): Promise<void> {
  const { script, random, collection, tables } = month;
  const before = await readCollection(collection);
  const decisions = findDecisions(before, script, hour);
  const kill = {
    at: 1 + Math.floor(random() * (random() < 0.5 ? 8 : 24)),
    when: random() < 0.5 ? 'before' : 'after',
  } as const;
  const isKilled = await collectHour(collection, {
    ...{ script, chains: MONTH_CHAINS, hour, decisions },
    ...(mayDie ? { kill } : {}),
  });
  const after = await readCollection(collection);
  const changed = MONTH_CHAINS.filter((chain) => textOf(before, chain) !== textOf(after, chain));
  const chains = isKilled ? changed : MONTH_CHAINS;
  if (changed.length > 0) month.changing.push({ script, chains: changed, hour, decisions });
  month.kills += Number(isKilled);
  month.effective.push({ script, chains, hour, decisions });
  const open = findDecisions(after, script, hour).map(({ chain, day }) => nameOf(chain, day));
  month.decided.push(...decisions.filter(({ chain, day }) => !open.includes(nameOf(chain, day))));
  for (const chain of chains) {
    const accepts = (day: number, metric: string): boolean =>
      decisions.some((each) => each.chain === chain && each.day === day && each.metric === metric);
    const table = tables.get(chain) ?? createTable();
    runOracle(table, { script, chain, hour, accepts });
    expect([hour, chain, describeChain(after, chain)]).toEqual([hour, chain, describeTable(table)]);
  }
  if (isKilled && random() < 0.5) await collect(month, hour, false); // restarted at once, not in the next hour
}

/** Publishes if the collection is another than the published one; sometimes killed, so that the next publication does. */
async function publish(month: Month, hour: number): Promise<void> {
  const { random, collection, store } = month;
  const { sequence } = await readCollection(collection);
  if (sequence === month.published) return;
  const kill = { at: 1 + Math.floor(random() * 60), when: random() < 0.5 ? 'before' : 'after' } as const;
  const outcome = await publishHour({ collection, store, hour, ...(random() < 0.2 ? { kill } : {}) });
  expect([hour, outcome]).toEqual([hour, expect.stringMatching(/^(published|unchanged|killed)/)]);
  month.publications += Number(outcome === 'published');
  if (outcome !== 'killed') month.published = sequence;
}

async function liveMonth(seed: number): Promise<Month> {
  const month = beginMonth(seed);
  for (let hour = 0; hour < HOURS; hour += 1) {
    await collect(month, hour, hour > 0 && month.random() < 0.2);
    if (hour % 24 === 13 || month.random() < 0.02) await publish(month, hour);
  }
  await publishHour({ collection: month.collection, store: month.store, hour: HOURS });
  return month;
}

/** The first run of a chain in which a date may be accepted, if nothing happens to the date or its source. */
function firstRunOf({ effective, script }: Month, chain: MonthChain, day: number): number | undefined {
  return effective.find(
    ({ hour, chains }) =>
      hour >= (day + 1) * 24 + (chain === 'base' ? 6 : 2) &&
      chains.includes(chain) &&
      findOutage(script, chain, 'main', hour) === undefined,
  )?.hour;
}

describe('a month of hourly collections and publications, with sources and machines that fail', () => {
  const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1);

  it.each(seeds)(
    'accepts and publishes exactly what a plain table says, seed %i',
    async (seed) => {
      const month = await liveMonth(seed);
      const { script, tables, store, collection, changing, decided } = month;
      expect([month.kills > 40, month.publications > 18]).toEqual([true, true]);

      for (const chain of MONTH_CHAINS) {
        const { values, since } = tables.get(chain) ?? createTable();
        const published = await readPublished(store, chain);
        const expected = new Map([...values].map(([day, each]) => [dateOf(day), each]));
        for (const [date, each] of published)
          expect([date, each]).toEqual([date, numbersOf(expected.get(date) ?? {})]);
        expect([...expected.keys()].filter((date) => !published.has(date))).toEqual([]);

        for (let day = 0; day < MONTH_DAYS - 1; day += 1) {
          if (script.episodes.has(nameOf(chain, day))) continue;
          expect([chain, day, since.get(day)]).toEqual([chain, day, firstRunOf(month, chain, day)]);
          const isRight = viewMain(script, chain, day, 10_000)?.values;
          expect(values.get(day)).toEqual(isRight);
        }
      }

      const asked = MONTH_CHAINS.flatMap((chain) =>
        [...(tables.get(chain)?.decided ?? [])].map((day) => nameOf(chain, day)),
      );
      expect(decided.map(({ chain, day }) => nameOf(chain, day)).sort()).toEqual(asked.sort());
      expect(asked.length).toBeGreaterThan(0);

      const twin = createMemoryStore();
      for (const run of changing) await collectHour(twin, run);
      const [one, other] = [await readCollection(collection), await readCollection(twin)];
      for (const chain of MONTH_CHAINS) expect(textOf(one, chain)).toBe(textOf(other, chain));
    },
    600_000,
  );
});

function numbersOf(values: { readonly [metric: string]: string }): { [metric: string]: number } {
  return Object.fromEntries(Object.entries(values).map(([metric, text]) => [metric, Number(text)]));
}
