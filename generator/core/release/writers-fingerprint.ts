import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS, LABEL_MEANINGS, METRIC_NAMES, metricsOf } from '../../../schemas/catalog.js';
import { toDate } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { calendarPath } from '../../../schemas/paths.js';
import type { Chain, ChainEvents, RegimeLabel, SourceSegment } from '../../../schemas/types.generated.js';
import { bodyOf, type FileTemplate, type ReleaseStamp } from '../artifacts/artifact.js';
import { toChainFacts, type ChainFacts } from '../artifacts/chain-facts.js';
import { chartDataFile, type ChartPoint } from '../artifacts/chart-data.js';
import type { HistoryDay } from '../artifacts/regimes.js';
import { chainChartFile, overviewChartFile } from '../charts/chart-files.js';
import { regimeEventsFile } from '../feeds/regime-events.js';
import { nextEvents } from '../feeds/chain-events.js';
import { crawlerFiles } from '../pages/release-pages.js';
import { chainsPage, frontPage } from '../pages/front-page.js';
import { datasetFiles } from '../draft/dataset-files.js';
import type { ReferenceTexts } from '../draft/site.js';
import { landingFile, statusFile } from '../artifacts/release-files.js';
import { toInputSeries, type InputSeries } from '../input/input-series.js';
import { createDayWriters, DAY_SCHEMAS } from '../records/day-writers.js';
import { draftSteps } from '../draft/chain-draft.js';
import { chainFiles } from '../draft/chain-state.js';
import { runSteps, type Steps } from '../steps.js';
import { eventFiles, feedSiteOf } from './settle-events.js';

/** Length in days of the series whose records are probed, every 13th day. Longer than the baseline window. */
const PROBE_DAYS = 420;
const PROBE_STEP = 13;
/** Length in days of the series whose other files are probed. */
const PROBE_FILE_DAYS = 20;
/** Day number of 2019-04-14. */
const PROBE_FIRST_DAY = 18_000;
const STAMP: ReleaseStamp = {
  revision: '2000-01-01.000001',
  sequence: 1,
  publishedAt: '2000-01-01T00:00:00Z',
};
const PROBE_SOURCES: readonly SourceSegment[] = [
  { name: 'probe', licence: 'none', attribution: 'by', url: 'https://example.com/', notes: 'note' },
  {
    from: '2019-05-01',
    name: 'other',
    licence: 'some',
    url: 'nowhere',
    schedule: { first_try_hours: 1, deadline_hours: 12, settling_days: 3 },
  },
];

/**
 * Returns a digest of samples of what the code writes for built-in series. It changes when a writer, the methodology or
 * the platform's arithmetic produces other bytes for them. While it is unchanged, published history with the same input is
 * not rebuilt; a change that the samples do not show needs `--full`. It does not depend on the site, which is compared
 * separately.
 */
export function writersFingerprint(texts: ReferenceTexts): string {
  return runSteps(fingerprintSteps(texts));
}

/** Computes the fingerprint like `writersFingerprint`, a small part of the work per step. */
export function* fingerprintSteps(texts: ReferenceTexts): Steps<string> {
  if (texts.digests !== undefined) return texts.digests.writersSha256;
  const { details: _details, ...site } = texts.site;
  const fingerprint =
    FINGERPRINTS.get(texts) ?? (yield* probeWriters({ ...texts, site: { ...site, ...ASSETS } }));
  FINGERPRINTS.set(texts, fingerprint);
  return fingerprint;
}

/**
 * Stands for the scripts and the style sheet, whose paths change with their content. Published pages keep theirs until they
 * are written again, because a release keeps listing old ones.
 */
const ASSETS = {
  stylesheet: { path: '', text: '' },
  script: { path: '', text: '' },
  searchScript: { path: '', text: '' },
  metricsScript: { path: '', text: '' },
  verifyScript: { path: '', text: '' },
};

/** Fingerprint per `texts` object: the code does not change while it runs. */
const FINGERPRINTS = new WeakMap<ReferenceTexts, string>();

function* probeWriters(texts: ReferenceTexts): Steps<string> {
  const probes: string[] = [];
  for (const chain of CHAIN_IDS) probes.push(...(yield* probeDays(chain, texts)));
  probes.push(...(yield* probeFiles(texts)), ...probeCharts(texts));
  return sha256Hex([...probes, texts.brief.source].join('')); // the source of the templates, because no probe uses every claim
}

/** Stand for the calendars, whose digests are probed beside. */
const PROBE_ENTRIES = Object.fromEntries(
  CHAIN_IDS.map((chain) => [calendarPath(chain), { sha256: '0'.repeat(64), bytes: 1 }]),
);

/** Returns the digests of the files of short series, other than their day files. */
function* probeFiles(texts: ReferenceTexts): Steps<string[]> {
  const probes: string[] = [];
  const facts: ChainFacts[] = [];
  for (const chain of CHAIN_IDS) {
    const series = probeSeries(chain, PROBE_FILE_DAYS);
    const writers = createDayWriters(series, texts);
    const options = {
      series,
      writers,
      published: undefined,
      keepsPublishedDays: false,
      stamp: STAMP,
      reason: 'probe',
    };
    const draft = yield* draftSteps(options);
    facts.push(toChainFacts(chain, draft.entries.meta, draft, series.sources));
    const history = probeHistory(draft.history);
    const events = probeEvents(chain, history);
    const entries = history.map(({ date }) => ({ date, in_force_from: STAMP.revision }));
    const revisions = {
      [STAMP.revision]: { published_at: STAMP.publishedAt, updated_through: '2000-01-01' },
    };
    const calendar = regimeEventsFile(feedSiteOf(texts), { chain, history, entries, revisions });
    const feeds = [...eventFiles(events, texts), calendar];
    probes.push(...(yield* digestsOf(feeds)));
    probes.push(...(yield* digestsOf(Object.values(chainFiles({ ...draft, history }, texts)).flat())));
    probes.push(...(yield* digestsOf(draft.sample === 'kept' ? [] : draft.sample.files)));
    probes.push(...Object.values(draft.volumes).flatMap(({ files }) => files.map(({ sha256 }) => sha256)));
  }
  const options = { facts, hold: null, methodologyVersion: texts.methodology.version };
  const files = [
    statusFile(options),
    landingFile(options),
    frontPage(texts.site, options),
    chainsPage(texts.site, options.facts),
    ...crawlerFiles(texts.site, options),
    overviewChartFile(facts),
    ...datasetFiles(texts.site.details, facts, PROBE_ENTRIES),
  ];
  return [...probes, ...(yield* digestsOf(files))];
}

/** Returns a long history with every label and level, gaps, and values as on the given days. */
function probeHistory(days: readonly HistoryDay[]): HistoryDay[] {
  const labels = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type
  const levels = ['high', 'normal', 'low', null] as const;
  return Array.from({ length: PROBE_DAYS }, (_, t): HistoryDay => {
    const at = <T>(list: readonly T[], step: number): T | undefined =>
      list[Math.floor(t / step) % list.length];
    return {
      date: toDate(PROBE_FIRST_DAY + t),
      label: at(labels, 11) ?? 'steady',
      demand: at(levels, 5) ?? null,
      pressure: at(levels, 7) ?? null,
      values: at(days, 1)?.values ?? [],
    };
  }).filter((_, t) => t % 101 !== 100);
}

/** Returns the events of a history of which half was published, stale, corrected and partly withdrawn. */
function probeEvents(chain: Chain, history: readonly HistoryDay[]): ChainEvents {
  const half = history.slice(0, PROBE_DAYS / 2);
  const dates = half.map(({ date }) => date);
  const at = (t: number): string => dates.at(t) ?? '';
  const options = {
    chain,
    publishedAt: '2099-01-01T00:00:00Z', // when every date of the probe is stale
    lastAvailable: { before: null, now: at(-9) },
  };
  const nothing = {
    labelChanges: [],
    withdrawnDates: [],
    restoredDates: [],
    restatedDates: [],
    reason: null,
  };
  const before = nextEvents({ ...options, before: undefined, change: { ...nothing, history: half } });
  const after = nextEvents({
    ...options,
    before,
    change: {
      history: history
        .filter(({ date }) => date !== at(-1))
        .map((day) => (day.date === at(-30) ? { ...day, label: 'steady' } : day)),
      labelChanges: [{ date: at(-30), from: 'quiet', to: 'steady' }],
      withdrawnDates: [at(-1)],
      restoredDates: [at(-20)],
      restatedDates: [at(-40), at(-30)],
      reason: 'probe',
    },
    lastAvailable: { before: at(-9), now: '9999-01-01' },
    publishedAt: '2099-01-02T00:00:00Z',
  });
  if (after === undefined) throw new Error(`${chain} has no events`);
  return after;
}

function* digestsOf(files: readonly FileTemplate[]): Steps<string[]> {
  const digests: string[] = [];
  for (const file of files) {
    digests.push(digestOf(file));
    yield;
  }
  return digests;
}

function digestOf(file: FileTemplate): string {
  return sha256Hex(bodyOf(file.content(STAMP)));
}

/** Returns the digests of charts of a long series with every label and with gaps. */
function probeCharts({ methodology }: ReferenceTexts): string[] {
  const labels = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type
  const points = Array.from({ length: PROBE_DAYS }, (_, t): ChartPoint => {
    const z = (phase: number): number | null => ((t + phase) % 50 < 9 ? null : ((t * phase) % 61) / 16 - 1.9);
    return {
      date: toDate(PROBE_FIRST_DAY + t),
      label: labels[(t >> 4) % labels.length] ?? 'steady',
      confidence: 0.5,
      demand: z(7),
      pressure: z(11),
      missing: t % 7 === 0 ? ['tx_count'] : [],
    };
  }).filter((_, t) => t % 101 !== 100);
  const files = [
    chainChartFile('base', points, methodology),
    chartDataFile('base', points, methodology),
    overviewChartFile([]),
  ];
  return files.map(digestOf);
}

/** Returns the digests of day records of a long series. */
function* probeDays(chain: Chain, texts: ReferenceTexts): Steps<string[]> {
  const writers = createDayWriters(probeSeries(chain, PROBE_DAYS), texts);
  const provenance = { revision: STAMP.revision, updatedThrough: '2000-01-01' };
  const digests: string[] = [];
  for (let t = PROBE_STEP; t <= PROBE_DAYS - (PROBE_DAYS % PROBE_STEP); t += PROBE_STEP) {
    for (const schema of Object.values(DAY_SCHEMAS))
      digests.push(sha256Hex(canonicalJson(writers.write(schema, t, provenance))));
    yield;
  }
  return digests;
}

/** Returns a series with waves, steps and gaps, from integer arithmetic only. */
function probeSeries(chain: Chain, length: number): InputSeries {
  const metrics = metricsOf(chain);
  const days = Array.from({ length }, (_, t) => t).filter((t) => t % 101 !== 100);
  const rows = days.map((t) => ({
    day: PROBE_FIRST_DAY + t,
    values: metrics.map((metric) => probeValue(t, METRIC_NAMES.indexOf(metric))),
  }));
  return toInputSeries(chain, metrics, rows, PROBE_SOURCES);
}

function probeValue(t: number, m: number): number | null {
  if ((t + m) % 37 === 0) return null;
  const noise = (t * 7919 + m * 104_729) % 997;
  const wave = Math.abs(((t * (m + 3)) % 240) - 120);
  const step = t > 300 && m % 3 === 0 ? 900 : 0;
  return 1000 + noise + 4 * wave + step;
}
