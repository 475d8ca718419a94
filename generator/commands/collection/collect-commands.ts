import { formatShellCommand, withoutOption, wordsOfOption } from '../../../infra/process/shell-command.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectionResult } from '../../collect/collect-chains.js';
import type { AcceptableValue } from '../../collect/collect-report.js';
import type { CommandLine } from '../common/accept-command.js';
import { formatNamed, type NamedValue } from './accept-values.js';
import { REASON_PLACEHOLDER } from '../common/options.js';

/** Options of a run of `collect` that a proposed command omits or replaces. */
const OWN_VALUES = ['--accept', '--reason', '--chain', '--report'];
const OWN_FLAGS = ['--dry-run', '--json', '--quiet', '--log-json'];

/** Returns the command line that accepts values of a chain, with all other options that were given. */
export function formatAcceptValues(
  { program, args }: CommandLine,
  chain: Chain,
  values: readonly AcceptableValue[],
): string {
  const [, ...options] = OWN_VALUES.reduce(withoutOption, args).filter((arg) => !OWN_FLAGS.includes(arg));
  const accepts = values.flatMap((each) => ['--accept', formatNamed(each)]);
  const own = ['--chain', chain, ...accepts, '--reason', REASON_PLACEHOLDER];
  return formatShellCommand([...program, 'collect', ...options, ...own]);
}

/** Returns the command line that compares the form of a chain's sources with what their adapters expect. */
export function formatSourcesCheck({ program, args }: CommandLine, chain: Chain): string {
  const named = ['--policy', '--from', '--input', '--endpoint'].flatMap((option) =>
    wordsOfOption(args, option),
  );
  return formatShellCommand([...program, 'sources', 'check', ...named, '--chain', chain]);
}

/** Returns a message for each `--accept` that has had no effect, with the reason. */
export function findUnused(accept: readonly NamedValue[], { chains }: CollectionResult): string[] {
  const results = [...chains.values()];
  const lines = results.flatMap((each) => each.lines);
  const days = results.flatMap((each) => each.days);
  const kept = results.flatMap(({ state }) => state.decisions ?? []);
  return accept.flatMap((named) => {
    const { date, metric, value } = named;
    const taken = lines.findLast((line) => line.date === date && line.values[metric] !== undefined);
    const said = days.findLast((day) => day.date === date)?.said?.[metric];
    if (value !== undefined && said !== undefined && said !== value)
      return [`--accept ${formatNamed(named)} accepted nothing: the source has ${said} now, not ${value}.`];
    if (taken !== undefined) return [];
    if (kept.some((each) => each.date === date && each.metric === metric)) {
      const lacking = days.findLast((day) => day.date === date)?.missing.join(', ') ?? '';
      return [
        `--accept ${formatNamed(named)} takes effect when the source also has ${lacking} for the date.`,
      ];
    }
    return [
      `--accept ${formatNamed(named)} changed nothing: the value is already accepted, the source does not have it, or the date is too old to be read again.`,
    ];
  });
}
