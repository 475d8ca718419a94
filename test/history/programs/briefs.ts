/** Writes the brief of every date of the real history, and prints the first faults. */
import { createDayWriters } from '../../../generator/core/records/day-writers.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { assertValid } from '../../../schemas/validate.js';
import { CLAIMS, claimOf, findBriefFaults, sentencesIn } from '../../support/release/brief-judge.js';
import type { BriefsJudged } from '../briefs-judged.js';
import { AS_OF, readHistory } from '../history-data.js';

const texts = await readProductTexts();
const times = new Map<string, number>();

function findFaults(series: InputSeries): string[] {
  const writers = createDayWriters(series, texts);
  const provenance = { revision: `${AS_OF}.000001`, updatedThrough: series.dates.at(-1) ?? '' };
  return series.dates.flatMap((date, t) => {
    const write = (schema: string): unknown => writers.write(schema, t, provenance);
    const brief = assertValid('brief-day', write('brief-day/1'));
    const records = {
      meta: assertValid('meta-day', write('meta-day/1')),
      gold: assertValid('gold-day', write('gold-day/1')),
      derived: assertValid('derived-day', write('derived-day/1')),
    };
    for (const sentence of [brief.headline, ...sentencesIn(brief.body)]) {
      const claim = claimOf(sentence) ?? 'none';
      times.set(claim, (times.get(claim) ?? 0) + 1);
    }
    return findBriefFaults(brief, records).map((fault) => `${series.chain} ${date}: ${fault}`);
  });
}

const history = await readHistory();
const faults = history.flatMap(findFaults);
const output: BriefsJudged = {
  briefs: history.reduce((sum, { dates }) => sum + dates.length, 0),
  sentences: [...times.values()].reduce((sum, count) => sum + count, 0),
  claims: [...times.keys()].sort(),
  unused: Object.keys(CLAIMS).filter((claim) => !times.has(claim)),
  faults: faults.slice(0, 20),
};
process.stdout.write(JSON.stringify(output));
