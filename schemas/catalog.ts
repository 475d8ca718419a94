import type { Chain, Genre, MetricName, RegimeLabel, Window } from './types.generated.js';

/** The supported chains. Lags are whole days after the end of a date. */
export const CHAINS = {
  bitcoin: { name: 'Bitcoin', nativeCoin: 'BTC', expectedLagDays: 1, staleAfterDays: 3 },
  ethereum: { name: 'Ethereum', nativeCoin: 'ETH', expectedLagDays: 1, staleAfterDays: 3 },
  arbitrum: { name: 'Arbitrum', nativeCoin: 'ETH', expectedLagDays: 1, staleAfterDays: 3 },
  base: { name: 'Base', nativeCoin: 'ETH', expectedLagDays: 1, staleAfterDays: 3 },
} as const satisfies Record<Chain, ChainDefinition>;

/** Public facts about a chain. */
type ChainDefinition = {
  readonly name: string;
  readonly nativeCoin: string;
  readonly expectedLagDays: number;
  readonly staleAfterDays: number;
};

/** The chains in display order. */
export const CHAIN_IDS = ['bitcoin', 'ethereum', 'arbitrum', 'base'] as const satisfies readonly Chain[];

/** The first day of bitcoin. No chain has an earlier one. */
export const FIRST_DATE = '2009-01-03';

/** The genres of subscriber files. */
export const GENRES = ['meta', 'gold', 'derived', 'briefs'] as const satisfies readonly Genre[];

/** What a file of each genre contains, in the words of a buyer. */
export const GENRE_WORDS: Readonly<Record<Genre, string>> = {
  meta: 'Regime, scores and drivers',
  gold: 'Metrics',
  derived: 'Averages, changes and ratios',
  briefs: 'Brief in plain English',
};

/** The genres whose closed periods are also published as volumes. */
export const VOLUME_GENRES = ['meta', 'gold', 'derived'] as const satisfies readonly Genre[];

/** A genre with volumes. */
export type VolumeGenre = (typeof VOLUME_GENRES)[number];

/** The file formats of a volume. */
export const VOLUME_FORMATS = ['parquet', 'csv'] as const;

/** A file format of a volume. */
export type VolumeFormat = (typeof VOLUME_FORMATS)[number];

/** Number of dates in a bundle, by window. */
export const WINDOWS = {
  latest: 1,
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '365d': 365,
} as const satisfies Record<Window, number>;

/** The files that a plan includes, and its price. */
export type PlanDefinition = {
  readonly name: string;
  /** All chains, or the one chain of the subscription. */
  readonly chains: 'all' | 'selected';
  /** Windows of the included bundles of meta, gold and derived. */
  readonly windows: readonly Window[];
  /** Access to manifests and day files, including older revisions. */
  readonly archive: boolean;
  /** Only the latest brief, or all briefs, in bundles and by day. */
  readonly briefs: 'latest' | 'all';
  /** Another name of the plan that a checkout request may use. */
  readonly alias: string;
  /** Monthly price in hundredths of `PRICE_CURRENCY`. */
  readonly monthlyCents: number;
};

/** Currency of all prices in Stripe's notation (ISO 4217, lower case). */
export const PRICE_CURRENCY = 'usd';

/** The price list: what each plan includes. The table in gateway/README.md is generated from it. */
export const PLANS = {
  'single-chain': {
    name: 'Single Chain',
    chains: 'selected',
    windows: ['latest', '7d', '30d', '90d'],
    archive: false,
    briefs: 'latest',
    alias: 'basic',
    monthlyCents: 4_900,
  },
  research: {
    name: 'Research',
    chains: 'all',
    windows: ['latest', '7d', '30d', '90d', '365d'],
    archive: true,
    briefs: 'all',
    alias: 'pro',
    monthlyCents: 14_900,
  },
} as const satisfies Record<string, PlanDefinition>;

export type PlanId = keyof typeof PLANS;

/** The plans, from the smallest to the largest. "PURE" keeps the table out of scripts of the pages that do not use it. */
export const PLAN_IDS = /* @__PURE__ */ Object.keys(PLANS) as PlanId[]; // Object.keys loses the key type

const ALL = CHAIN_IDS;
const ROLLUPS = ['arbitrum', 'base'] as const;
const EVM = ['ethereum', 'arbitrum', 'base'] as const;

/** Public facts about a metric. */
type MetricDefinition = { readonly words: string; readonly unit: string; readonly chains: readonly Chain[] };

/** The canonical daily metrics: their names in texts, their units and the chains that have them. */
export const METRICS = {
  tx_count: { words: 'transactions', unit: 'transactions', chains: ALL },
  active_addresses: { words: 'active addresses', unit: 'addresses', chains: ALL },
  new_addresses: { words: 'new addresses', unit: 'addresses', chains: ALL },
  transfer_count: { words: 'transfers', unit: 'transfers', chains: ['bitcoin', 'ethereum'] },
  failed_tx_count: { words: 'failed transactions', unit: 'transactions', chains: EVM },
  block_count: { words: 'blocks', unit: 'blocks', chains: ALL },
  block_weight: { words: 'block weight', unit: 'weight units', chains: ['bitcoin'] },
  block_size: { words: 'block size', unit: 'bytes', chains: ['bitcoin'] },
  gas_used: { words: 'gas used', unit: 'gas', chains: EVM },
  gas_limit_mean: { words: 'mean gas limit', unit: 'gas per block', chains: ['ethereum', 'base'] },
  gas_price_mean: { words: 'mean gas price', unit: 'gwei', chains: EVM },
  fees_total: { words: 'fees', unit: 'native coin', chains: ALL },
  fee_median: { words: 'median fee', unit: 'native coin per transaction', chains: ALL },
  l1_fees_total: { words: 'fees paid to Ethereum', unit: 'ETH', chains: ROLLUPS },
  hash_rate: { words: 'hash rate', unit: 'TH/s', chains: ['bitcoin'] },
  difficulty: { words: 'difficulty', unit: 'dimensionless', chains: ['bitcoin'] },
  issuance: { words: 'issuance', unit: 'native coin', chains: ['bitcoin', 'ethereum'] },
} as const satisfies Record<MetricName, MetricDefinition>;

/** Units in which every value is a whole number. */
const COUNTED: ReadonlySet<string> = new Set([
  'transactions',
  'addresses',
  'transfers',
  'blocks',
  'weight units',
  'bytes',
  'gas',
]);

/** Returns whether every value of a metric is a whole number. */
export function isCounted(metric: MetricName): boolean {
  return COUNTED.has(METRICS[metric].unit);
}

/** File names of the published example programs, ascending. */
export const EXAMPLE_NAMES = [
  'download.mjs',
  'download.sh',
  'sync.ts',
  'with_duckdb.py',
  'with_pandas.py',
  'with_polars.py',
] as const;

/** Names of the guides of the documentation, in reading order. */
export const GUIDE_NAMES = ['download', 'tools', 'join', 'revisions', 'verify', 'keys'] as const;

export type GuideName = (typeof GUIDE_NAMES)[number];

/** The metrics in display order. "PURE" as for the plans. */
export const METRIC_NAMES = /* @__PURE__ */ Object.keys(METRICS) as MetricName[]; // Object.keys loses the key type

/** Returns the metrics that `chain` supports, in display order. */
export function metricsOf(chain: Chain): MetricName[] {
  return METRIC_NAMES.filter((metric) => (METRICS[metric].chains as readonly Chain[]).includes(chain));
}

/**
 * Meaning of each label, the same on pages, in texts and in the glossary. Low
 * pressure is "cheaper than usual", without a word on blocks: it implies a cost below normal (methodology v1, section 3).
 */
export const LABEL_MEANINGS = {
  congested: 'more use than usual and block space scarce',
  expanding: 'more use than usual and block space not scarce',
  strained: 'block space scarce, although use is not above usual',
  steady: 'nothing unusual',
  slack: 'usual use, cheaper than usual',
  quiet: 'less use than usual',
  dormant: 'less use than usual, cheaper than usual',
  indeterminate: 'not enough evidence to say',
} as const satisfies Record<RegimeLabel, string>;

/** Returns the defined values of `value` by chain, in display order. */
export function byChain<T>(value: (chain: Chain) => T | undefined): { [chain in Chain]?: T } {
  const result: { [chain in Chain]?: T } = {};
  for (const chain of CHAIN_IDS) {
    const item = value(chain);
    if (item !== undefined) result[chain] = item;
  }
  return result;
}
