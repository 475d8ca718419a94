import type { InputSeries } from '../../generator/core/input/input-series.js';
import { computeRegimes } from '../../generator/core/methodology/regime-series.js';
import { createDayWriters } from '../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS, metricsOf } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import { inHindsight } from '../../scripts/calibration/hindsight.js';
import { assertValid } from '../../schemas/validate.js';
import { randomSeries, withoutMetrics } from '../support/release/random-series.js';
import { applyEdit, farReachingEdits, type Edit } from './drawn-edits.js';
import { readHistory, seriesOf } from './history-data.js';
import { drawnEdits, readEditedHistory } from './late-edit-input.js';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Methodology } from '../../schemas/types.generated.js';

const PROGRAM = fileURLToPath(new URL('../python/methodology/recompute_batch.py', import.meta.url));

/** A series to compute with a methodology, with the derived records of its dates or without. */
type RecomputedSeries = {
  readonly series: InputSeries;
  readonly methodology: Methodology;
  readonly derived: boolean;
};

/** The label of a date, the determinism hash of its meta record, and the digest of its derived metrics and ratios. */
type RecomputedDay = readonly [label: string, hash: string, derived: string | null];

/**
 * Computes all series with the methodology of the published Python client, in one run of Python 3.11 without packages.
 * Shape: a list per series, with an element per date, same order.
 * @throws Error with the output of Python if it fails.
 */
async function recomputeInPython(all: readonly RecomputedSeries[]): Promise<RecomputedDay[][]> {
  const child = spawn('python3', [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined); // the exit code says why Python ended early
  for (const { series, ...rest } of all) {
    const supported = metricsOf(series.chain);
    child.stdin.write(`${JSON.stringify({ ...series, ...rest, supported })}\n`);
  }
  child.stdin.end();
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`python3 ${PROGRAM} ended with ${code}:\n${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecomputedDay[]); // output of the program
}

const texts = await readProductTexts();
const { methodology } = texts;

const history = await readHistory();
const edited = await readEditedHistory();
/** Every fifth edit is computed, because each takes a second; all of them if their number is chosen (CRD_EDITS). */
const STEP = process.env['CRD_EDITS'] === undefined ? 5 : 1;
const edits = [...drawnEdits(edited).filter((_, i) => i % STEP === 0), ...farReachingEdits(edited)];
const applied = edits.map((edit: Edit) => applyEdit(seriesOf(edited, edit.chain), edit));
/** Series in which every kind of value is missing somewhere: cells, rows, and a metric throughout. */
const holed = CHAIN_IDS.flatMap((chain, seed) => {
  const series = randomSeries({ chain, seed, days: 400, missingCells: 0.02 });
  const sparse = randomSeries({ chain, seed, days: 400, missingCells: 0.3, missingRows: 0.05 });
  return [series, sparse, withoutMetrics(series, [seed % 2 === 0 ? 'active_addresses' : 'fee_median'])];
});
/** The chains whose labels in hindsight are compared: the shorter ones, to save time. */
const young = history.filter(({ chain }) => chain === 'arbitrum' || chain === 'base');

const cases: readonly RecomputedSeries[] = [
  ...history.map((series) => ({ series, methodology, derived: true })),
  ...young.map((series) => ({ series, methodology: inHindsight(methodology), derived: false })),
  ...applied.map((series) => ({ series, methodology, derived: true })),
  ...holed.map((series) => ({ series, methodology, derived: true })),
];

/** Returns what the generator computes for each date, in the same form. */
function computeHere({ series, derived }: RecomputedSeries): RecomputedDay[] {
  const writers = createDayWriters(series, texts);
  const provenance = { revision: '2026-01-01.000001', updatedThrough: '2026-01-01' };
  return series.dates.map((_, t) => {
    const { label, determinism_hash: hash } = writers.meta(t, provenance).regime;
    return [label, hash, derived ? digestOf(writers.write('derived-day/1', t, provenance)) : null];
  });
}

/** Returns the digest of the metrics and ratios of a derived record. */
function digestOf(record: object): string {
  const { schema: _s, chain: _c, date: _d, ...rest } = assertValid('derived-day', record);
  const { updated_through: _u, published_revision: _r, methodology_version: _v, ...values } = rest;
  return sha256Hex(canonicalJson(values));
}

let python: readonly RecomputedDay[][];
beforeAll(async () => {
  python = await recomputeInPython(cases);
}, 300_000);

/** Returns the first differences on the given series, and the number of dates compared. */
function compare(of: readonly InputSeries[]): { readonly dates: number; readonly differing: unknown[] } {
  const compared = cases.flatMap((each, n) =>
    of.includes(each.series) ? [{ each, found: python[n] ?? [] }] : [],
  );
  const own = compared.filter(({ each }) => each.methodology === methodology);
  const differing = own.flatMap(({ each, found }) =>
    computeHere(each).flatMap((here, t) =>
      canonicalJson(here) === canonicalJson(found[t] ?? null)
        ? []
        : [{ chain: each.series.chain, date: each.series.dates[t], here, python: found[t] }],
    ),
  );
  const dates = own.reduce((sum, { found }) => sum + found.length, 0);
  return { dates, differing: differing.slice(0, 3) };
}

describe("the Python client's independent methodology", () => {
  it('has the meta and derived record of the generator on every date of the real history', () => {
    expect(compare(history)).toEqual({ dates: 12_354, differing: [] });
  });

  it('has its label in hindsight on every date of arbitrum and base', () => {
    young.forEach((series, n) => {
      const labels = python[history.length + n]?.map(([label]) => label);
      expect(labels).toEqual(computeRegimes(series, inHindsight(methodology)).labels);
    });
  });

  it('has the number of labels in the methodology', () => {
    const labelled = history.map(({ chain }, n) => [
      chain,
      python[n]?.filter(([label]) => label !== 'indeterminate').length,
    ]);
    expect(labelled).toEqual([
      ['bitcoin', 5621],
      ['ethereum', 3825],
      ['arbitrum', 755],
      ['base', 88],
    ]);
  });

  it(`has its meta and derived record after each of ${edits.length} late edits, on every date`, () => {
    const { dates, differing } = compare(applied);
    expect(differing).toEqual([]);
    expect(dates).toBeGreaterThan(300 * edits.length);
  });

  it('has its meta and derived record where cells, rows or a whole metric are missing', () => {
    expect(compare(holed)).toEqual({ dates: 4 * 3 * 400, differing: [] });
  });
});
