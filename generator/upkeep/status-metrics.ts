import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import { type RuleId, RULES } from '../core/collection/collection-rules.js';
import type { CollectedChain, CollectionStatus } from './collection-status.js';
import type { StoreStatus } from './inspect-store.js';

/** One value of a metric. A null value is not written. */
type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number | null };

type StatusToMeasure = Pick<StoreStatus, 'published_at' | 'chains' | 'refusals' | 'signing'>;

type Gauge = { readonly name: string; readonly help: string; readonly samples: readonly Sample[] };

/** Returns a status as metrics in the text format of Prometheus. `nowMs` is the time at which the status was read. */
export function formatStatusMetrics(
  status: StatusToMeasure,
  collection: CollectionStatus | undefined,
  nowMs: number,
): string {
  const gauges = [
    ...toStoreGauges(status, nowMs),
    ...(collection === undefined ? [] : toCollectionGauges(collection)),
  ];
  return gauges.map(formatGauge).join('');
}

function toStoreGauges(
  { published_at: publishedAt, chains, refusals, signing }: StatusToMeasure,
  nowMs: number,
): Gauge[] {
  return [
    {
      name: 'generator_status_timestamp_seconds',
      help: 'When these values were read.',
      samples: [{ value: Math.floor(nowMs / 1000) }],
    },
    {
      name: 'generator_release_timestamp_seconds',
      help: 'When the release in force was published.',
      samples: [{ value: publishedAt === null ? null : toSeconds(publishedAt) }],
    },
    {
      name: 'generator_published_date_timestamp_seconds',
      help: 'Start of the newest published date.',
      samples: ofChains(chains, ({ updated_through: through }) => toSeconds(through)),
    },
    {
      name: 'generator_refusals',
      help: 'Refusals of publish that wait for a person.',
      samples: [{ value: refusals.length }],
    },
    {
      name: 'generator_signature_expiry_timestamp_seconds',
      help: 'When readers begin to refuse the release unless a run renews its timestamp; 0 if they already refuse it.',
      samples: [{ value: signing && firstOf(signing.timestamp_expires, signing.keys_expire) }],
    },
    {
      name: 'generator_signing_keys_expiry_timestamp_seconds',
      help: 'When the key set or the release key expires unless it is renewed with the root key; 0 if readers already refuse one.',
      samples: [{ value: signing && firstOf(signing.keys_expire) }],
    },
  ];
}

function toCollectionGauges({ chains, as_of: asOf }: CollectionStatus): Gauge[] {
  const gauge = (name: string, help: string, valueOf: (chain: CollectedChain) => number | null): Gauge => ({
    name: `generator_collected_${name}`,
    help,
    samples: ofChains(chains, valueOf),
  });
  return [
    {
      name: 'generator_collected_change_timestamp_seconds',
      help: 'When a collection changed something for the last time.',
      samples: [{ value: toSeconds(asOf) }],
    },
    gauge('date_timestamp_seconds', 'Start of the newest date with accepted values.', ({ through }) =>
      through === null ? null : toSeconds(through),
    ),
    gauge(
      'late_seconds',
      'Seconds since the deadline of the date after the newest accepted one, 0 before it.',
      ({ late_seconds: late }) => late,
    ),
    gauge('awaited_dates', 'Dates that lack a required metric.', ({ awaited }) => awaited.length),
    gauge(
      'overdue_dates',
      'Awaited dates whose deadline has passed.',
      ({ awaited }) => awaited.filter(({ overdue }) => overdue).length,
    ),
    gauge(
      'drifts',
      'Differences between accepted values and their source that wait for a person.',
      ({ drifts }) => drifts.length,
    ),
    {
      name: 'generator_collected_withheld_values',
      help: 'Required values of awaited dates that a rule keeps back.',
      samples: (Object.keys(RULES) as RuleId[]).flatMap((rule) =>
        // keys of RULES
        ofChains(chains, (chain) => countWithheld(chain, rule), { rule }),
      ),
    },
  ];
}

function countWithheld({ awaited }: CollectedChain, rule: RuleId): number {
  return awaited.flatMap(({ withheld }) => Object.values(withheld)).filter((each) => each === rule).length;
}

function ofChains<T>(
  chains: { readonly [chain in Chain]?: T },
  valueOf: (chain: T) => number | null,
  labels: Sample['labels'] = {},
): Sample[] {
  return CHAIN_IDS.flatMap((chain) => {
    const found = chains[chain];
    return found === undefined ? [] : [{ labels: { chain, ...labels }, value: valueOf(found) }];
  });
}

/** Returns the seconds of the first of some instants; 0 if one is null. */
function firstOf(...instants: readonly (string | null)[]): number {
  return Math.min(...instants.map((instant) => (instant === null ? 0 : toSeconds(instant))));
}

/** Returns the seconds since the epoch of a date or an instant. */
function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

/** Formats a gauge. Names of chains and rules need no escape. */
function formatGauge({ name, help, samples }: Gauge): string {
  const lines = samples.flatMap(({ labels = {}, value }) => {
    const named = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return value === null ? [] : [`${name}${named.length === 0 ? '' : `{${named.join(',')}}`} ${value}\n`];
  });
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
