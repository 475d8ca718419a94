/** Counts how many true dates the rules of the collection would not have accepted by themselves. */
import { Command } from 'commander';
import { formatTable } from '../../../infra/process/format-table.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DatedValues } from '../../../generator/core/collection/day-values.js';
import { EXIT_CODES, GeneratorError } from '../../../generator/core/generator-error.js';
import { formatInputFault } from '../../../generator/core/input/input-series.js';
import { toDirectory } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { JUDGED, judgeHistory, toDays, type Stop } from './judge-history.js';

const FACTORS = [
  ['counts', [2, 3, 4, 5, 6]],
  ['drops', [1.5, 2, 3]],
  ['others', [10, 20, 50]],
] as const;

type History = { readonly chain: Chain; readonly days: readonly DatedValues[] };

async function readHistories(folder: string): Promise<History[]> {
  const { series, faults } = await readInput({ folder: toDirectory(folder), asOfMs: Date.now() });
  if (faults.length > 0) throw new GeneratorError('input-invalid', faults.map(formatInputFault).join('\n'));
  return series.map((each) => ({ chain: each.chain, days: toDays(each) }));
}

const datesIn = (stops: readonly Stop[]): number => new Set(stops.map(({ date }) => date)).size;

function formatRules(histories: readonly History[], since: string): string {
  const rows = histories.map(({ chain, days }) => {
    const rules = DEFAULT_RULES[chain];
    const stops = judgeHistory(chain, days, rules, since);
    const required = stops.filter(({ metric }) => rules.required.includes(metric));
    const counts = JUDGED.map((each) => datesIn(stops.filter(({ judged }) => judged === each)));
    const judged = days.filter(({ date }) => date >= since).length;
    return [chain, judged, ...counts, datesIn(stops), datesIn(required)];
  });
  return formatTable(['chain', 'dates', ...JUDGED, 'any', 'a required metric'], rows);
}

function formatFactors(histories: readonly History[], since: string): string {
  const rows = histories.map(({ chain, days }) => {
    const rules = DEFAULT_RULES[chain];
    const cells = FACTORS.flatMap(([name, factors]) =>
      factors.map((factor) => {
        const jumpFactor = { ...rules.jumpFactor, [name]: factor };
        const stops = judgeHistory(chain, days, { ...rules, jumpFactor }, since);
        return datesIn(stops.filter(({ judged }) => judged === name));
      }),
    );
    return [chain, ...cells];
  });
  const names = FACTORS.flatMap(([name, factors]) => factors.map((factor) => `${name} ${factor}`));
  return formatTable(['chain', ...names], rows);
}

function formatStops(histories: readonly History[], since: string): string {
  const stops = histories.flatMap(({ chain, days }) =>
    judgeHistory(chain, days, DEFAULT_RULES[chain], since),
  );
  const rows = stops.map(({ chain, date, judged, message }) => [chain, date, judged, message]);
  return formatTable(['chain', 'date', 'rule', 'finding'], rows);
}

const program = new Command('calibrate:collection')
  .description(
    'Counts how many true dates the rules of the collection would not have accepted by themselves.',
  )
  .requiredOption('--input <dir>', 'directory with <chain>.csv and sources.json')
  .option('--since <date>', 'first date to judge', '')
  .option('--list', 'also list each finding');
const { input, since, list } = program.parse().opts<{ input: string; since: string; list?: boolean }>();
try {
  const histories = await readHistories(input);
  const parts = [formatRules(histories, since), formatFactors(histories, since)];
  if (list) parts.push(formatStops(histories, since));
  process.stdout.write(`${parts.join('\n\n')}\n`);
} catch (error) {
  if (!(error instanceof GeneratorError)) throw error;
  process.stderr.write(`calibrate:collection: ${error.message}\n`);
  process.exitCode = EXIT_CODES[error.exit].code;
}
