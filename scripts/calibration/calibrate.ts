/** Refits the confidence score on real history and measures the numbers in the Evidence section of the methodology. */
import { Command } from 'commander';
import { formatTable } from '../../infra/process/format-table.js';
import { EXIT_CODES, GeneratorError } from '../../generator/core/generator-error.js';
import { formatInputFault } from '../../generator/core/input/input-series.js';
import { toDirectory } from '../../generator/input/input-folder.js';
import { readInput } from '../../generator/input/read-input.js';
import { currentMethodology } from '../../schemas/methodology.js';
import { TESTED_FROM, toCalibrationReport, type CalibrationReport } from './calibration-report.js';
import { judgeDays } from './hindsight.js';
import { measureMissingSignals, type MissingSignals } from './missing-signals.js';

type Report = CalibrationReport & { readonly missing_signals: readonly MissingSignals[] };

async function calibrate(folder: string): Promise<Report> {
  const { series, faults } = await readInput({ folder: toDirectory(folder), asOfMs: Date.now() });
  if (faults.length > 0) throw new GeneratorError('input-invalid', faults.map(formatInputFault).join('\n'));
  const methodology = currentMethodology();
  const days = series.flatMap((each) => judgeDays(each, methodology));
  return {
    ...toCalibrationReport(days, methodology.confidence),
    missing_signals: series.flatMap((each) => measureMissingSignals(each, methodology)),
  };
}

function formatCalibration(report: Report): string {
  return [
    `${report.labelled} labelled days, ${report.compared} of them also in hindsight`,
    formatFit(report),
    formatErrors(report),
    formatLabels(report),
    formatScores(report),
    formatChains(report),
    formatMissing(report),
  ].join('\n\n');
}

function formatMissing({ missing_signals: cases }: Report): string {
  const rows = cases.map(({ chain, signals, days, complete, without }) => [
    chain,
    signals.join(', '),
    days,
    ...[complete, without].flatMap(({ score, agreement }) => [score.toFixed(3), agreement.toFixed(3)]),
  ]);
  const gaps = cases.map(({ without: { score, agreement } }) => Math.abs(score - agreement));
  const head = [
    'chain',
    'missing',
    'days',
    'mean score, complete',
    'agreement',
    'mean score, without',
    'agreement',
  ];
  return `${formatTable(head, rows)}\n\nlargest gap: ${Math.max(...gaps).toFixed(3)} in ${cases.length} cases`;
}

function formatFit({ coefficients: { published, refitted } }: CalibrationReport): string {
  const names = ['intercept', 'margin', 'run', 'speed'] as const;
  const rows = names.map((name) => [name, published[name], refitted[name].toFixed(5)]);
  return formatTable(['coefficient', 'methodology', 'refitted'], rows);
}

function formatErrors({ calibration_error: error }: CalibrationReport): string {
  const early = `fitted before ${TESTED_FROM}`;
  return formatTable(
    ['coefficients', 'days', 'calibration error'],
    [
      ['methodology', 'all', error.unreduced.toFixed(5)],
      ['methodology, reduced for missing signals', 'all', error.published.toFixed(5)],
      ['refitted', 'all', error.refitted.toFixed(5)],
      [early, 'the same', error.before.toFixed(5)],
      [early, 'all others', error.from.toFixed(5)],
    ],
  );
}

function formatLabels({ labels }: CalibrationReport): string {
  const rows = labels.map(({ label, days, mean_score: meanScore, hit_share: hitShare, gap }) => [
    label,
    days,
    ...[meanScore, hitShare, gap].map((share) => share.toFixed(4)),
  ]);
  return formatTable(['label', 'days', 'mean score', 'accuracy', 'gap'], rows);
}

function formatScores({ scores }: CalibrationReport): string {
  const rows = scores.map(({ from, to, days, ...shares }) => [
    `${from} to ${to}`,
    days,
    ...[shares.mean_score, shares.hit_share, shares.kept_share].map((share) => share.toFixed(3)),
  ]);
  return formatTable(['score', 'days', 'mean score', 'equals hindsight', 'same three days later'], rows);
}

function formatChains({ chains }: CalibrationReport): string {
  const rows = Object.entries(chains).map(([chain, stability]) => [
    chain,
    stability.labelled,
    stability.changes_per_30_days.toFixed(2),
    stability.compared,
    stability.agreement.toFixed(3),
  ]);
  return formatTable(['chain', 'labelled', 'changes per 30 days', 'compared', 'agreement'], rows);
}

const program = new Command('calibrate')
  .description(
    'Refits the confidence score on real history and measures the stability and calibration of the labels.',
  )
  .requiredOption('--input <dir>', 'directory with <chain>.csv and sources.json')
  .option('--json', 'print one JSON document');
const { input, json } = program.parse().opts<{ input: string; json?: boolean }>();
try {
  const report = await calibrate(input);
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : formatCalibration(report)}\n`);
} catch (error) {
  if (!(error instanceof GeneratorError)) throw error;
  process.stderr.write(`calibrate: ${error.message}\n`);
  process.exitCode = EXIT_CODES[error.exit].code;
}
