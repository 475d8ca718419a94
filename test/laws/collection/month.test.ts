import { readCollection } from '../../../generator/collect/collection-store.js';
import { findUnseen } from '../../support/collection/month/month-faults.js';
import { liveMonth, textOf, type Month } from '../../support/collection/month/month-life.js';
import { createTable, FIRST_TRY } from '../../support/collection/month/month-oracle.js';
import { findLate, findWrong } from '../../support/collection/month/month-promises.js';
import { readPublishedHistory, toTable } from '../../support/collection/month/month-releases.js';
import { collectHour } from '../../support/collection/month/month-run.js';
import {
  MONTH_CHAINS,
  MONTH_DAYS,
  nameOf,
  type MonthChain,
} from '../../support/collection/month/month-script.js';
import { findOutage } from '../../support/collection/month/month-sources.js';
import { isRevisedWithWeek, viewMain } from '../../support/collection/month/month-view.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

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
