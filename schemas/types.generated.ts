// Generated from schemas/json by `npm run types:generate`. Do not edit.

/**
 * Id of an account at the identity provider, the `sub` of its sessions; at most 255 bytes.
 */
export type AccountId = string;
/**
 * Name that the owner gave a key.
 */
export type KeyLabel = string;
/**
 * An RFC 3339 timestamp in UTC, in whole seconds.
 */
export type Instant = string;
/**
 * Name of a plan.
 */
export type Plan = 'single-chain' | 'research';
/**
 * Name of a chain. Together with `date` it is the join key.
 */
export type Chain = 'bitcoin' | 'ethereum' | 'arbitrum' | 'base';
/**
 * A public sentence, at most 200 printable characters.
 */
export type Reason = string;
/**
 * Number of the release in its store, starting at 1.
 */
export type Sequence = number;
/**
 * An API key: mode, id, secret, and the CRC-32 (IEEE 802.3) of everything before it as six base-62 digits, most significant first, padded with 0. The digits are 0-9A-Za-z in this order. The pattern does not verify the checksum; the valid examples have the correct one.
 */
export type ApiKeyText = string;
/**
 * A UTC day, the half-open interval [00:00, 24:00).
 */
export type CalendarDate = string;
/**
 * UTC date of the publication run and its number on that date, starting at 1.
 */
export type Revision = string;
/**
 * Version of the methodology.
 */
export type MethodologyVersion = string;
/**
 * available: the label is decided; degraded: there is an input row, but the label is indeterminate; missing: no input row.
 */
export type DayStatus = 'available' | 'degraded' | 'missing';
/**
 * The regime of a day.
 */
export type RegimeLabel =
  'congested' | 'expanding' | 'strained' | 'steady' | 'slack' | 'quiet' | 'dormant' | 'indeterminate';
/**
 * Level of an axis or dimension after hysteresis.
 */
export type Level = 'low' | 'normal' | 'high';
/**
 * SHA-256 in lowercase hexadecimal.
 */
export type Sha256 = string;
/**
 * Kind of subscriber file.
 */
export type Genre = 'meta' | 'gold' | 'derived' | 'briefs';
/**
 * Number of dates in a bundle.
 */
export type Window = 'latest' | '7d' | '30d' | '90d' | '365d';
/**
 * Name of a source. It does not begin like a formula of a spreadsheet, because CSV files contain it.
 */
export type SourceName = string;
/**
 * Name of a source in the policy.
 */
export type CollectionStateSource = string;
export type MetricName =
  | 'tx_count'
  | 'active_addresses'
  | 'new_addresses'
  | 'transfer_count'
  | 'failed_tx_count'
  | 'block_count'
  | 'block_weight'
  | 'block_size'
  | 'gas_used'
  | 'gas_limit_mean'
  | 'gas_price_mean'
  | 'fees_total'
  | 'fee_median'
  | 'l1_fees_total'
  | 'hash_rate'
  | 'difficulty'
  | 'issuance';
/**
 * A value as exact decimal text.
 */
export type CollectionStateValue = string;
/**
 * Size in bytes.
 */
export type ByteCount = number;
/**
 * Path of the file below the base URL.
 */
export type UrlPath = string;
export type MediaType = string;
/**
 * Status of a listed date. withdrawn: published, and no longer served after a rollback.
 */
export type EntryStatus = 'available' | 'degraded' | 'missing' | 'withdrawn';
/**
 * Level of the confidence, by its score.
 */
export type ConfidenceLevel = 'high' | 'moderate' | 'low';
export type Trend = 'rising' | 'flat' | 'falling';
/**
 * Freshness at publication, according to expected_lag_days and stale_after_days.
 */
export type Freshness = 'fresh' | 'late' | 'stale';
export type Dimension = 'demand' | 'cost' | 'capacity';
export type AxisName = 'demand' | 'pressure';
/**
 * Expected signals without a z on the date, in the order of the methodology; empty when all have one.
 */
export type MissingSignals = string[];
/**
 * The data from which the values were computed, so that a stranger can repeat them.
 */
export type LineageEvidence = LineageObjects | LineageResponses | LineageNode;
/**
 * The entries of the glossary.
 */
export type GlossaryEntries = GlossaryEntry[];
/**
 * Name of the signed site, usually its address. It keeps sites with the same root key apart.
 */
export type SignedSite = string;
/**
 * Public key as JWK (RFC 7517): Ed25519 or P-256.
 */
export type PublicKey = Ed25519Key | P256Key;
/**
 * 32 bytes in Base64url.
 */
export type KeyCoordinate = string;
/**
 * SHA-256 thumbprint of a public key (RFC 7638) in Base64url.
 */
export type KeyThumbprint = string;
export type AxisTerms = AxisTerm[];
export type RefusalLine = string;
/**
 * Rows of the regime calendar, before conversion to CSV.
 */
export type RegimeCalendar = RegimeCalendarRow[];
export type SiteLine = string;
/**
 * The https URL of a page.
 */
export type SitePage = string;
export type SiteAnswer = string;
/**
 * What runs the SQL on public raw data; DuckDB in this process if absent.
 */
export type PolicyEngine = DuckDbPolicy | TrinoPolicy | AthenaPolicy;
export type PolicySource =
  | AwsPolicy
  | SonarxPolicy
  | GrowthepiePolicy
  | CoinMetricsPolicy
  | EvmNodePolicy
  | BitcoinNodePolicy
  | FilesPolicy;
/**
 * Where the operator has it in writing that the data may be sold, for a source whose licence does not say so.
 */
export type SourcesPolicyStatement = string;
export type SourcesPolicyVariable = string;
export type SourcesPolicyName = string;
/**
 * A public text file: UTF-8, LF line ends, one newline at the end.
 */
export type TextFile = string;

export interface Contract {
  account?: Account;
  'account.account_id'?: AccountId;
  'account.plan'?: Plan;
  'account.label'?: KeyLabel;
  'account.key'?: AccountKey;
  'account.billing'?: Billing;
  'account.subscription'?: AccountSubscription;
  'account.grant'?: ManualGrant;
  aliases?: AliasMark;
  'api-key'?: ApiKeyText;
  'brief-day'?: BriefDay;
  'brief-day.fact'?: BriefFact;
  bundle?: Bundle;
  changes?: Changes;
  'changes.span'?: DateSpan;
  'changes.entry'?: ReleaseChanges;
  'changes.chain'?: ChainChanges;
  'chart-events'?: ChartEvents;
  'chart-metrics'?: ChartMetrics;
  chart?: Chart;
  'collection-state'?: CollectionState;
  'collection-state.chain_state'?: ChainState;
  'collection-state.schedule'?: ChainSchedule;
  'collection-state.awaited_date'?: AwaitedDate;
  'collection-state.drift'?: Drift;
  'collection-state.source'?: CollectionStateSource;
  'collection-state.value'?: CollectionStateValue;
  'collection-state.values'?: TextValues;
  collection?: CollectionPointer;
  'collection.file'?: CollectedFile;
  'common.chain'?: Chain;
  'common.genre'?: Genre;
  'common.window'?: Window;
  'common.date'?: CalendarDate;
  'common.instant'?: Instant;
  'common.revision'?: Revision;
  'common.sha256'?: Sha256;
  'common.bytes'?: ByteCount;
  'common.sequence'?: Sequence;
  'common.methodology_version'?: MethodologyVersion;
  'common.url_path'?: UrlPath;
  'common.chain_holds'?: ChainHolds;
  'common.reason'?: Reason;
  'common.media_type'?: MediaType;
  'common.label'?: RegimeLabel;
  'common.day_status'?: DayStatus;
  'common.entry_status'?: EntryStatus;
  'common.level'?: Level;
  'common.confidence_level'?: ConfidenceLevel;
  'common.trend'?: Trend;
  'common.freshness'?: Freshness;
  'common.metric_name'?: MetricName;
  'common.dimension'?: Dimension;
  'common.axis_name'?: AxisName;
  'common.source_segment'?: SourceSegment;
  'common.source_name'?: SourceName;
  'common.source_schedule'?: SourceSchedule;
  'common.regime'?: Regime;
  'common.axis'?: Axis;
  'common.confidence'?: Confidence;
  'common.missing_signals'?: MissingSignals;
  'common.score'?: DimensionScore;
  'common.scorecard'?: Scorecard;
  'common.driver'?: Driver;
  'day-lineage'?: DayLineage;
  'derived-day'?: DerivedDay;
  'derived-day.summary'?: MetricSummary;
  'derived-day.extreme'?: Extreme;
  entitlements?: Entitlements;
  'entitlements.grant'?: EntitlementsGrant;
  'entitlements.subscription'?: EntitlementsSubscription;
  events?: ChainEvents;
  'events.regime'?: RegimeEvent;
  'events.correction'?: CorrectionEvent;
  'events.span'?: CorrectedSpan;
  'events.stale'?: StaleEvent;
  'events.stale_end'?: StaleEnd;
  'feature-schema'?: FeatureSchema;
  gc?: GcMark;
  'glossary-entries'?: GlossaryEntries;
  glossary?: Glossary;
  'gold-day'?: GoldDay;
  'key-record'?: KeyRecord;
  'key-set'?: KeySet;
  'key-set.site'?: SignedSite;
  'key-set.thumbprint'?: KeyThumbprint;
  'key-set.public_key'?: PublicKey;
  'key-set.coordinate'?: KeyCoordinate;
  'key-set.release_key'?: ReleaseKey;
  'key-usage'?: KeyUsage;
  landing?: Landing;
  'landing.chain'?: ChainLanding;
  'ledger-line'?: LedgerLine;
  lineage?: Lineage;
  'lineage.objects'?: LineageObjects;
  'lineage.responses'?: LineageResponses;
  'lineage.node'?: LineageNode;
  'lineage.finding'?: LineageFinding;
  manifest?: Manifest;
  'manifest.revision'?: ManifestRevision;
  'manifest.date'?: ManifestDate;
  'manifest.superseded'?: SupersededDay;
  'manifest.volume'?: ManifestVolume;
  'manifest.volume_file'?: VolumeFile;
  'meta-day'?: MetaDay;
  'methodology-versions'?: MethodologyVersions;
  methodology?: Methodology;
  'methodology.day_offsets'?: DayOffsets;
  'methodology.mean'?: MeanSettings;
  'methodology.change'?: ChangeSettings;
  'methodology.coverage'?: CoverageSettings;
  'methodology.axis_terms'?: AxisTerms;
  'methodology.label_row'?: LabelRow;
  openapi?: OpenApi;
  pointer?: Pointer;
  reason?: Reason;
  refusal?: RefusalMark;
  'refusal.line'?: RefusalLine;
  'refusal.refused'?: RecordedRefusal;
  'regime-calendar'?: RegimeCalendar;
  regimes?: Regimes;
  'regimes.run_length'?: RunLength;
  'regimes.level_share'?: LevelShare;
  'regimes.to_year'?: RegimesToYear;
  'release-record'?: ReleaseRecord;
  'release-record.file'?: FileEntry;
  'release-record.chain'?: RecordChain;
  'release-statement'?: ReleaseStatement;
  release?: PublicRelease;
  releases?: Releases;
  'site-files'?: SiteFiles;
  site?: Site;
  'site.line'?: SiteLine;
  'site.answer'?: SiteAnswer;
  'site.page'?: SitePage;
  'sources-policy'?: SourcesPolicy;
  'sources-policy.name'?: SourcesPolicyName;
  'sources-policy.variable'?: SourcesPolicyVariable;
  'sources-policy.statement'?: SourcesPolicyStatement;
  'sources-policy.engine'?: PolicyEngine;
  'sources-policy.source'?: PolicySource;
  'sources-policy.chain'?: PolicyChain;
  'sources-policy.rules'?: PolicyRules;
  sources?: Sources;
  'sources.file_check'?: FileCheck;
  status?: Status;
  'status.chain'?: ChainStatus;
  'store-check'?: StoreCheck;
  store?: StoreMark;
  summary?: Summary;
  text?: TextFile;
  thresholds?: Thresholds;
  timestamp?: Timestamp;
  volume?: Volume;
}
/**
 * accounts/<hex SHA-256 of the account id>.json: the grants, keys and billing state of an account. A key that is not listed here is not valid.
 */
export interface Account {
  schema: 'account/1';
  account: AccountId;
  /**
   * The account's keys by id.
   */
  keys: {
    [k: string]: AccountKey;
  };
  /**
   * Grants by operators, at most one for each plan and chain.
   */
  grants: ManualGrant[];
  billing?: Billing;
  deleted_at?: Instant;
}
export interface AccountKey {
  label: KeyLabel | null;
  created_at: Instant;
  revoked_at: Instant | null;
}
export interface ManualGrant {
  plan: Plan;
  /**
   * The chain of a Single Chain plan; null for all chains.
   */
  chain: Chain | null;
  since: Instant;
  until: Instant;
  reason: Reason;
  origin: 'manual';
}
/**
 * The account's customer at Stripe. Absent if the account has never started a checkout.
 */
export interface Billing {
  customer: string;
  checkout: CheckoutAttempt;
  /**
   * The subscriptions by id, as last read from Stripe.
   */
  subscriptions: {
    [k: string]: AccountSubscription;
  };
  /**
   * The most recently processed events, newest first.
   */
  events: string[];
}
/**
 * The current or next checkout attempt.
 */
export interface CheckoutAttempt {
  attempt: number;
  /**
   * The checkout session of this attempt; null before it is created.
   */
  session: CheckoutSession | null;
}
export interface CheckoutSession {
  opened_at: Instant;
  id: string;
  plan: Plan;
  chain: Chain | null;
}
export interface AccountSubscription {
  /**
   * Stripe's status of the subscription.
   */
  status: string;
  /**
   * Result of applying the subscription, as in the table of outcomes.
   */
  outcome: string;
  plan: Plan | null;
  chain: Chain | null;
  since: Instant;
  /**
   * Time at which access ends at the latest; null if the subscription grants no access.
   */
  until: Instant | null;
  period_end: Instant | null;
  cancel_at: Instant | null;
}
/**
 * aliases.json: sequence of the release that the public copies are up to date with.
 */
export interface AliasMark {
  schema: 'aliases/1';
  sequence: Sequence;
}
/**
 * Description of one day of one chain in plain sentences and a table, with a list of all numbers that they contain.
 */
export interface BriefDay {
  schema: 'brief-day/1';
  chain: Chain;
  date: CalendarDate;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  status: DayStatus;
  /**
   * The most remarkable fact of the day, or else the state, in one sentence.
   */
  headline: string;
  /**
   * Continues the headline: what was extreme or changed, then the label, then what is missing. Paragraphs are separated by an empty line.
   */
  body: string;
  /**
   * Headline and body as Markdown, and a table of the metrics.
   */
  markdown: string;
  /**
   * Every number and date of the text and the table, in the order of first mention.
   */
  facts: BriefFact[];
  regime: Regime;
}
export interface BriefFact {
  /**
   * Genre and path of the record field that contains the value.
   */
  id: string;
  value: number | CalendarDate;
  unit: string;
}
export interface Regime {
  label: RegimeLabel;
  since: CalendarDate;
  /**
   * Number of consecutive dates with this label, including this one.
   */
  run_days: number;
  /**
   * Label of the date before `since`; null in the first run.
   */
  previous_label: RegimeLabel | null;
  axes: Axes;
  determinism_hash: Sha256;
}
export interface Axes {
  demand: Axis;
  pressure: Axis;
}
/**
 * Position on one axis; null when missing.
 */
export interface Axis {
  z: number | null;
  level: Level | null;
}
/**
 * The latest N dates of one genre and chain. Each element equals the day file of its date.
 */
export interface Bundle {
  schema: 'bundle/1';
  genre: Genre;
  chain: Chain;
  window: Window;
  first_date: CalendarDate;
  last_date: CalendarDate;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  days: {}[];
}
/**
 * Changes of the last 90 releases, newest first.
 */
export interface Changes {
  schema: 'changes/1';
  published_revision: Revision;
  published_at: Instant;
  sequence: Sequence;
  methodology_version: MethodologyVersion;
  releases: ReleaseChanges[];
}
export interface ReleaseChanges {
  revision: Revision;
  sequence: Sequence;
  published_at: Instant;
  chains: ChangesChains;
  /**
   * Why published days were restated or rolled back, or publication was held; at the end of a hold, the reason of that hold. Otherwise null.
   */
  reason: Reason | null;
  /**
   * Reason of the hold of everything that the release began; null if it ended one. Absent if it did neither.
   */
  hold?: Reason | null;
  holds?: HoldChanges;
  /**
   * Revision that was rolled back to; null if the release is not a rollback.
   */
  rollback: Revision | null;
}
export interface ChangesChains {
  bitcoin?: ChainChanges;
  ethereum?: ChainChanges;
  arbitrum?: ChainChanges;
  base?: ChainChanges;
}
export interface ChainChanges {
  updated_through: CalendarDate;
  new: DateSpan | null;
  restated: DateSpan | null;
  withdrawn: DateSpan | null;
  label_changes: LabelChange[];
  /**
   * Sources that differ from those of the release before, with their licences; absent if none do.
   */
  sources_changed?: SourceChange[];
}
/**
 * Number of dates, and the first and last of them.
 */
export interface DateSpan {
  days: number;
  first_date: CalendarDate;
  last_date: CalendarDate;
}
export interface LabelChange {
  date: CalendarDate;
  from: RegimeLabel;
  to: RegimeLabel;
}
export interface SourceChange {
  from: SourceSegment | null;
  to: SourceSegment | null;
}
/**
 * Provider of the values from a date on, with its licence.
 */
export interface SourceSegment {
  from?: CalendarDate;
  name: SourceName;
  licence: string;
  attribution?: string;
  url?: string;
  notes?: string;
  schedule?: SourceSchedule;
}
/**
 * When a date is collected. Only that of the newest source of a chain counts.
 */
export interface SourceSchedule {
  /**
   * Hours after the end of a date from which its values are looked for.
   */
  first_try_hours: number;
  /**
   * Hours after the end of a date at which it is taken with the values that are there.
   */
  deadline_hours: number;
  /**
   * Days after the end of a date within which a small change of a value is taken.
   */
  settling_days: number;
}
/**
 * The chains whose own hold began, with its reason, or ended (null). Absent if there is none.
 */
export interface HoldChanges {
  /**
   * Its reason; null at the end.
   */
  bitcoin?: Reason | null;
  /**
   * Its reason; null at the end.
   */
  ethereum?: Reason | null;
  /**
   * Its reason; null at the end.
   */
  arbitrum?: Reason | null;
  /**
   * Its reason; null at the end.
   */
  base?: Reason | null;
}
/**
 * Dated events that charts of metrics mark: facts, each with its source.
 */
export interface ChartEvents {
  schema: 'chart-events/1';
  /**
   * Ascending by date.
   */
  events: ChartEventRow[];
}
export interface ChartEventRow {
  date: CalendarDate;
  /**
   * The chains whose charts mark the event.
   */
  chains: Chain[];
  /**
   * What happened, short enough for a chart.
   */
  words: string;
  /**
   * A page that reports the event and its date.
   */
  source: string;
}
/**
 * The metrics of a chain for charts: every value of its gold records in force, by metric.
 */
export interface ChartMetrics {
  schema: 'chart-metrics/1';
  chain: Chain;
  updated_through: CalendarDate;
  published_revision: Revision;
  first_date: CalendarDate;
  /**
   * A list for each metric that has a value on any date. The lists have equal length, with an element for each date, without gaps: the value of the gold record, or null if it has none or the date was withdrawn.
   */
  metrics: {
    [k: string]: (number | null)[];
  };
}
/**
 * The data of a chain's chart: label, confidence and both axes of every date. `/charts/{chain}/metrics.json` has its metrics.
 */
export interface Chart {
  schema: 'chart/1';
  chain: Chain;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  thresholds: ChartThresholds;
  first_date: CalendarDate;
  /**
   * The labels that `days.label` refers to.
   */
  labels: RegimeLabel[];
  /**
   * The signals that `days.missing` refers to.
   */
  signals: string[];
  days: ChartDays;
}
/**
 * A level becomes high at `enter` and low at its negative, and normal again within plus and minus `exit`.
 */
export interface ChartThresholds {
  enter: number;
  exit: number;
}
/**
 * Lists of equal length with an element for each date, without gaps.
 */
export interface ChartDays {
  /**
   * Index in `labels`; null for a date that was withdrawn, and has no numbers either.
   */
  label: (number | null)[];
  /**
   * Confidence of the meta record, rounded to three significant digits as on the pages; 0 for the label indeterminate, null for a date that was withdrawn.
   */
  confidence: (number | null)[];
  /**
   * z of the demand axis of the meta record, rounded to two decimals as on the pages.
   */
  demand: (number | null)[];
  /**
   * z of the pressure axis of the meta record, rounded to two decimals as on the pages.
   */
  pressure: (number | null)[];
  /**
   * The missing signals as a sum of powers of two: 1 is the first of `signals`, 2 the second, 4 the third.
   */
  missing: number[];
}
/**
 * The state of a collection beside its ledgers: which data of each source was read, what is awaited, and which differences wait for a person.
 */
export interface CollectionState {
  schema: 'collection-state/1';
  chains: ChainStates;
  sources: SourceDescriptions;
}
export interface ChainStates {
  bitcoin?: ChainState;
  ethereum?: ChainState;
  arbitrum?: ChainState;
  base?: ChainState;
}
export interface ChainState {
  schedule?: ChainSchedule;
  /**
   * By source and date, the mark of the data that were read last; of a date that is not whole, a digest of it and of those around it. Data with the same mark are not read again.
   */
  marks: {
    [k: string]: {
      [k: string]: string;
    };
  };
  /**
   * What a person accepted of dates that still wait for other metrics.
   */
  decisions?: KeptDecision[];
  metrics?: TakenMetrics;
  /**
   * The dates that lack a required metric, ascending.
   */
  awaited: AwaitedDate[];
  /**
   * The differences between accepted values and their source that a person must judge, by date.
   */
  drifts: Drift[];
  /**
   * By source and date, the values with which those of the chain were compared.
   */
  checks: {
    [k: string]: {
      [k: string]: TextValues;
    };
  };
  basis?: Sha256;
}
/**
 * When a date of the chain is first looked for, and how long it is awaited, as the policy of the last collection says.
 */
export interface ChainSchedule {
  source: CollectionStateSource;
  /**
   * Hours after the end of a date.
   */
  first_try_hours: number;
  /**
   * Hours after the end of a date.
   */
  deadline_hours: number;
  /**
   * Days after the end of a date within which a small change is taken. Collections before this member existed lack it.
   */
  settling_days?: number;
}
export interface KeptDecision {
  date: CalendarDate;
  metric: MetricName;
  value: string;
  reason: Reason;
}
/**
 * By source, the metrics that the chain takes from it. When one is added, recent dates without it are read again.
 */
export interface TakenMetrics {
  [k: string]: MetricName[];
}
export interface AwaitedDate {
  date: CalendarDate;
  since: Instant;
  until: Instant;
  /**
   * True if a collection found the deadline passed.
   */
  overdue: boolean;
  /**
   * The required metrics without an accepted value.
   */
  missing: MetricName[];
  /**
   * The sources from which they are awaited.
   */
  sources: CollectionStateSource[];
  withheld: WithheldValues;
  acceptable?: TextValues;
  /**
   * Why they are missing, in sentences.
   */
  reasons: string[];
}
/**
 * By metric, the rule that keeps back the value of its source. Of the other missing metrics the source has no value.
 */
export interface WithheldValues {
  [k: string]:
    'shape' | 'whole' | 'zero' | 'constant' | 'relation' | 'jump' | 'cross' | 'deadline' | 'settling';
}
/**
 * Values by metric.
 */
export interface TextValues {
  [k: string]: CollectionStateValue;
}
export interface Drift {
  date: CalendarDate;
  metric: MetricName;
  source: CollectionStateSource;
  /**
   * The accepted value; null if there is none.
   */
  from: CollectionStateValue | null;
  to: CollectionStateValue;
  since: Instant;
}
/**
 * By name, how sources.json describes a source of the ledgers.
 */
export interface SourceDescriptions {
  [k: string]: SourceSegment;
}
/**
 * collection.json: the pointer to what was collected. It names the ledgers and the input that they yield by their digests, so that publish never reads half of a collection.
 */
export interface CollectionPointer {
  schema: 'collection/1';
  /**
   * Number of the collection that changed something, from 1.
   */
  sequence: number;
  as_of: Instant;
  ledgers: CollectionLedgers;
  files: CollectionFiles;
  changes: CollectedFile;
  state: CollectedFile;
}
export interface CollectionLedgers {
  bitcoin?: CollectedFile;
  ethereum?: CollectedFile;
  arbitrum?: CollectedFile;
  base?: CollectedFile;
}
export interface CollectedFile {
  sha256: Sha256;
  bytes: number;
}
/**
 * The files of the input, by name.
 */
export interface CollectionFiles {
  'bitcoin.csv'?: CollectedFile;
  'ethereum.csv'?: CollectedFile;
  'arbitrum.csv'?: CollectedFile;
  'base.csv'?: CollectedFile;
  'sources.json': CollectedFile;
}
/**
 * The chains on hold, each with its public reason. Absent when there is none.
 */
export interface ChainHolds {
  bitcoin?: Reason;
  ethereum?: Reason;
  arbitrum?: Reason;
  base?: Reason;
}
export interface Confidence {
  /**
   * Estimated probability that hindsight gives the same label; 0 for the label indeterminate.
   */
  score: number;
  level: ConfidenceLevel;
  data_quality: number;
  completeness: number;
  depth: number;
  density: number;
  /**
   * Distance to the nearest boundary that would change a level; null when an axis is missing.
   */
  margin: number | null;
  speed: number;
  missing_signals: MissingSignals;
}
export interface DimensionScore {
  /**
   * Score from 0 to 100, where 50 is typical of the last year.
   */
  score: number | null;
  z: number | null;
  level: Level | null;
  trend: Trend | null;
}
/**
 * A dimension without expected signals is absent.
 */
export interface Scorecard {
  demand: DimensionScore;
  cost: DimensionScore;
  capacity?: DimensionScore;
}
/**
 * A signal that moves an axis, strongest first.
 */
export interface Driver {
  dimension: Dimension;
  signal: string;
  direction: 'up' | 'down';
  z: number;
  contribution: number;
  /**
   * The day's value of the signal before transformation.
   */
  value: number | null;
  smoothed: number;
  baseline: number;
  unit: string;
}
/**
 * What the published metrics of a date were computed from: the lines of the ledger about the date, in their order, each with its lineage.
 */
export interface DayLineage {
  schema: 'day-lineage/1';
  chain: Chain;
  date: CalendarDate;
  accepted: AcceptedLine[];
}
export interface AcceptedLine {
  line: LedgerLine;
  document: Lineage;
}
/**
 * A line of the ledger of a chain: values of a date that a collection accepted. Later lines of a date replace its values.
 */
export interface LedgerLine {
  chain: Chain;
  date: CalendarDate;
  /**
   * The accepted values as exact decimal text, by metric.
   */
  values: {
    [k: string]: string;
  };
  /**
   * Name of the source in the policy.
   */
  source: string;
  /**
   * Why the values were accepted: a day with all required metrics, a day at its deadline, a missing value filled in, a small revision, or a person.
   */
  rule: 'day' | 'deadline' | 'fill-in' | 'revision' | 'person';
  /**
   * Public reason of a change of accepted values, or of what a person accepted; null for a first value that the rules accepted.
   */
  reason: string | null;
  lineage: Sha256;
  accepted_at: Instant;
}
/**
 * What the values of a date were computed from: the source and its data, its raw counts, and the findings of the rules.
 */
export interface Lineage {
  schema: 'lineage/1';
  chain: Chain;
  date: CalendarDate;
  /**
   * Name of the source in the policy.
   */
  source: string;
  /**
   * The values that the source gave, by metric. A value that the rules withheld may have any form.
   */
  values: {
    [k: string]: string;
  };
  /**
   * Integers that the values and the exact checks are computed from, by name.
   */
  counts: {
    [k: string]: string;
  };
  evidence: LineageEvidence;
  /**
   * What the rules found in the date, in the order in which they are applied.
   */
  findings: LineageFinding[];
}
/**
 * Objects of a public store, and the query that an engine ran on them.
 */
export interface LineageObjects {
  kind: 'objects';
  objects: LineageObject[];
  sql_sha256: Sha256;
  /**
   * Name and version of the engine.
   */
  engine: string;
}
export interface LineageObject {
  uri: string;
  etag: string;
  bytes: number;
  last_modified: string;
}
/**
 * Answers of a server.
 */
export interface LineageResponses {
  kind: 'responses';
  responses: LineageResponse[];
}
export interface LineageResponse {
  url: string;
  sha256: Sha256;
  bytes: number;
  fetched_at: string;
}
/**
 * The blocks of a date, as a node gave them.
 */
export interface LineageNode {
  kind: 'node';
  /**
   * Name and version of the node's program.
   */
  client: string;
  first_block: string;
  first_hash: string;
  last_block: string;
  last_hash: string;
}
export interface LineageFinding {
  rule: 'shape' | 'whole' | 'zero' | 'constant' | 'relation' | 'jump' | 'cross' | 'deadline' | 'settling';
  metrics: MetricName[];
  /**
   * withheld: the value was not accepted; omitted: it counts as missing; noted: it was accepted.
   */
  effect: 'withheld' | 'omitted' | 'noted';
  /**
   * A sentence with the value and the bound.
   */
  message: string;
  /**
   * The value that the rule compared; absent if it compared none.
   */
  value?: string;
  /**
   * The bound of the rule: a number, or the least and most allowed, as `least..most`.
   */
  bound?: string;
}
/**
 * Moving means, changes, ranks within a year, ratios and extremes of one day of one chain.
 */
export interface DerivedDay {
  schema: 'derived-day/1';
  chain: Chain;
  date: CalendarDate;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  metrics: DerivedMetrics;
  /**
   * fees_total / tx_count, native coin per transaction.
   */
  fee_mean: number | null;
  /**
   * Share of block space used; absent on arbitrum.
   */
  utilization?: number | null;
  /**
   * Seconds per block.
   */
  block_interval_mean: number | null;
  /**
   * Transactions per active address.
   */
  tx_per_active_address: number | null;
  /**
   * What was extreme on this day: by quantity in the order of the metrics and ratios, the whole history before the last year.
   */
  extremes: Extreme[];
}
export interface DerivedMetrics {
  tx_count?: MetricSummary;
  active_addresses?: MetricSummary;
  new_addresses?: MetricSummary;
  transfer_count?: MetricSummary;
  failed_tx_count?: MetricSummary;
  block_count?: MetricSummary;
  block_weight?: MetricSummary;
  block_size?: MetricSummary;
  gas_used?: MetricSummary;
  gas_limit_mean?: MetricSummary;
  gas_price_mean?: MetricSummary;
  fees_total?: MetricSummary;
  fee_median?: MetricSummary;
  l1_fees_total?: MetricSummary;
  hash_rate?: MetricSummary;
  difficulty?: MetricSummary;
  issuance?: MetricSummary;
}
export interface MetricSummary {
  ma7: number | null;
  ma30: number | null;
  /**
   * Change of the value against the day before. The other changes are of means.
   */
  change_1d: number | null;
  change_7d: number | null;
  change_30d: number | null;
  percentile_365d: number | null;
}
export interface Extreme {
  /**
   * Metric or ratio.
   */
  quantity: string;
  kind: 'highest' | 'lowest';
  window: 'history' | '365d';
  /**
   * 1 is the highest or lowest of the window.
   */
  rank: number;
  /**
   * Number of values in the window, that of the day included.
   */
  compared: number;
  /**
   * Last earlier date of the whole history with a value as extreme, null if there is none.
   */
  last_reached: CalendarDate | null;
}
/**
 * What an account can read now, from all its active grants together. Null or empty when no grant is active.
 */
export interface Entitlements {
  schema: 'entitlements/1';
  /**
   * Whether a grant is active.
   */
  active: boolean;
  /**
   * The highest plan among the active grants.
   */
  plan: Plan | null;
  /**
   * Chains that it can read.
   */
  chains: Chain[];
  /**
   * Genres of files that it can read.
   */
  genres: Genre[];
  /**
   * Windows of the bundles of meta, gold and derived.
   */
  windows: Window[];
  /**
   * Whether manifests and day files are included, with older revisions.
   */
  archive: boolean;
  /**
   * Only the latest brief, or all briefs, in bundles and by day.
   */
  briefs: ('latest' | 'all') | null;
  /**
   * Time at which the earliest active grant of `plan` began.
   */
  since: Instant | null;
  /**
   * Time at which the last active grant of `plan` ends.
   */
  until: Instant | null;
  /**
   * The active grants.
   */
  grants: EntitlementsGrant[];
  /**
   * Only with a dashboard session: the subscription that grants the most, otherwise the newest; null without a subscription.
   */
  subscription?: EntitlementsSubscription | null;
}
export interface EntitlementsGrant {
  plan: Plan;
  /**
   * The chain of a Single Chain plan; null for all chains.
   */
  chain: Chain | null;
  /**
   * Whether an operator granted the plan or it was bought.
   */
  origin: 'manual' | 'stripe';
  since: Instant;
  until: Instant;
}
export interface EntitlementsSubscription {
  /**
   * Stripe's status of the subscription.
   */
  state: string;
  /**
   * granted, or the reason why the subscription grants no access.
   */
  outcome: string;
  /**
   * Its plan; null if its price is of none.
   */
  plan: Plan | null;
  /**
   * The chain of a Single Chain plan.
   */
  chain: Chain | null;
  since: Instant;
  /**
   * Time at which the paid period ends.
   */
  period_end: Instant | null;
  /**
   * Time at which it ends because it was cancelled.
   */
  cancel_at: Instant | null;
  /**
   * Time at which access ends at the latest; null if there is no access.
   */
  access_until: Instant | null;
}
/**
 * What the feed of a chain reports: changes of regime, corrections, and periods in which the chain was stale. Each release carries it on; no entry is ever removed. No two entries have the same updated_at.
 */
export interface ChainEvents {
  schema: 'events/1';
  chain: Chain;
  first_date: CalendarDate;
  /**
   * The changes of regime, one for each date, ascending.
   */
  regimes: RegimeEvent[];
  /**
   * The corrections of published days, in the order of their publication.
   */
  corrections: CorrectionEvent[];
  /**
   * The periods without a new regime, one for each date, ascending.
   */
  stale: StaleEvent[];
}
export interface RegimeEvent {
  date: CalendarDate;
  label: RegimeLabel;
  /**
   * The regime before; null at the beginning of the history.
   */
  previous_label: RegimeLabel | null;
  /**
   * corrected: the entry differs from what was first published. withdrawn: the regime no longer changes on the date.
   */
  status: 'published' | 'corrected' | 'withdrawn';
  page_date: CalendarDate;
  published_at: Instant;
  updated_at: Instant;
}
export interface CorrectionEvent {
  date: CalendarDate;
  /**
   * Number of the corrections that begin with this date, up to this one.
   */
  number: number;
  /**
   * Number of dates whose regime changed, was withdrawn or was restored.
   */
  days: number;
  /**
   * The first of these dates, as spans with one change each.
   */
  spans: CorrectedSpan[];
  restated?: DateSpan;
  reason: Reason | null;
  page_date: CalendarDate;
  published_at: Instant;
  updated_at: Instant;
}
export interface CorrectedSpan {
  first_date: CalendarDate;
  last_date: CalendarDate;
  /**
   * The regime before the correction; null if the dates were withdrawn or restored.
   */
  from: RegimeLabel | null;
  /**
   * The regime after the correction; null if the dates were withdrawn.
   */
  to: RegimeLabel | null;
}
export interface StaleEvent {
  date: CalendarDate;
  /**
   * Publication of the release that ended the period; null while it lasts.
   */
  ended_at: Instant | null;
  end?: StaleEnd;
  page_date: CalendarDate;
  published_at: Instant;
  updated_at: Instant;
}
/**
 * Instants of the entry about the end of a stale period that was reported while it lasted; absent before its end. Earlier releases did not report it.
 */
export interface StaleEnd {
  published_at: Instant;
  updated_at: Instant;
}
/**
 * Frictionless Table Schema of the regime calendar or of volumes.
 */
export interface FeatureSchema {
  $schema: 'https://datapackage.org/profiles/2.0/tableschema.json';
  schema: 'feature-schema/1';
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  /**
   * Version of the columns: raised when a column is added, removed or changes its meaning.
   */
  version: number;
  /**
   * What each version after the first changed, the newest first.
   */
  changes: ColumnChange[];
  title: string;
  description: string;
  fields: FeatureField[];
  missingValues: string[];
  primaryKey: string[];
  join_key: string[];
  dialect: TableDialect;
  safe_uses: string[];
  unsafe_uses: string[];
}
export interface ColumnChange {
  /**
   * The version.
   */
  version: number;
  /**
   * What it changed.
   */
  description: string;
}
export interface FeatureField {
  name: string;
  type: 'date' | 'string' | 'number' | 'integer' | 'boolean';
  title: string;
  description: string;
  unit?: string;
  format?: string;
  constraints: FieldConstraints;
}
export interface FieldConstraints {
  required?: boolean;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
}
export interface TableDialect {
  delimiter: string;
  lineTerminator: string;
  quoteChar: string;
  header: boolean;
}
/**
 * gc.json: whether a garbage collection is running, so that no publish relies on an old object that is about to be deleted.
 */
export interface GcMark {
  schema: 'gc/1';
  running: boolean;
  /**
   * Incremented at each write, so that no two writes of one garbage collection are equal.
   */
  heartbeat: number;
  /**
   * Random identifier of the run that wrote it, so that no two garbage collections write the same bytes.
   */
  owner: string;
}
export interface GlossaryEntry {
  id: string;
  kind: 'term' | 'metric' | 'signal' | 'label' | 'level' | 'status' | 'field';
  name: string;
  definition: string;
  unit: string | null;
  appears_in: string[];
}
/**
 * Every term, metric, label, level and field.
 */
export interface Glossary {
  schema: 'glossary/1';
  published_revision: Revision;
  entries: GlossaryEntries;
}
/**
 * Canonical metrics of one day of one chain, as read from the source. A metric that the day does not have is null; a metric that the chain does not support is absent.
 */
export interface GoldDay {
  schema: 'gold-day/1';
  chain: Chain;
  date: CalendarDate;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  metrics: GoldMetrics;
  /**
   * Name of the segment of sources.json that delivered the row; null on a date without a row.
   */
  source: SourceName | null;
}
export interface GoldMetrics {
  tx_count?: number | null;
  active_addresses?: number | null;
  new_addresses?: number | null;
  transfer_count?: number | null;
  failed_tx_count?: number | null;
  block_count?: number | null;
  block_weight?: number | null;
  block_size?: number | null;
  gas_used?: number | null;
  gas_limit_mean?: number | null;
  gas_price_mean?: number | null;
  fees_total?: number | null;
  fee_median?: number | null;
  l1_fees_total?: number | null;
  hash_rate?: number | null;
  difficulty?: number | null;
  issuance?: number | null;
}
/**
 * keys/<id>.json: the owner of a key. It never changes; the account records whether the key is still active.
 */
export interface KeyRecord {
  schema: 'key-record/1';
  sha256: Sha256;
  account: AccountId;
}
/**
 * Payload of keys.jws, signed by the root key: the keys that may sign releases of a site.
 */
export interface KeySet {
  schema: 'key-set/1';
  site: SignedSite;
  /**
   * Number of this key set. It grows by one with each change.
   */
  version: number;
  issued_at: Instant;
  expires: Instant;
  signed_from_sequence: Sequence;
  root: PublicKey;
  /**
   * The release keys.
   */
  keys: ReleaseKey[];
}
export interface Ed25519Key {
  /**
   * Kind of key.
   */
  kty: 'OKP';
  /**
   * Its curve.
   */
  crv: 'Ed25519';
  x: KeyCoordinate;
}
export interface P256Key {
  /**
   * Kind of key.
   */
  kty: 'EC';
  /**
   * Its curve.
   */
  crv: 'P-256';
  x: KeyCoordinate;
  y: KeyCoordinate;
}
export interface ReleaseKey {
  kid: KeyThumbprint;
  jwk: PublicKey;
  valid_from: Instant;
  valid_until: Instant;
  /**
   * Set if nothing that the key signed may be trusted by itself any more.
   */
  revoked: KeyRevocation | null;
}
export interface KeyRevocation {
  at: Instant;
  reason: Reason;
}
/**
 * usage/<id>.json: the last day on which a key was used. Updates are best effort and can be lost.
 */
export interface KeyUsage {
  schema: 'key-usage/1';
  last_used: CalendarDate;
}
/**
 * Snapshot across the published chains.
 */
export interface Landing {
  schema: 'landing/1';
  published_revision: Revision;
  published_at: Instant;
  sequence: Sequence;
  methodology_version: MethodologyVersion;
  chains: LandingChains;
}
export interface LandingChains {
  bitcoin?: ChainLanding;
  ethereum?: ChainLanding;
  arbitrum?: ChainLanding;
  base?: ChainLanding;
}
export interface ChainLanding {
  updated_through: CalendarDate;
  last_available: CalendarDate | null;
  freshness_at_publication: Freshness;
  /**
   * From this instant the chain is late, unless a newer date was published; null if no date is available.
   */
  late_after: Instant | null;
  /**
   * From this instant the chain is stale, unless a newer date was published; null if no date is available.
   */
  stale_after: Instant | null;
  expected_next_by: Instant;
  headline: string;
  regime: LandingRegime;
  confidence: LandingConfidence;
  scores: LandingScores;
  /**
   * Labels of the last 30 dates, oldest first.
   */
  labels: DatedLabel[];
  /**
   * Runs of the same label over the last 730 days, oldest first.
   */
  runs: LabelRun[];
}
export interface LandingRegime {
  label: RegimeLabel;
  since: CalendarDate;
  run_days: number;
  previous_label: RegimeLabel | null;
}
export interface LandingConfidence {
  score: number;
  level: ConfidenceLevel;
  missing_signals: MissingSignals;
}
export interface LandingScores {
  demand: number | null;
  cost: number | null;
  capacity?: number | null;
}
export interface DatedLabel {
  date: CalendarDate;
  label: RegimeLabel;
}
export interface LabelRun {
  label: RegimeLabel;
  first: CalendarDate;
  last: CalendarDate;
}
/**
 * Every published date of one genre and chain, with the digest of its day file.
 */
export interface Manifest {
  /**
   * manifest/2 has volumes; manifests of briefs and of lineage have none.
   */
  schema: 'manifest/1' | 'manifest/2';
  genre: Genre;
  chain: Chain;
  updated_through: CalendarDate;
  published_revision: Revision;
  sequence: Sequence;
  methodology_version: MethodologyVersion;
  expected_next_by: Instant;
  revisions: ManifestRevisions;
  dates: ManifestDate[];
  /**
   * All sources of the chain; only in gold manifests.
   */
  sources?: SourceSegment[];
  /**
   * The closed periods of the history, each as one file in two formats, ascending. A period is closed when its last date is published, and the release is at least settling_days (of the newest source, or 7) after the end of that date.
   */
  volumes?: ManifestVolume[];
}
/**
 * Context of the publication of each revision named below.
 */
export interface ManifestRevisions {
  [k: string]: ManifestRevision;
}
export interface ManifestRevision {
  updated_through: CalendarDate;
  published_at: Instant;
}
export interface ManifestDate {
  date: CalendarDate;
  sha256: Sha256;
  bytes: ByteCount;
  schema: string;
  methodology_version: MethodologyVersion;
  revision: Revision;
  in_force_from: Revision;
  status: EntryStatus;
  path: UrlPath;
  superseded: SupersededDay[];
  ledger_sha256?: Sha256;
}
export interface SupersededDay {
  revision: Revision;
  in_force_from: Revision;
  sha256: Sha256;
  bytes: ByteCount;
  reason: Reason;
  /**
   * Present if the date was withdrawn from in_force_from until a later version.
   */
  status?: 'withdrawn';
}
export interface ManifestVolume {
  /**
   * A year, or a month of a year that is not closed.
   */
  period: string;
  first_date: CalendarDate;
  last_date: CalendarDate;
  /**
   * Number of rows: one for each date, version and status.
   */
  rows: number;
  schema: string;
  parquet: VolumeFile;
  csv: VolumeFile;
}
export interface VolumeFile {
  path: UrlPath;
  sha256: Sha256;
  bytes: ByteCount;
}
/**
 * Regime, confidence, status, scorecard, drivers and methodology version of one day of one chain.
 */
export interface MetaDay {
  schema: 'meta-day/1';
  chain: Chain;
  date: CalendarDate;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  status: DayStatus;
  regime: Regime;
  confidence: Confidence;
  scorecard: Scorecard;
  drivers: Driver[];
  methodology: MethodologyReference;
  inputs_sha256: Sha256;
}
export interface MethodologyReference {
  version: MethodologyVersion;
  sha256: Sha256;
  path: UrlPath;
}
/**
 * Published history of methodology versions.
 */
export interface MethodologyVersions {
  schema: 'methodology-versions/1';
  published_revision: Revision;
  current: MethodologyVersion;
  versions: MethodologyRelease[];
}
export interface MethodologyRelease {
  version: MethodologyVersion;
  effective_date: CalendarDate;
  summary: string;
  sha256: Sha256;
  path: UrlPath;
  text_path: UrlPath;
}
/**
 * Every number of one methodology version. The generator computes records from this file.
 */
export interface Methodology {
  schema: 'methodology/1';
  version: MethodologyVersion;
  effective_date: CalendarDate;
  summary: string;
  rounding: RoundingSettings;
  quantities: Quantities;
  signals: SignalDefinition[];
  smoothing: SmoothingSettings;
  baseline: BaselineSettings;
  z_limit: number;
  axes: AxesSettings;
  pressure: PressureSettings;
  levels: Band;
  labels: LabelTable;
  data_quality: DataQualitySettings;
  confidence: ConfidenceSettings;
  hindsight: HindsightSettings;
  scorecard: ScorecardSettings;
  determinism: DeterminismSettings;
  derived: DerivedSettings;
}
export interface RoundingSettings {
  signal_decimals: number;
  combined_decimals: number;
  score_decimals: number;
  confidence_decimals: number;
  significant_digits: number;
}
/**
 * numerator / product of the denominators, per chain. A string is the name of a metric.
 */
export interface Quantities {
  [k: string]: Quantity;
}
export interface Quantity {
  unit: string;
  forms: QuantityForm[];
}
export interface QuantityForm {
  chains: Chain[];
  numerator: string | number;
  denominators: (string | number)[];
  /**
   * Factor of the numerator by date, in the order of the dates: the last step that is not after the date applies. A step without a date applies from the beginning. Absent for 1.
   */
  elasticity?: ElasticityStep[];
}
export interface ElasticityStep {
  from: CalendarDate | null;
  value: number;
}
export interface SignalDefinition {
  dimension: Dimension;
  signal: string;
  transform: 'ln' | 'none';
  min_scale: number;
  weight: number;
  chains: Chain[];
}
export interface SmoothingSettings {
  window: DayOffsets;
  /**
   * Number of values to drop at each end, by the number available. The first matching row applies.
   */
  trim: TrimSettings[];
}
/**
 * Dates from t + from_day to t + to_day, inclusive.
 */
export interface DayOffsets {
  from_day: number;
  to_day: number;
}
export interface TrimSettings {
  min_values: number;
  drop_each_end: number;
}
export interface BaselineSettings {
  window: DayOffsets;
  min_values: number;
  mad_factor: number;
}
export interface AxesSettings {
  demand: AxisTerms;
  pressure: AxisTerms;
}
export interface AxisTerm {
  dimension: Dimension;
  weight: number;
  required: boolean;
}
export interface PressureSettings {
  /**
   * Largest distance from 0 with which the capacity dimension counts in the pressure axis.
   */
  capacity_bound: number;
}
export interface Band {
  enter: number;
  exit: number;
}
/**
 * Label by demand level, then by pressure level.
 */
export interface LabelTable {
  high: LabelRow;
  normal: LabelRow;
  low: LabelRow;
}
export interface LabelRow {
  low: RegimeLabel;
  normal: RegimeLabel;
  high: RegimeLabel;
}
export interface DataQualitySettings {
  completeness: CoverageSettings;
  depth: DepthSettings;
  density: CoverageSettings;
  minimum: number;
}
export interface CoverageSettings {
  weight: number;
  days: number;
}
export interface DepthSettings {
  weight: number;
  values: number;
}
export interface ConfidenceSettings {
  intercept: number;
  margin: number;
  run: number;
  speed: number;
  margin_limit: number;
  run_limit_days: number;
  speed_limit: number;
  speed_lag_days: number;
  missing: MissingSettings;
  indeterminate_score: number;
  /**
   * Level by minimum score. The first row applies whose minimum is met.
   */
  levels: ConfidenceStep[];
}
/**
 * Share by which the score is reduced when all signals of a dimension are missing; of some of them, in proportion to their weight.
 */
export interface MissingSettings {
  demand: number;
  cost: number;
  capacity: number;
}
export interface ConfidenceStep {
  level: ConfidenceLevel;
  min_score: number;
}
/**
 * Smoothing of the hindsight label that confidence is calibrated against.
 */
export interface HindsightSettings {
  smoothing_window: DayOffsets;
}
export interface ScorecardSettings {
  scale: number;
  slope: number;
  trend_lag_days: number;
  trend_threshold: number;
}
export interface DeterminismSettings {
  input_days: number;
}
export interface DerivedSettings {
  ma7: MeanSettings;
  ma30: MeanSettings;
  change_7d: ChangeSettings;
  change_30d: ChangeSettings;
  percentile_365d: MeanSettings;
  equal_share: number;
  ratios: string[];
  extremes: ExtremeSettings;
}
export interface MeanSettings {
  days: number;
  min_values: number;
}
export interface ChangeSettings {
  mean: 'ma7';
  lag_days: number;
}
export interface ExtremeSettings {
  /**
   * Ratios that are ranked, after the metrics.
   */
  ratios: string[];
  max_rank: number;
  year: MeanSettings;
  history: HistorySettings;
  min_distance: number;
}
export interface HistorySettings {
  min_values: number;
}
/**
 * The OpenAPI 3.1.1 description of the HTTP API. The tests validate it against OpenAPI's own meta-schema.
 */
export interface OpenApi {
  /**
   * Version of OpenAPI.
   */
  openapi: '3.1.1';
  /**
   * Title and version.
   */
  info: {
    [k: string]: unknown;
  };
  /**
   * Hosts that serve the API.
   */
  servers: {
    [k: string]: unknown;
  }[];
  /**
   * Groups of operations.
   */
  tags: {
    [k: string]: unknown;
  }[];
  /**
   * Every path with its operations.
   */
  paths: {
    [k: string]: unknown;
  };
  /**
   * Schemas, headers and security schemes.
   */
  components: {
    [k: string]: unknown;
  };
}
/**
 * current.json: names the current release. Moving it to another record publishes that release.
 */
export interface Pointer {
  schema: 'pointer/1';
  revision: Revision;
  sequence: Sequence;
  sha256: Sha256;
}
/**
 * refusal.json: what publish refused and nobody has settled yet, so that an unchanged refusal is reported once. It is not published.
 */
export interface RefusalMark {
  schema: 'refusal/1';
  /**
   * At most one refusal for each chain, and one for the methodology.
   */
  refused: RecordedRefusal[];
}
export interface RecordedRefusal {
  /**
   * The chain that keeps its published state; null if the methodology was refused.
   */
  chain: Chain | null;
  sha256: Sha256;
  since: Instant;
  summary: RefusalLine;
  published_sha256: Sha256;
  /**
   * How a person accepts it; null if no option does.
   */
  accept: RefusalAcceptance | null;
}
export interface RefusalAcceptance {
  plan_digest: Sha256;
  /**
   * Arguments of the run that refused; absent if one of them cannot be recorded.
   */
  args?: RefusalLine[];
}
export interface RegimeCalendarRow {
  date: CalendarDate;
  chain: Chain;
  regime: RegimeLabel;
  confidence: number | null;
  status: DayStatus;
  demand_score: number | null;
  cost_score: number | null;
  capacity_score: number | null;
  regime_since: CalendarDate;
  run_days: number;
  top_driver: string | null;
  methodology_version: MethodologyVersion;
  published_revision: Revision;
  determinism_hash: Sha256;
  demand_level: Level | null;
  pressure_level: Level | null;
}
/**
 * What each label of a chain has meant in its published history: how often and for how long it applied, what followed, and how fees and use compared with the trailing year. Only dates in force count.
 */
export interface Regimes {
  schema: 'regimes/1';
  chain: Chain;
  updated_through: CalendarDate;
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  first_date: CalendarDate;
  trailing_year: TrailingYear;
  /**
   * Minimum number of compared days for a median of ratios. Below it, the median is null.
   */
  min_days: number;
  current_run: CurrentRun;
  labelled: LabelledDays;
  /**
   * An element for each label, in a fixed order, also for one that never applied.
   */
  labels: LabelHistory[];
  /**
   * How often a run of one label directly followed a run of another; never is absent.
   */
  transitions: Transition[];
}
/**
 * The dates whose median the value of a day is divided by.
 */
export interface TrailingYear {
  /**
   * Number of dates, the day itself included.
   */
  days: number;
  /**
   * Minimum number of values among them. A day with fewer is not compared.
   */
  min_values: number;
}
/**
 * The run of the last date. It counts among runs and days, but its length does not count: it may not have ended.
 */
export interface CurrentRun {
  label: RegimeLabel;
  since: CalendarDate;
  /**
   * Number of dates so far, from `since` to `updated_through`.
   */
  run_days: number;
}
/**
 * All dates with a label other than indeterminate.
 */
export interface LabelledDays {
  days: number;
  /**
   * Levels of the axis demand.
   */
  demand: LevelShare[];
  /**
   * Levels of the axis pressure.
   */
  pressure: LevelShare[];
  /**
   * Number of runs of any label other than indeterminate, the current one included. A run is an unbroken sequence of dates with one label.
   */
  runs: number;
  /**
   * The same without the current run.
   */
  ended_runs: number;
  /**
   * Length of the ended runs; null without any.
   */
  run_length: RunLength | null;
  to_year: RegimesToYear;
}
export interface LevelShare {
  level: Level;
  /**
   * Number of dates with this level.
   */
  days: number;
  /**
   * `days` as a fraction of the dates with a label; null where no date has a label.
   */
  share: number | null;
}
/**
 * Length of the ended runs.
 */
export interface RunLength {
  /**
   * Median number of days.
   */
  median: number;
  /**
   * Number of days of the shortest run.
   */
  shortest: number;
  /**
   * Number of days of the longest run.
   */
  longest: number;
}
/**
 * The day's value divided by the median of its trailing year, by quantity: `fees_total`, the fees of all transactions of the day, and each signal of the chain.
 */
export interface RegimesToYear {
  [k: string]: YearRatio;
}
export interface YearRatio {
  /**
   * Number of compared days: those with a value, enough values in the trailing year, and a median above 0.
   */
  days: number;
  /**
   * Median of their ratios; 1 is usual. Null where `days` is below `min_days`.
   */
  median: number | null;
}
export interface LabelHistory {
  label: RegimeLabel;
  /**
   * Number of dates with this label.
   */
  days: number;
  /**
   * `days` as a fraction of the dates with a label; null for indeterminate, and where no date has a label.
   */
  share: number | null;
  /**
   * Number of runs of this label, the current one included. A run is an unbroken sequence of dates with one label.
   */
  runs: number;
  /**
   * The same without the current run.
   */
  ended_runs: number;
  /**
   * Length of the ended runs; null without any.
   */
  run_length: RunLength | null;
  to_year: RegimesToYear;
}
export interface Transition {
  from: RegimeLabel;
  to: RegimeLabel;
  /**
   * Number of times.
   */
  runs: number;
}
/**
 * The complete published state at one revision.
 */
export interface ReleaseRecord {
  schema: 'release-record/1';
  revision: Revision;
  sequence: Sequence;
  previous: PreviousRelease | null;
  published_at: Instant;
  methodology: MethodologyDigest;
  hold: Reason | null;
  holds?: ChainHolds;
  chains: RecordChains;
  site?: Site;
  public: PublicEntries;
  bundles: BundleEntries;
  manifests: ManifestEntries;
  revisions: RecordRevisions;
  changes: ReleaseChanges;
}
export interface PreviousRelease {
  revision: Revision;
  sha256: Sha256;
}
export interface MethodologyDigest {
  version: MethodologyVersion;
  sha256: Sha256;
}
export interface RecordChains {
  bitcoin?: RecordChain;
  ethereum?: RecordChain;
  arbitrum?: RecordChain;
  base?: RecordChain;
}
export interface RecordChain {
  updated_through: CalendarDate;
  rows: number;
  /**
   * Segment of sources.json that applies at updated_through.
   */
  source: string;
  input_sha256: Sha256;
  /**
   * Metrics with a published value.
   */
  metrics: MetricName[];
  writers_sha256: Sha256;
  methodology_sha256: Sha256;
  site?: Site;
}
/**
 * site.json of an input directory: who publishes, and where readers find it.
 */
export interface Site {
  name: SiteLine;
  /**
   * Origin of the service without a slash at the end: https or, on loopback, http.
   */
  base_url: string;
  /**
   * Mail address, or https URL of a page.
   */
  contact?: string;
  terms_url?: SitePage;
  privacy_url?: SitePage;
  publisher?: SiteLine;
  sign_up_url?: SitePage;
  notice?: SiteAnswer;
  refunds?: SiteAnswer;
  invoices?: SiteAnswer;
  redistribution?: SiteAnswer;
}
export interface PublicEntries {
  [k: string]: PublicEntry;
}
export interface PublicEntry {
  sha256: Sha256;
  bytes: ByteCount;
  type: MediaType;
  revision: Revision;
}
export interface BundleEntries {
  [k: string]: FileEntry;
}
export interface FileEntry {
  sha256: Sha256;
  bytes: ByteCount;
  revision: Revision;
}
export interface ManifestEntries {
  [k: string]: FileEntry;
}
/**
 * Context of the publication of each revision named above.
 */
export interface RecordRevisions {
  [k: string]: Stamped;
}
export interface Stamped {
  sequence: Sequence;
  published_at: Instant;
}
/**
 * Payload of release.jws, signed by a release key: what a release consists of.
 */
export interface ReleaseStatement {
  schema: 'release-statement/1';
  site: SignedSite;
  revision: Revision;
  sequence: Sequence;
  sha256: Sha256;
  /**
   * The release before; null for the first.
   */
  previous: StatedPrevious | null;
  release_sha256: Sha256;
  manifests: StatedManifests;
  history_sha256: Sha256;
  published_at: Instant;
  generator: GeneratorBuild;
}
export interface StatedPrevious {
  revision: Revision;
  sha256: Sha256;
}
/**
 * Digest of each manifest, which lists the digests of day files and volumes, by its path.
 */
export interface StatedManifests {
  [k: string]: Sha256;
}
/**
 * The program that signed.
 */
export interface GeneratorBuild {
  /**
   * Version in package.json.
   */
  version: string;
  /**
   * Commit of the source, with "-modified" if files differed from it; null if unknown.
   */
  commit: string | null;
  /**
   * Digest of package-lock.json; null if unknown.
   */
  lockfile_sha256: Sha256 | null;
}
/**
 * Digest of every other public file of a release.
 */
export interface PublicRelease {
  schema: 'release/1';
  published_revision: Revision;
  published_at: Instant;
  sequence: Sequence;
  methodology_version: MethodologyVersion;
  files: PublicFile[];
}
export interface PublicFile {
  path: UrlPath;
  sha256: Sha256;
  bytes: ByteCount;
  type: MediaType;
}
/**
 * Every release ever, the first one first. Entries are only added.
 */
export interface Releases {
  schema: 'releases/1';
  /**
   * An entry for each release.
   */
  releases: PastRelease[];
}
export interface PastRelease {
  sequence: Sequence;
  revision: Revision;
  sha256: Sha256;
  published_at: Instant;
}
/**
 * The public files that depend only on the version of the generator and on the site, not on the data. A release lists this file, and with it all of them.
 */
export interface SiteFiles {
  schema: 'site-files/1';
  texts_sha256: Sha256;
  files: SiteEntries;
}
export interface SiteEntries {
  [k: string]: SiteEntry;
}
export interface SiteEntry {
  sha256: Sha256;
  bytes: ByteCount;
  type: MediaType;
}
/**
 * sources.policy.json: from where generator collect takes the metrics of each chain, and its rules where they differ from the defaults.
 */
export interface SourcesPolicy {
  schema: 'sources-policy/1';
  /**
   * Whether what is published from these values is sold. It then needs sources whose licence allows that.
   */
  commercial?: boolean;
  engine?: PolicyEngine;
  sources: PolicySources;
  chains: PolicyChains;
}
export interface DuckDbPolicy {
  kind: 'duckdb';
  threads?: number;
  /**
   * Memory of the engine, in megabytes; what needs more goes to disk.
   */
  memory_mb?: number;
}
export interface TrinoPolicy {
  kind: 'trino';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint: string;
  catalog: string;
  /**
   * Schema of Trino with the tables.
   */
  database: string;
  user?: string;
}
export interface AthenaPolicy {
  kind: 'athena';
  region: string;
  workgroup: string;
  database: string;
  /**
   * Address for the results, if the workgroup has none.
   */
  output?: string;
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
}
/**
 * The sources by the name that the ledger gives them.
 */
export interface PolicySources {
  [k: string]: PolicySource;
}
/**
 * AWS Public Blockchain Data: bitcoin and ethereum.
 */
export interface AwsPolicy {
  kind: 'aws';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
  bucket?: string;
  statement?: SourcesPolicyStatement;
}
/**
 * The tables of arbitrum and base in AWS Public Blockchain Data.
 */
export interface SonarxPolicy {
  kind: 'sonarx';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
  bucket?: string;
  /**
   * Take only the metrics that the blocks give. Default: true.
   */
  blocks_only?: boolean;
  statement?: SourcesPolicyStatement;
}
/**
 * growthepie: arbitrum, base, and tx_count of ethereum.
 */
export interface GrowthepiePolicy {
  kind: 'growthepie';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
  statement?: SourcesPolicyStatement;
}
/**
 * Coin Metrics.
 */
export interface CoinMetricsPolicy {
  kind: 'coinmetrics';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
  /**
   * The contract that allows this use.
   */
  licence?: string;
  key_env?: SourcesPolicyVariable;
  statement?: SourcesPolicyStatement;
}
/**
 * A node of ethereum, arbitrum or base.
 */
export interface EvmNodePolicy {
  kind: 'evm-node';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
  endpoint_env?: SourcesPolicyVariable;
  /**
   * Read the receipts too, for the metrics of transactions. Default: false.
   */
  receipts?: boolean;
  statement?: SourcesPolicyStatement;
}
/**
 * A node of bitcoin.
 */
export interface BitcoinNodePolicy {
  kind: 'bitcoin-node';
  /**
   * URL of the service: https, or http on loopback.
   */
  endpoint?: string;
  endpoint_env?: SourcesPolicyVariable;
  statement?: SourcesPolicyStatement;
}
/**
 * CSV files of the operator, one for each chain.
 */
export interface FilesPolicy {
  kind: 'files';
  /**
   * PATH, file:PATH or s3://bucket/prefix with <chain>.csv; a relative path begins at the folder of the policy.
   */
  folder: string;
  name: SourceName;
  licence: string;
  url?: string;
  attribution?: string;
  resale: 'yes' | 'no' | 'unknown';
  /**
   * Name of the column with the date. Default: date.
   */
  date_column?: string;
  /**
   * The column and unit of each metric; by default the columns have the names and units of the glossary.
   */
  columns?: {
    [k: string]: PolicyColumn;
  };
  statement?: SourcesPolicyStatement;
}
export interface PolicyColumn {
  column: string;
  unit: string;
}
export interface PolicyChains {
  bitcoin?: PolicyChain;
  ethereum?: PolicyChain;
  arbitrum?: PolicyChain;
  base?: PolicyChain;
}
export interface PolicyChain {
  source: SourcesPolicyName;
  since: CalendarDate;
  /**
   * Metrics that another source gives.
   */
  fill?: PolicyFill[];
  /**
   * Sources to compare the values with.
   */
  check?: PolicyCheck[];
  rules?: PolicyRules;
}
export interface PolicyFill {
  source: SourcesPolicyName;
  metrics: MetricName[];
}
export interface PolicyCheck {
  source: SourcesPolicyName;
  /**
   * The metrics that both define in the same way: they must agree.
   */
  same?: MetricName[];
}
/**
 * Thresholds that differ from the defaults. D is the date of a day.
 */
export interface PolicyRules {
  /**
   * The metrics without which a day waits for its deadline.
   */
  required?: MetricName[];
  /**
   * Hours after the end of D from which a collection tries.
   */
  first_try_hours?: number;
  /**
   * Hours after the end of D at which a day is taken as it is.
   */
  deadline_hours?: number;
  /**
   * Days after the end of D within which a small change is taken.
   */
  settling_days?: number;
  /**
   * Largest small change, as a share of the value that was accepted first, or by a person.
   */
  tolerance?: number;
  /**
   * Days after the end of D within which a missing value is filled in.
   */
  fill_in_days?: number;
  /**
   * Number of differing dates above which the history of a metric has shifted.
   */
  shift_dates?: number;
  /**
   * Metrics that a source recomputes over their whole history. Their accepted values are not compared with it again, unless a person accepts a revision; missing ones are filled in. Default: l1_fees_total of arbitrum and base.
   */
  frozen?: MetricName[];
  /**
   * Least and most blocks of a day.
   */
  blocks?: number[];
  /**
   * Most that the median fee may be of the mean one. Default: 2, which no day exceeds if its count, its fees and their median are about the same transactions; 20 on arbitrum, where some counts have the protocol's own transactions, which pay no fee.
   */
  median_factor?: number;
  jump_factor?: PolicyJump;
  cross?: PolicyCross;
}
/**
 * Factor around the median of the last 28 dates outside of which a value is withheld, unless it is at a level that a person accepted.
 */
export interface PolicyJump {
  /**
   * For numbers of things.
   */
  counts?: number;
  /**
   * For numbers of things that a day requires, if they are below the median.
   */
  drops?: number;
  /**
   * For amounts and prices of gas.
   */
  others?: number;
}
/**
 * Largest relative difference between two sources.
 */
export interface PolicyCross {
  /**
   * Of metrics that both define in the same way.
   */
  same?: number;
  /**
   * Of the ratio of other metrics from the usual one.
   */
  ratio?: number;
}
/**
 * sources.json of an input directory: per chain, the providers of the values with the date from which each delivered; and checks of the CSV files.
 */
export interface Sources {
  bitcoin?: SourceSegment[];
  ethereum?: SourceSegment[];
  arbitrum?: SourceSegment[];
  base?: SourceSegment[];
  files?: FileChecks;
}
/**
 * What the CSV file of a chain must be. It is compared with the file and never published.
 */
export interface FileChecks {
  bitcoin?: FileCheck;
  ethereum?: FileCheck;
  arbitrum?: FileCheck;
  base?: FileCheck;
}
export interface FileCheck {
  /**
   * Number of rows without the header.
   */
  rows?: number;
  sha256?: Sha256;
}
/**
 * Freshness, lag and publication context of every published chain.
 */
export interface Status {
  schema: 'status/1';
  published_revision: Revision;
  published_at: Instant;
  sequence: Sequence;
  methodology_version: MethodologyVersion;
  /**
   * Why publication is on hold; null when it is not.
   */
  hold: Reason | null;
  holds?: ChainHolds;
  chains: StatusChains;
}
export interface StatusChains {
  bitcoin?: ChainStatus;
  ethereum?: ChainStatus;
  arbitrum?: ChainStatus;
  base?: ChainStatus;
}
export interface ChainStatus {
  updated_through: CalendarDate;
  last_available: CalendarDate | null;
  freshness_at_publication: Freshness;
  /**
   * From this instant the chain is late, unless a newer date was published; null if no date is available.
   */
  late_after: Instant | null;
  /**
   * From this instant the chain is stale, unless a newer date was published; null if no date is available.
   */
  stale_after: Instant | null;
  expected_next_by: Instant;
  next?: NextDate;
  expected_lag_days: number;
  stale_after_days: number;
  days: DayCounts;
  sources: SourceSegment[];
}
/**
 * When the date after updated_through is due, as the schedule of the newest source says, also if it was missed; absent without a schedule.
 */
export interface NextDate {
  date: CalendarDate;
  first_try_at: Instant;
  deadline_at: Instant;
  settled_at: Instant;
}
export interface DayCounts {
  available: number;
  degraded: number;
  missing: number;
  withdrawn: number;
}
/**
 * store-check.json: whether the server of a store keeps the promises of conditional writes.
 */
export interface StoreCheck {
  schema: 'store-check/1';
  checked_at: Instant;
  /**
   * The server as it calls itself; null if it does not.
   */
  server: string | null;
  verdict: 'safe' | 'one-writer' | 'unusable';
  /**
   * True if the operator promised that one process at a time writes.
   */
  single_writer: boolean;
}
/**
 * store.json: identifies a prefix as a store and names its format.
 */
export interface StoreMark {
  format: 3;
}
/**
 * Regime, scorecard, confidence, freshness and drivers of a chain on its last date.
 */
export interface Summary {
  schema: 'summary/1';
  chain: Chain;
  date: CalendarDate;
  updated_through: CalendarDate;
  published_revision: Revision;
  published_at: Instant;
  methodology_version: MethodologyVersion;
  status: DayStatus;
  headline: string;
  regime: Regime;
  confidence: Confidence;
  scorecard: Scorecard;
  drivers: Driver[];
  last_available: CalendarDate | null;
  freshness_at_publication: Freshness;
  /**
   * From this instant the chain is late, unless a newer date was published; null if no date is available.
   */
  late_after: Instant | null;
  /**
   * From this instant the chain is stale, unless a newer date was published; null if no date is available.
   */
  stale_after: Instant | null;
  expected_next_by: Instant;
}
/**
 * Every number of the methodology, from the data that the generator uses.
 */
export interface Thresholds {
  schema: 'thresholds/1';
  published_revision: Revision;
  methodology_version: MethodologyVersion;
  methodology_sha256: Sha256;
  defaults: Methodology;
}
/**
 * Payload of timestamp.jws, signed by a release key: which release was the current one, and until when this may be relied on.
 */
export interface Timestamp {
  schema: 'timestamp/1';
  site: SignedSite;
  sequence: Sequence;
  sha256: Sha256;
  as_of: Instant;
  expires: Instant;
}
/**
 * The rows of a volume: a closed period of one genre and chain, one row for each date, version and status.
 */
export interface Volume {
  schema: string;
  chain: Chain;
  period: string;
  columns: string[];
  rows: (string | number | boolean | null)[][];
}
