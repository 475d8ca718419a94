import { readdir, readFile } from 'node:fs/promises';
import { createDayWriters, type DayWriters } from '../../../../generator/core/records/day-writers.js';
import { writeBrief } from '../../../../generator/core/brief/brief.js';
import type { DayRecords } from '../../../../generator/core/brief/narrator.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS, CHAINS, LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import type { BriefDay, Chain } from '../../../../schemas/types.generated.js';
import { assertValid } from '../../../../schemas/validate.js';
import {
  CLAIMS,
  claimOf,
  findBriefFaults,
  numbersIn,
  sentencesIn,
} from '../../../support/release/brief-judge.js';
import { randomSeries } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const SEEDS = Math.max(4, Math.round(Number(process.env['CRD_SEEDS'] ?? '40') / 50));
const PROVENANCE = { revision: '2026-01-01.000001', updatedThrough: '2026-01-01' };

type Case = { readonly brief: BriefDay; readonly records: DayRecords };

function write(writers: DayWriters, t: number): Case {
  const record = (schema: string): unknown => writers.write(schema, t, PROVENANCE);
  return {
    brief: assertValid('brief-day', record('brief-day/1')),
    records: {
      meta: assertValid('meta-day', record('meta-day/1')),
      gold: assertValid('gold-day', record('gold-day/1')),
      derived: assertValid('derived-day', record('derived-day/1')),
    },
  };
}

function writeAll(chain: Chain, seed: number): Case[] {
  const missing = [0, 0.02, 0.3][seed % 3] ?? 0;
  const series = randomSeries({ chain, seed, days: 460, missingCells: missing, missingRows: missing / 4 });
  const writers = createDayWriters(series, texts);
  return series.dates.flatMap((_, t) => (t % 5 === 0 || t > 440 ? [write(writers, t)] : []));
}

const generated = CHAIN_IDS.flatMap((chain) =>
  Array.from({ length: Math.ceil(SEEDS / 4) }, (_, i) => writeAll(chain, i * 7 + chain.length)).flat(),
);

function find(isWanted: (each: Case) => boolean): Case {
  const found = generated.find(isWanted);
  if (found === undefined) throw new Error('no such day was drawn');
  return found;
}

function isLabelled({ regime }: BriefDay): boolean {
  return regime.label !== 'indeterminate';
}

function rewrite(records: DayRecords): ReturnType<typeof writeBrief> {
  return writeBrief(records, texts.methodology, texts.brief);
}

describe('a brief', () => {
  it('contains only sentences from the templates, with numbers from its records', () => {
    const faults = generated.flatMap(({ brief, records }) =>
      findBriefFaults(brief, records).map((fault) => `${brief.chain} ${brief.date}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it('matches the current templates in the examples of the schema too', async () => {
    const folder = new URL('../../../../schemas/examples/valid/brief-day/', import.meta.url);
    const names = await readdir(folder);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      const { headline, body } = JSON.parse(await readFile(new URL(name, folder), 'utf8')) as BriefDay;
      for (const sentence of [headline, ...sentencesIn(body)]) {
        expect([sentence, claimOf(sentence)]).toEqual([sentence, expect.any(String)]);
      }
    }
  });

  it('contains the regime of the meta record unchanged', () => {
    for (const { brief, records } of generated) expect(brief.regime).toEqual(records.meta.regime);
  });

  it('says once what its label means', () => {
    for (const { brief } of generated.filter((each) => isLabelled(each.brief))) {
      const parts = `${brief.headline} ${brief.body}`.split(LABEL_MEANINGS[brief.regime.label]);
      expect(parts).toHaveLength(2);
    }
  });

  it('states that there is no label, and why', () => {
    const unlabelled = generated.filter(({ brief }) => brief.regime.label === 'indeterminate');
    expect(unlabelled.length).toBeGreaterThan(0);
    for (const { brief } of unlabelled) {
      expect(`${brief.headline} ${brief.body}`).toMatch(/no label|without a label|no data for/);
      expect(brief.body).toMatch(/: (the input had no row|none of the metrics|.*data quality was [\d.]+ %)/);
    }
  });

  it('says in the headline that a date without a row has no data', () => {
    const missing = generated.filter(({ brief }) => brief.status === 'missing');
    expect(missing.length).toBeGreaterThan(0);
    for (const { brief } of missing)
      expect(brief.headline).toBe(`${CHAINS[brief.chain].name} had no data for ${brief.date}.`);
  });

  it('explains a missing label with missing inputs when a row has no methodology input', () => {
    const { records } = find(({ brief }) => brief.status === 'degraded');
    const metrics = Object.fromEntries(Object.keys(records.gold.metrics).map((metric) => [metric, null]));
    const { body } = rewrite({ ...records, gold: { ...records.gold, metrics } });
    expect(body).toContain('none of the metrics that a label needs had a value');
    expect(body).not.toContain('could not be computed');
  });

  it('names only the signals that an axis without a value needs', () => {
    const { records } = find(
      ({ brief: { regime, body } }) => regime.run_days > 1 && / without enough values of /.test(body),
    );
    const axes = {
      ...records.meta.regime.axes,
      pressure: { z: null, level: null },
      demand: { z: 0, level: 'normal' },
    } as const;
    const missing_signals = ['active_addresses', 'fee_median', 'utilization'];
    const { body } = rewrite({
      ...records,
      meta: {
        ...records.meta,
        regime: { ...records.meta.regime, axes },
        confidence: { ...records.meta.confidence, missing_signals },
      },
    });
    expect(body).toContain(
      ': pressure could not be computed without enough values of median fee; data quality',
    );
  });

  it('names each metric that has no value, but had some within the week', () => {
    const gone = generated.filter(({ brief }) => brief.body.includes('Missing on this day: '));
    expect(gone.length).toBeGreaterThan(0);
    for (const { brief, records } of gone) {
      const { gold, derived } = records;
      const names = Object.entries(derived.metrics).filter(
        ([name, { ma7 }]) => ma7 !== null && gold.metrics[name as keyof typeof gold.metrics] === null,
      );
      expect(/Missing on this day: (.*)\.$/.exec(brief.body)?.[1]?.split(/, | and /)).toHaveLength(
        names.length,
      );
    }
  });

  it('does not say how a metric without a value moved over the week', () => {
    const said = /Averaged over the week, [^;]*transactions [^;]*; there had been no label/;
    const { records } = find(({ brief }) => said.test(brief.body));
    const metrics = { ...records.gold.metrics, tx_count: null };
    expect(rewrite({ ...records, gold: { ...records.gold, metrics } }).body).not.toMatch(said);
  });

  it('begins with a record of all history, and not with the same metric on a day on which it moved little', () => {
    const { records } = find(
      ({ brief, records: { derived } }) =>
        brief.regime.run_days > 1 &&
        isLabelled(brief) &&
        (derived.metrics.active_addresses?.change_1d ?? 0) > 0.2,
    );
    const { tx_count: summary } = records.derived.metrics;
    if (summary === undefined) throw new Error('every chain has transactions');
    const extreme = { quantity: 'tx_count', kind: 'highest', compared: 900, last_reached: null } as const;
    const withRecord = (value: number): string =>
      rewrite({
        ...records,
        gold: { ...records.gold, metrics: { ...records.gold.metrics, tx_count: value } },
        derived: {
          ...records.derived,
          metrics: {
            ...records.derived.metrics,
            tx_count: { ...summary, ma30: 100_000, change_1d: value / 100_000 - 1 },
          },
          extremes: [{ ...extreme, window: 'history', rank: 1 }],
        },
      }).headline;
    expect(withRecord(500_000)).toContain(
      ': transactions (500,000) were the highest of all 900 days on record.',
    );
    expect(withRecord(101_000)).not.toContain('were the highest');
  });

  it('has a table with a row for each metric that has a value', () => {
    for (const { brief, records } of generated) {
      const values = Object.values(records.gold.metrics).filter((value) => value !== null).length;
      const ratios = [records.derived.fee_mean, records.derived.utilization ?? null].filter(
        (ratio) => ratio !== null,
      );
      expect(brief.markdown.match(/^\| /gm)).toHaveLength(2 + values + ratios.length);
    }
  });

  it('states every fact once, in the order of the text', () => {
    for (const { brief } of generated) {
      const ids = brief.facts.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });
});

describe('the claims', () => {
  it.each(Object.entries(CLAIMS))('%s contains no promise, advice, price or cause', (_, claim) => {
    const words = claim.replaceAll('mean gas price', '').replace(/\{\{\w+\}\}/g, '');
    expect(words).not.toMatch(
      /\b(will|shall|expect\w*|predict\w*|forecast\w*|likely|should|could be|may|might|tomorrow|next (?:day|week)|buy|sell|invest\w*|bullish|bearish|price\w*|usd|dollar|value of|because|due to|caused?|thanks to)\b/i,
    );
  });

  it.each(Object.entries(CLAIMS))('%s has no number of its own', (_, claim) => {
    expect(numbersIn(claim)).toEqual([]);
    expect(claim).toMatch(/\.$/);
    expect(sentencesIn(claim)).toHaveLength(1);
  });

  it.each([
    'Bitcoin will stay congested tomorrow.',
    'Fees are likely to fall over the next week.',
    'The price of Bitcoin rose 4 % in the week.',
    'Fees (5 BTC) were the highest of all 900 days on record because of an airdrop.',
    'Bitcoin on 2024-04-20, the day of the halving: fees (1,206 BTC) were the highest since 2017-12-22.',
    'This is a good time to buy.',
    'Against the day before, optimism rose 5 %.',
    'Against the day before, fees rose a lot.',
    'Optimism (5) was the highest since 2017-12-22.',
    'The label describes the week; on this day alone, fees were cheap.',
    'Solana turned congested on 2024-01-01: more use than usual and block space scarce.',
  ])('match no sentence such as: %s', (sentence) => {
    expect(claimOf(sentence)).toBeUndefined();
  });

  it.each([
    [' rose ', ' fell '],
    [' fell ', ' rose '],
    ['confidence was', 'confidence was 1'],
    [', high, and', ', low, and'],
    [' were the highest', ' were the lowest'],
    [' were the highest', ' were the second-highest'],
    ['all scores flat', 'all scores rising'],
    ['the highest tenth', 'the lowest tenth'],
    ['had held for ', 'had held for 1'],
    ['data quality was ', 'data quality was 1'],
  ])('are checked for truth: replacing %s with %s is detected', (words, other) => {
    const cases = generated.filter(({ brief }) => brief.markdown.includes(words));
    expect(cases.length).toBeGreaterThan(0);
    for (const { brief, records } of cases.slice(0, 20)) {
      const replaced = (text: string): string => text.replaceAll(words, other);
      const { headline, body, markdown } = brief;
      const wrong = {
        ...brief,
        headline: replaced(headline),
        body: replaced(body),
        markdown: replaced(markdown),
      };
      expect(findBriefFaults(wrong, records).join('\n')).toMatch(/false claim|unknown sentence/);
    }
  });

  it('are checked for completeness: a record that is not mentioned is detected', () => {
    const { brief, records } = find(({ records: { derived } }) =>
      derived.extremes.some(({ rank }) => rank === 1),
    );
    const { quantity } = records.derived.extremes.find(({ rank }) => rank === 1) ?? { quantity: '' };
    const silent = {
      ...brief,
      headline: `${CHAINS[brief.chain].name} had no label on ${brief.date}.`,
      body: '',
    };
    expect(findBriefFaults(silent, records).join('\n')).toContain(`${quantity} `);
  });

  it('are checked with their numbers: a number in no record is detected, in a sentence and in the table', () => {
    const { brief, records } = find(({ brief: { body } }) => / rose [\d.]+ % to [\d.,]+/.test(body));
    const body = brief.body.replace(/( rose [\d.]+ % to )[\d.,]*\d/, '$17,654,321');
    expect(findBriefFaults({ ...brief, body }, records)).toContain('7,654,321 is not in the facts');
    const [fact] = brief.facts.filter(({ id }) => id.startsWith('gold.'));
    const facts = brief.facts.map((each) => (each === fact ? { ...each, value: 7_654_321 } : each));
    expect(findBriefFaults({ ...brief, facts }, records)).toContain(
      `${fact?.id ?? ''} differs from the record`,
    );
    const markdown = brief.markdown.replace(/^(\| transactions \| )[^|]*/m, '$17 ');
    expect(findBriefFaults({ ...brief, markdown }, records)).toContain('the table differs from the records');
  });
});
