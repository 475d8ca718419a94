import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS, LABEL_MEANINGS, METRICS } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import { methodologyDigest } from '../../schemas/methodology.js';
import data from '../../schemas/methodology/v1.json' with { type: 'json' };
import { assertValid, findSchemaFaults } from '../../schemas/validate.js';

const v1 = assertValid('methodology', data);
const text = readFileSync(new URL('../../schemas/methodology/v1.md', import.meta.url), 'utf8');
const prose = text.replace(/\s+/g, ' ');
/** Cells of every table row, without backticks and asterisks. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replace(/[`*]/g, '').trim()),
  );

describe('the text of the methodology', () => {
  it('is a text file: LF, one final newline, ASCII', () => {
    expect(findSchemaFaults('text', text)).toEqual([]);
    expect(text).toMatch(/^[\n -~]*[^\n]\n$/);
  });

  it('has lines of at most 110 columns, except in tables', () => {
    const long = text.split('\n').filter((line) => line.length > 110 && !line.startsWith('|'));
    expect(long).toEqual([]);
  });

  it('names files by their paths below /api/v1/, no folders of the repository, and no open tasks', () => {
    const files = text.match(/[\w./[\]-]*\w\.(?:md|json|js|mjs|ts|csv|txt|py)\b/g) ?? [];
    const served = files.filter((file) => file.startsWith('/api/v1/'));
    const named = new Set(served.map((file) => path.posix.basename(file)));
    expect(files.filter((file) => !served.includes(file) && !named.has(file))).toEqual([]);
    expect(text).not.toMatch(/TODO|scripts?\/|generator\/|gateway\/|schemas?\//);
  });
});

describe('the numbers in the text of the methodology', () => {
  it.each(Object.entries(METRICS))('equal the catalog for the metric %s', (name, { unit, chains }) => {
    expect(rowOf(name)).toEqual([name, unit, listOf(chains)]);
  });

  it.each(v1.signals)('equal the data for the signal $signal', (options) => {
    const cells = rowOf(options.dimension, options.signal) ?? [];
    const [unit, transform, minScale, weight, chains] = cells.slice(3);
    expect({ unit, transform, min_scale: Number(minScale), weight: Number(weight), chains }).toEqual({
      unit: v1.quantities[options.signal]?.unit,
      transform: options.transform,
      min_scale: options.min_scale,
      weight: options.weight,
      chains: listOf(options.chains),
    });
  });

  it('list the signals of the data, in the same order', () => {
    const listed = rows
      .filter((cells) => cells.length === 8 && Number(cells[6]) > 0)
      .map((cells) => cells[1]);
    expect(listed).toEqual(v1.signals.map(({ signal }) => signal));
  });

  it.each(Object.entries(v1.quantities))('equal the data for the quantity %s', (_name, { forms }) => {
    for (const { numerator, denominators } of forms) {
      const divisor = denominators.length > 1 ? `(${denominators.join(' * ')})` : denominators.join();
      expect(prose).toContain(`\`${[numerator, divisor].filter((part) => part !== '').join(' / ')}\``);
    }
  });

  it.each(v1.derived.ratios)('equal the data for the derived ratio %s', (name) => {
    const { unit, forms } = v1.quantities[name] ?? {};
    const chains = forms?.flatMap((form) => form.chains) ?? [];
    expect(rows.filter((cells) => cells.length === 4 && cells[0] === name)).toEqual([
      [name, expect.any(String), unit, listOf(chains)],
    ]);
  });

  it.each(CHAIN_IDS)('include the methodology inputs of %s', (chain) => {
    const names = v1.signals
      .filter(({ chains }) => chains.includes(chain))
      .flatMap(({ signal }) => v1.quantities[signal]?.forms ?? [])
      .filter(({ chains }) => chains.includes(chain))
      .flatMap(({ numerator, denominators }) => [numerator, ...denominators]);
    const inputs = new Set(names.filter((name) => typeof name === 'string'));
    expect(new Set(rowOf(chain)?.[1]?.split(' '))).toEqual(inputs);
  });

  it.each(['high', 'normal', 'low'] as const)('equal the labels of the data for %s demand', (demand) => {
    const { low, normal, high } = v1.labels[demand];
    expect(rowOf(`demand ${demand}`)).toEqual([`demand ${demand}`, low, normal, high]);
  });

  it.each(Object.entries(LABEL_MEANINGS))('equal the meaning in the catalog for %s', (label, meaning) => {
    expect(rowOf(label)).toEqual([label, meaning]);
  });

  it.each(sentences())('equal the data: %s', (sentence) => {
    expect(prose).toContain(sentence);
  });
});

describe('the test vectors in the text of the methodology', () => {
  const [day = '', record = ''] = [...text.matchAll(/```\n(\{[^`]*\})\n```/g)].map(([, block = '']) =>
    block.replaceAll('\n', ''),
  );

  it('are the digests of the object in the text', () => {
    const digest = createHash('sha256').update(day).digest();
    expect(text).toContain(digest.toString('hex'));
    expect(text).toContain(createHash('sha256').update(digest).digest('hex'));
  });

  it('are the digest of the record in the text, which has the members of the table', () => {
    const value = JSON.parse(record) as Record<string, unknown>;
    expect(canonicalJson(value)).toBe(record);
    expect(text).toContain(`\`determinism_hash\` is \`${sha256Hex(record)}\``);
    expect(value['methodology']).toMatchObject({ sha256: methodologyDigest(v1) });
    const start = rows.findIndex((cells) => cells.join() === 'member,value') + 2;
    const listed = rows.slice(start, start + 10).flatMap(([members = '']) => members.split(', '));
    expect(listed.sort()).toEqual(Object.keys(value).sort());
  });
});

/** Returns the table row that starts with these cells. */
function rowOf(...start: string[]): string[] | undefined {
  return rows.find((cells) => start.every((cell, index) => cells[index] === cell));
}

function listOf(chains: readonly string[]): string {
  return chains.length === CHAIN_IDS.length ? 'all' : chains.join(', ');
}

/** Formats a window as in the text: `[t-6, t]`. */
function span({ from_day, to_day }: { from_day: number; to_day: number }): string {
  const day = (offset: number) => (offset === 0 ? 't' : `t${offset > 0 ? '+' : ''}${offset}`);
  return `[${day(from_day)}, ${day(to_day)}]`;
}

/** Returns the window of the last `days` dates. */
function last(days: number): string {
  return span({ from_day: 1 - days, to_day: 0 });
}

/** Returns sentences that the text must contain, made from the data that the generator uses. */
function sentences(): string[] {
  return [...signalSentences(), ...labelSentences(), ...recordSentences()];
}

function signalSentences(): string[] {
  const { smoothing, baseline, axes, pressure } = v1;
  const [most, fewest] = smoothing.trim;
  const [cost, capacity] = axes.pressure;
  const days = smoothing.window.to_day - smoothing.window.from_day + 1;
  const baselineDays = baseline.window.to_day - baseline.window.from_day + 1;
  return [
    `in the ${days} dates ${span(smoothing.window)}`,
    `k = ${most?.drop_each_end} for ${most?.min_values} or ${days} values`,
    `k = ${fewest?.drop_each_end} for ${fewest?.min_values} or ${(most?.min_values ?? 0) - 1}.`,
    `Missing when fewer than ${fewest?.min_values} are available`,
    `in the ${baselineDays} dates ${span(baseline.window)}. Missing when fewer than ${baseline.min_values}.`,
    `max(${baseline.mad_factor} * median(|s - m|), min scale)`,
    `round${v1.rounding.signal_decimals}((s(t) - m) / scale), -${v1.z_limit}, ${v1.z_limit})`,
    `round${v1.rounding.combined_decimals}((${cost?.weight} * cost + ${capacity?.weight} * clip(capacity, -${pressure.capacity_bound}, ${pressure.capacity_bound}))`,
    `\`sig${v1.rounding.significant_digits}(x)\` is the double nearest to the decimal of ${v1.rounding.significant_digits}`,
    `[t-${v1.determinism.input_days - 1}, t] of the working series`,
  ];
}

function labelSentences(): string[] {
  const { enter, exit } = v1.levels;
  const { completeness, depth, density, minimum } = v1.data_quality;
  const enterText = enter.toFixed(1);
  return [
    `if high and z < ${exit}: normal; if low and z > -${exit}: normal`,
    `if z >= ${enterText}: high; if z <= -${enterText}: low`,
    `is below ${minimum}, compared after its round9`,
    `(available x in ${last(completeness.days)}) / ${completeness.days};`,
    `also when fewer than ${v1.baseline.min_values}) / ${depth.values})`,
    `(available x in ${last(density.days)}) / ${density.days}.`,
    `(${completeness.weight} * C + ${depth.weight} * D + ${density.weight} * E) / W`,
    `level normal \`${enterText} - |z|\`; high \`z - ${exit}\`; low \`-z - ${exit}\``,
  ];
}

function recordSentences(): string[] {
  const { confidence, scorecard, derived, hindsight, rounding } = v1;
  const { missing } = confidence;
  const [high, moderate, low] = confidence.levels;
  const limit = confidence.run_limit_days;
  return [
    `run = \`min(run_days, ${limit}) / ${limit}\``,
    `|round9(z(t) - z(t-${confidence.speed_lag_days}))|`,
    `p = 1 / (1 + exp(-(${confidence.intercept} + ${confidence.margin} * clip(margin, 0, ${confidence.margin_limit})` +
      ` + ${confidence.run} * run - ${-confidence.speed} * min(${confidence.speed_limit}, speed))))`,
    `round${rounding.confidence_decimals}(p * (1 - ${missing.demand} * d) * (1 - ${missing.cost} * c) * (1 - ${missing.capacity} * k))`,
    `\`${high?.level}\` for a score >= ${high?.min_score}, \`${moderate?.level}\` for a score >= ${moderate?.min_score}, else \`${low?.level}\``,
    `${span(hindsight.smoothing_window)} in place of ${span(v1.smoothing.window)}`,
    `round${rounding.score_decimals}(${scorecard.scale} / (1 + exp(-${scorecard.slope} * z)))`,
    `z(t-${scorecard.trend_lag_days}))\` >= ${scorecard.trend_threshold} \`rising\`, <= -${scorecard.trend_threshold}`,
    `in ${last(derived.ma7.days)}, ${last(derived.ma30.days)}, needing ${derived.ma7.min_values} and ${derived.ma30.min_values}`,
    `ma7(t) / ma7(t-${derived.change_7d.lag_days}) - 1`,
    `ma7(t) / ma7(t-${derived.change_30d.lag_days}) - 1`,
    `the dates ${last(derived.percentile_365d.days)}, the day's own available and at least ${derived.percentile_365d.min_values}`,
    `and then ${derived.extremes.ratios.map((name) => `\`${name}\``).join(' and ')}; of a quantity`,
    `then \`365d\`, the dates ${last(derived.extremes.year.days)}.`,
    `its \`rank\` is at most ${derived.extremes.max_rank},`,
    `at least ${derived.extremes.history.min_values} values (\`history\`) or ${derived.extremes.year.min_values} (\`365d\`)`,
    `|round9(value / mean - 1)| >= ${derived.extremes.min_distance}`,
  ];
}
