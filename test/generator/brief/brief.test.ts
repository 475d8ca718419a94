import { createDayWriters, type DayWriters } from '../../../generator/core/records/day-writers.js';
import { writeBrief } from '../../../generator/core/brief/brief.js';
import type { DayRecords } from '../../../generator/core/brief/facts.js';
import { readProductTexts } from '../../../generator/io/product-texts.js';
import { CHAIN_IDS, CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import type { BriefDay, Chain } from '../../../schemas/types.generated.js';
import { assertValid } from '../../../schemas/validate.js';
import { CLAIMS, claimOf, findBriefFaults, numbersIn, sentencesIn } from '../../fixtures/brief-judge.js';
import { randomSeries } from '../../fixtures/random-series.js';

const texts = await readProductTexts();
const SEEDS = Math.max(4, Math.round(Number(process.env['CRD_SEEDS'] ?? '40') / 50));
const PROVENANCE = { revision: '2026-01-01.000001', updatedThrough: '2026-01-01' };

type Told = { readonly brief: BriefDay; readonly records: DayRecords };

function tell(writers: DayWriters, t: number): Told {
  const write = (schema: string): unknown => writers.write(schema, t, PROVENANCE);
  return {
    brief: assertValid('brief-day', write('brief-day/1')),
    records: {
      meta: assertValid('meta-day', write('meta-day/1')),
      gold: assertValid('gold-day', write('gold-day/1')),
      derived: assertValid('derived-day', write('derived-day/1')),
    },
  };
}

function tellAll(chain: Chain, seed: number): Told[] {
  const missing = [0, 0.02, 0.3][seed % 3] ?? 0;
  const series = randomSeries({ chain, seed, days: 460, missingCells: missing, missingRows: missing / 4 });
  const writers = createDayWriters(series, texts);
  return series.dates.flatMap((_, t) => (t % 5 === 0 || t > 440 ? [tell(writers, t)] : []));
}

const drawn = CHAIN_IDS.flatMap((chain) =>
  Array.from({ length: Math.ceil(SEEDS / 4) }, (_, i) => tellAll(chain, i * 7 + chain.length)).flat(),
);

describe('a brief', () => {
  it('says only what a claim of the templates says, with numbers that are facts, which are members of its records', () => {
    const faults = drawn.flatMap(({ brief, records }) =>
      findBriefFaults(brief, records).map((fault) => `${brief.chain} ${brief.date}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('holds the regime of the meta record, member for member', () => {
    for (const { brief, records } of drawn) expect(brief.regime).toEqual(records.meta.regime);
  });

  it('says plainly that there is no label, and why', () => {
    const unlabelled = drawn.filter(({ brief }) => brief.regime.label === 'indeterminate');
    expect(unlabelled.length).toBeGreaterThan(0);
    for (const { brief } of unlabelled) {
      expect(brief.headline).toMatch(/had no label on|had no data for/);
      expect(brief.body).toMatch(
        /could not be computed|less than a label asks for|No row arrived|None of the metrics/,
      );
      expect(brief.body).toContain('No confidence is stated without a label.');
    }
  });

  it('says of a date without a row that all of its metrics are missing', () => {
    const missing = drawn.filter(({ brief }) => brief.status === 'missing');
    expect(missing.length).toBeGreaterThan(0);
    for (const { brief } of missing) {
      expect(brief.headline).toBe(`${CHAINS[brief.chain].name} had no data for ${brief.date}.`);
      expect(brief.body).toContain('All metrics of the day were missing.');
    }
  });

  it('says of a row without any input of the methodology that this is why there is no label', () => {
    const unlabelled = drawn.find(({ brief }) => brief.status === 'degraded');
    if (unlabelled === undefined) throw new Error('no day is degraded');
    const { records } = unlabelled;
    const metrics = Object.fromEntries(Object.keys(records.gold.metrics).map((metric) => [metric, null]));
    const { body } = writeBrief(
      { ...records, gold: { ...records.gold, metrics } },
      texts.methodology,
      texts.brief,
    );
    expect(body).toContain('None of the metrics that a label rests on was there.');
    expect(body).not.toContain('could not be computed');
  });

  it('tells of the axis that is there', () => {
    const labelled = drawn.find(({ brief }) => brief.status === 'available');
    if (labelled === undefined) throw new Error('no day is labelled');
    const { meta, ...others } = labelled.records;
    const axes = { ...meta.regime.axes, demand: { z: null, level: null } };
    const regime = { ...meta.regime, label: 'indeterminate' as const, axes };
    const told = writeBrief({ ...others, meta: { ...meta, regime } }, texts.methodology, texts.brief);
    expect(told.body).toMatch(/Pressure was (low|normal|high) at -?\d/);
    expect(told.body).toContain('The demand axis could not be computed');
  });

  it('says of a strained chain that is used less than usual that it is', () => {
    const labelled = drawn.find(({ brief }) => brief.status === 'available');
    if (labelled === undefined) throw new Error('no day is labelled');
    const { meta, ...others } = labelled.records;
    const headlineWith = (level: 'low' | 'normal'): string => {
      const axes = { ...meta.regime.axes, demand: { z: -1.2, level } };
      const regime = { ...meta.regime, label: 'strained' as const, axes };
      return writeBrief({ ...others, meta: { ...meta, regime } }, texts.methodology, texts.brief).headline;
    };
    expect(headlineWith('low')).toContain('block space scarce in spite of less use than usual');
    expect(headlineWith('normal')).toContain(LABEL_MEANINGS.strained);
  });

  it('makes the claims that the real history never makes', () => {
    const made = new Set(
      drawn.flatMap(({ brief: { headline, body } }) => [headline, ...sentencesIn(body)].map(claimOf)),
    );
    const rare = [
      'headline.missing',
      'unlabelled.no_row',
      'day.new_addresses',
      'day.fee_median',
      'missing.none',
      'missing.all',
    ];
    expect(rare.filter((claim) => !made.has(claim))).toEqual([]);
  });

  it('names every metric that the day lacks', () => {
    for (const { brief, records } of drawn) {
      const lacking = Object.values(records.gold.metrics).filter((value) => value === null).length;
      const named = /Missing on this day: (.*)\.$/.exec(brief.body)?.[1]?.split(', ').length;
      const all = brief.body.includes('All metrics of the day were missing.');
      expect(named ?? (all ? lacking : 0)).toBe(lacking);
    }
  });
});

describe('the claims', () => {
  it.each(Object.entries(CLAIMS))(
    '%s promises nothing, advises nothing, prices nothing and blames nothing',
    (_, claim) => {
      const words = claim.replaceAll('mean gas price', '').replace(/\{\{\w+\}\}/g, '');
      expect(words).not.toMatch(
        /\b(will|shall|expect\w*|predict\w*|forecast\w*|likely|should|could be|may|might|tomorrow|next (?:day|week)|buy|sell|invest\w*|bullish|bearish|price\w*|usd|dollar|value of|because|due to|caused?|thanks to)\b/i,
      );
    },
  );

  it.each(Object.entries(CLAIMS))('%s has no number of its own', (_, claim) => {
    expect(numbersIn(claim)).toEqual([]);
    expect(claim).toMatch(/\.$/);
    expect(sentencesIn(claim)).toHaveLength(1);
  });

  it.each([
    'Bitcoin will stay congested tomorrow.',
    'Fees are likely to fall over the next week.',
    'The price of Bitcoin rose 4 % in the week.',
    'Transactions averaged 308,425 a day over the last week because of a new exchange.',
    'This is a good time to buy.',
    'The label was bullish: more use than usual and block space scarce.',
    'The strongest driver was optimism, above its usual: 5 lately against 4.',
    'Confidence was certain: the estimated probability that hindsight gives the same label was 100 %.',
    'Transactions averaged many a day over the last week.',
    'Blocks were 98 % full and fees should rise.',
    'Solana turned congested on 2024-01-01: more use than usual and block space scarce.',
  ])('make no place for: %s', (sentence) => {
    expect(claimOf(sentence)).toBeUndefined();
  });

  it.each([
    [' more than', ' less than'],
    [' less than', ' more than'],
    [', above its usual', ', below its usual'],
    [', below its usual', ', above its usual'],
    ['Confidence was high', 'Confidence was low'],
    ['younger than two weeks', 'XX'],
  ])('are judged for their truth: with %s turned to %s a brief is found out', (said, turned) => {
    const told = drawn.filter(({ brief }) => brief.body.includes(said));
    expect(told.length).toBeGreaterThan(0);
    for (const { brief, records } of told.slice(0, 20)) {
      const lie = {
        ...brief,
        body: brief.body.replace(said, turned),
        markdown: brief.markdown.replace(said, turned),
      };
      expect(findBriefFaults(lie, records).join('\n')).toMatch(/that is not so|no claim says/);
    }
  });

  it('are judged with their numbers: one that no record has is found out', () => {
    const told = drawn.find(({ brief }) => brief.facts.some(({ id }) => id === 'gold.metrics.tx_count'));
    if (told === undefined) throw new Error('no brief tells of transactions');
    const { brief, records } = told;
    const [day = ''] = /The day had [\d,.]+(?: \w+)? transactions/.exec(brief.body) ?? [];
    const body = brief.body.replace(day, 'The day had 7,654,321 transactions');
    const facts = brief.facts.map((fact) =>
      fact.id === 'gold.metrics.tx_count' ? { ...fact, value: 7_654_321 } : fact,
    );
    expect(findBriefFaults({ ...brief, body }, records)).toContain('7,654,321 is no fact');
    expect(findBriefFaults({ ...brief, body, facts }, records)).toContain(
      'gold.metrics.tx_count is not what the record says',
    );
  });
});
