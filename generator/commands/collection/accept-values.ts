import { InvalidArgumentError, Option } from 'commander';
import { METRICS } from '../../../schemas/catalog.js';
import { parseDate } from '../../../schemas/dates.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import type { Acceptances } from '../../collect/policy/chain-plan.js';
import { toMetricValue } from '../../core/collection/values/metric-value.js';
import { suggestSimilar } from '../../../infra/process/choice.js';
import { GeneratorError } from '../../core/generator-error.js';

/** A value of a date, as `--accept` names it. Without `value`, whatever the source gives is accepted. */
export type NamedValue = { readonly date: string; readonly metric: MetricName; readonly value?: string };

/** Returns the option whose values a person accepts. */
export function acceptOption(): Option {
  return new Option(
    '--accept <date:metric=value>',
    'accept a value that a rule withholds, or a revision that it keeps back, if the source still gives it; without =value, whatever it gives; repeatable, needs --chain and --reason',
  ).argParser(addAccepted);
}

/** Returns what the options of a command line accept, for its chain. @throws GeneratorError 'usage' */
export function acceptancesOf({
  accept,
  reason,
  chain,
}: {
  readonly accept?: readonly NamedValue[];
  readonly reason?: string;
  readonly chain?: readonly Chain[];
}): Map<Chain, Acceptances> | undefined {
  if (accept === undefined) {
    if (reason === undefined) return undefined;
    throw new GeneratorError('usage', '--reason needs --accept <date:metric=value>.');
  }
  const [only, ...others] = chain ?? [];
  if (only === undefined || others.length > 0 || reason === undefined) {
    throw new GeneratorError('usage', '--accept needs one --chain, and --reason "<public reason>".');
  }
  const accepts: Acceptances['accepts'] = (date, metric, value) =>
    accept.some(
      (each) =>
        each.date === date &&
        each.metric === metric &&
        (each.value === undefined || value === undefined || each.value === value),
    );
  return new Map([[only, { accepts, reason }]]);
}

/** Returns a value as `--accept` names it. */
export function formatNamed({ date, metric, value }: NamedValue): string {
  return `${date}:${metric}${value === undefined ? '' : `=${value}`}`;
}

/** Returns a suggestion for the name of a metric, not for the whole `date:metric=value`. */
function suggestMetric(name: string): string {
  return suggestSimilar(name, Object.keys(METRICS))
    .replace(/[()\n]/g, ' ')
    .trimEnd();
}

function addAccepted(text: string, before: readonly NamedValue[] | undefined): readonly NamedValue[] {
  const [, date = '', name = '', given] = /^([^:=]*):([^:=]*)(?:=([^=]+))?$/.exec(text) ?? [];
  const metric = Object.keys(METRICS).find((each) => each === name) as MetricName | undefined; // keys of METRICS
  const read = metric === undefined || given === undefined ? {} : toMetricValue(metric, given);
  if (parseDate(date) === undefined || metric === undefined || 'expected' in read)
    throw new InvalidArgumentError(
      `Write a date, a metric and its value, as the report does: 2026-08-19:tx_count=1250000.${suggestMetric(name)}`,
    );
  return [...(before ?? []), { date, metric, ...read }];
}
