import type { Duration } from 'aws-cdk-lib';
import { Stats, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { EXIT_CODES, type ExitName } from '../../../generator/core/generator-error.js';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { ENDPOINTS, FILES_PATH } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';

/** Filters for lines of a log, by the metric that counts them. */
type Filters = Readonly<Record<string, string>>;

/** Filters for the log of the gateway. */
export const GATEWAY_FILTERS = {
  FilesUnavailable: `{ ($.route = "${FILES_PATH}*") && ($.decision = "store-unavailable") }`,
  WebhookFailures: `{ ($.route = "${ENDPOINTS.webhook}") && ($.status >= 500) }`,
  WebhookRefusals: `{ ($.route = "${ENDPOINTS.webhook}") && ($.decision = "webhook-signature-invalid") }`,
  BillingAlerts: '{ ($.alert = "*") }',
} as const satisfies Filters;

/** Matches the report of a run of `command` that ended with one of `exits`. */
function ended(command: string, ...exits: readonly ExitName[]): string {
  const codes = exits.map((exit) => `($.exit.code = ${EXIT_CODES[exit].code})`).join(' || ');
  return `{ ($.command = "${command}") && (${codes}) }`;
}

/**
 * Filters for the log of the tasks. A run has ended well if a person has nothing to do, or if another alarm or mail says what:
 * about a refusal, a hold, damage, or a source that is late or has revised its values.
 */
export const TASK_FILTERS = {
  PublishEnded: ended('publish', 'done', 'refused', 'held'),
  PublishRefused: ended('publish', 'refused'),
  MonitorEnded: ended('status', 'done', 'refused', 'damaged'),
  StoreDamaged: ended('status', 'damaged'),
} as const satisfies Filters;

/** Filters for the log of the tasks, if metrics are collected. */
export const COLLECT_FILTERS = {
  CollectEnded: ended('collect', 'done', 'refused', 'damaged'),
  SourceLateOrRevised: ended('collect', 'refused', 'damaged'),
} as const satisfies Filters;

type MetricOptions = { readonly namespace: string; readonly period: Duration };

/** Creates metrics that count lines of a log. */
export function createCounts<Name extends string>(
  scope: Construct,
  logGroup: ILogGroup,
  { filters, namespace, period }: MetricOptions & { readonly filters: Readonly<Record<Name, string>> },
): Readonly<Record<Name, Metric>> {
  const metrics = Object.entries<string>(filters).map(([name, pattern]) => {
    const filter = new MetricFilter(scope, `${name}Filter`, {
      logGroup,
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace: namespace,
      metricName: name,
      metricValue: '1',
      defaultValue: 0,
    });
    return [name, filter.metric({ period, statistic: Stats.SUM })];
  });
  return Object.fromEntries(metrics) as Record<Name, Metric>; // one for each filter
}

/** The ages that the monitor reports. */
export type Ages = {
  /** Whole days since the current release was published. */
  readonly release: Metric;
  /** Whole days since the end of the last available date of each chain. */
  readonly chains: Readonly<Record<Chain, Metric>>;
  /** Whole days until readers refuse the key set or the release key. It has no values if releases are not signed. */
  readonly keysLeft: Metric;
};

/** Creates metrics with the ages in the reports of the monitor. */
export function createAges(
  scope: Construct,
  logGroup: ILogGroup,
  { namespace, period }: MetricOptions,
): Ages {
  const create = (name: string, member: string): Metric => {
    const value = `$.result.${member}`;
    const filter = new MetricFilter(scope, `${name}Filter`, {
      logGroup,
      filterPattern: FilterPattern.literal(`{ ($.command = "status") && (${value} >= 0) }`),
      metricNamespace: namespace,
      metricName: name,
      metricValue: value,
    });
    return filter.metric({ period, statistic: Stats.MAXIMUM });
  };
  const lagOf = (chain: Chain): Metric => create(`Lag-${chain}`, `chains.${chain}.lag_days`);
  return {
    release: create('ReleaseAge', 'age_days'),
    keysLeft: create('KeysDaysLeft', 'signing.keys_days_left'),
    chains: Object.fromEntries(CHAIN_IDS.map((chain) => [chain, lagOf(chain)])) as Record<Chain, Metric>, // one for each
  };
}
