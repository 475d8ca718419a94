import { readdir, readFile } from 'node:fs/promises';
import { createDayWriters, type DayWriters } from '../../../../generator/core/records/day-writers.js';
import { writeBrief } from '../../../../generator/core/brief/brief.js';
import type { DayRecords } from '../../../../generator/core/brief/narrator.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS, CHAINS } from '../../../../schemas/catalog.js';
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

  it('states that there is no label, and why', () => {
    const unlabelled = generated.filter(({ brief }) => brief.regime.label === 'indeterminate');
    expect(unlabelled.length).toBeGreaterThan(0);
    for (const { brief } of unlabelled) {
      expect(brief.headline).toMatch(/had no label on|had no data for/);
      expect(brief.body).toMatch(
        /could not be computed|needed for a regime|The input had no row|None of the metrics/,
      );
      expect(brief.body).toContain('Confidence is only stated for days with a label.');
    }
  });

  it('states that all metrics are missing on a date without a row', () => {
    const missing = generated.filter(({ brief }) => brief.status === 'missing');
    expect(missing.length).toBeGreaterThan(0);
    for (const { brief } of missing) {
      expect(brief.headline).toBe(`${CHAINS[brief.chain].name} had no data for ${brief.date}.`);
      expect(brief.body).toContain('All metrics were missing on this day.');
    }
  });

  it('names the missing signals, only when there are some', () => {
    const kinds = { missing: 0, complete: 0 };
    for (const { brief, records } of generated) {
      const { missing_signals: missing } = records.meta.confidence;
      expect(brief.body.includes('Missing signals, ')).toBe(missing.length > 0);
      kinds[missing.length > 0 ? 'missing' : 'complete'] += 1;
    }
    expect(Object.values(kinds).every((days) => days > 0)).toBe(true);
  });

  it('explains a missing label with missing inputs when a row has no methodology input', () => {
    const unlabelled = generated.find(({ brief }) => brief.status === 'degraded');
    if (unlabelled === undefined) throw new Error('no day is degraded');
    const { records } = unlabelled;
    const metrics = Object.fromEntries(Object.keys(records.gold.metrics).map((metric) => [metric, null]));
    const { body } = writeBrief(
      { ...records, gold: { ...records.gold, metrics } },
      texts.methodology,
      texts.brief,
    );
    expect(body).toContain('None of the metrics needed for a label was available.');
    expect(body).not.toContain('could not be computed');
  });

  it('describes the only available axis', () => {
    const labelled = generated.find(({ brief }) => brief.status === 'available');
    if (labelled === undefined) throw new Error('no day is labelled');
    const { meta, ...others } = labelled.records;
    const axes = { ...meta.regime.axes, demand: { z: null, level: null } };
    const regime = { ...meta.regime, label: 'indeterminate' as const, axes };
    const { body } = writeBrief({ ...others, meta: { ...meta, regime } }, texts.methodology, texts.brief);
    expect(body).toMatch(/Pressure was (low|normal|high) at -?\d/);
    expect(body).toContain('The demand axis could not be computed');
  });

  it('covers the claims that never occur in the real history', () => {
    const written = new Set(
      generated.flatMap(({ brief: { headline, body } }) => [headline, ...sentencesIn(body)].map(claimOf)),
    );
    const rare = [
      'headline.missing',
      'unlabelled.no_row',
      'day.new_addresses',
      'day.fee_median',
      'missing.none',
      'missing.all',
    ];
    expect(rare.filter((claim) => !written.has(claim))).toEqual([]);
  });

  it('names every missing metric of the day', () => {
    for (const { brief, records } of generated) {
      const lacking = Object.values(records.gold.metrics).filter((value) => value === null).length;
      const named = /Missing on this day: (.*)\.$/.exec(brief.body)?.[1]?.split(', ').length;
      const isAllMissing = brief.body.includes('All metrics were missing on this day.');
      expect(named ?? (isAllMissing ? lacking : 0)).toBe(lacking);
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
    'Transactions averaged 308,425 a day over the last week because of a new exchange.',
    'This is a good time to buy.',
    'The label was bullish: more use than usual and block space scarce.',
    'The strongest driver was optimism, above its usual level: 5 recently, compared with 4.',
    'Confidence was certain: the estimated probability that hindsight gives the same label was 100 %.',
    'Transactions averaged many a day over the last week.',
    'Blocks were 98 % full and fees should rise.',
    'Solana turned congested on 2024-01-01: more use than usual and block space scarce.',
  ])('match no sentence such as: %s', (sentence) => {
    expect(claimOf(sentence)).toBeUndefined();
  });

  it.each([
    [' more than', ' less than'],
    [' less than', ' more than'],
    [', above its usual', ', below its usual'],
    [', below its usual', ', above its usual'],
    ['Confidence was high', 'Confidence was low'],
    ['less than two weeks old', 'XX'],
  ])('are checked for truth: replacing %s with %s is detected', (words, opposite) => {
    const cases = generated.filter(({ brief }) => brief.body.includes(words));
    expect(cases.length).toBeGreaterThan(0);
    for (const { brief, records } of cases.slice(0, 20)) {
      const wrong = {
        ...brief,
        body: brief.body.replace(words, opposite),
        markdown: brief.markdown.replace(words, opposite),
      };
      expect(findBriefFaults(wrong, records).join('\n')).toMatch(/false claim|unknown sentence/);
    }
  });

  it('are checked with their numbers: a number in no record is detected', () => {
    const found = generated.find(({ brief }) => brief.facts.some(({ id }) => id === 'gold.metrics.tx_count'));
    if (found === undefined) throw new Error('no brief mentions transactions');
    const { brief, records } = found;
    const [day = ''] = /The day had [\d,.]+(?: \w+)? transactions/.exec(brief.body) ?? [];
    const body = brief.body.replace(day, 'The day had 7,654,321 transactions');
    const facts = brief.facts.map((fact) =>
      fact.id === 'gold.metrics.tx_count' ? { ...fact, value: 7_654_321 } : fact,
    );
    expect(findBriefFaults({ ...brief, body }, records)).toContain('7,654,321 is not in the facts');
    expect(findBriefFaults({ ...brief, body, facts }, records)).toContain(
      'gold.metrics.tx_count differs from the record',
    );
  });
});
