import { canonicalJson } from '../../schemas/canonical-json.js';
import { addDays } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import {
  calendarPath,
  chartDataPath,
  chartPath,
  dayPath,
  manifestPath,
  methodologyDataPath,
  PAGE_PATHS,
  PUBLIC_PATHS,
  queryPath,
  volumePath,
} from '../../schemas/paths.js';
import type { DateSpan, MetaDay, ReleaseChanges, Status } from '../../schemas/types.generated.js';
import { assertValid, type SchemaName } from '../../schemas/validate.js';

/** Contents by URL path. */
export type VectorFiles = ReadonlyMap<string, Uint8Array>;

/** When and what a release of the vectors publishes. */
export type VectorStamp = {
  readonly sequence: number;
  readonly revision: string;
  readonly publishedAt: string;
  readonly updatedThrough: string;
};

const FIRST_DATE = '2026-02-28';
/** The release that puts an earlier one in force again, so that a date is withdrawn. */
const ROLLBACK = { sequence: 4, target: 2, reason: 'The figures of 2026-03-03 were wrong.' };
const METHODOLOGY = 'v1';
/** A pixel, so that one file is no text. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Returns when the release with this sequence, from 1 to 4, is published: one a day, from 2 March 2026 on. */
export function stampOf(sequence: number): VectorStamp {
  const date = `2026-03-0${sequence + 1}`;
  return {
    sequence,
    revision: `${date}.000001`,
    publishedAt: `${date}T06:00:00Z`,
    updatedThrough: `2026-03-0${sequence === ROLLBACK.sequence ? ROLLBACK.target : sequence}`,
  };
}

/** Returns the public files of a release without the list of them. Some differ in each release, some never change. */
export function publicFiles(stamp: VectorStamp): VectorFiles {
  const { revision, updatedThrough } = stamp;
  const calendar = datesOf(stamp).map((date) => `${date},bitcoin,slack,0.989329,available,v1`);
  return toFiles({
    '/': `<!doctype html>\n<title>Reference data</title>\n<p>Bitcoin through ${updatedThrough}, release ${revision}.</p>\n`,
    [PAGE_PATHS.docs]: '<!doctype html>\n<title>Documentation</title>\n<p>How to read the files.</p>\n',
    '/card.png': Buffer.from(PIXEL, 'base64'),
    [chartPath('bitcoin')]:
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><title>₿</title></svg>\n',
    [chartDataPath('bitcoin')]: toJson('chart', chart(stamp)),
    [calendarPath('bitcoin')]:
      `date,chain,regime,confidence,status,methodology_version\n${calendar.join('\n')}\n`,
    [queryPath('bitcoin')]: '-- Transactions of a day.\nSELECT count(*) AS tx_count FROM transactions;\n',
    [methodologyDataPath(METHODOLOGY)]: canonicalJson({ version: METHODOLOGY }),
    '/robots.txt': 'User-agent: *\nAllow: /\n',
    [PUBLIC_PATHS.status]: toJson('status', status(stamp)),
    [PUBLIC_PATHS.changes]: toJson('changes', {
      schema: 'changes/1',
      ...contextOf(stamp),
      releases: Array.from({ length: stamp.sequence }, (_, i) => changesOf(stampOf(stamp.sequence - i))),
    }),
  });
}

/** Returns the subscriber files of a release: the meta archive of bitcoin, with a day file per date and one volume. */
export function subscriberFiles(stamp: VectorStamp): VectorFiles {
  const days = publishedDates(stamp).map((date) => ({
    date,
    text: toJson('meta-day', metaDay(date, publisherOf(date).revision)),
    isWithdrawn: date > stamp.updatedThrough,
  }));
  const csv = `date,label\n${FIRST_DATE},slack\n`;
  const parquet = `PAR1 stands for a Parquet file of ${FIRST_DATE} PAR1`; // nobody parses it
  const [csvPath, parquetPath] = (['csv', 'parquet'] as const).map((format) =>
    volumePath('meta', 'bitcoin', '2026-02', format),
  ) as [string, string];
  const manifest = {
    schema: 'manifest/2',
    genre: 'meta',
    chain: 'bitcoin',
    updated_through: stamp.updatedThrough,
    published_revision: stamp.revision,
    sequence: stamp.sequence,
    methodology_version: METHODOLOGY,
    expected_next_by: `${addDays(stamp.updatedThrough, 3)}T00:00:00Z`,
    revisions: Object.fromEntries(stampsUpTo(stamp).map((each) => [each.revision, revisionOf(each)])),
    dates: days.map(({ date, text, isWithdrawn }) => ({
      date,
      ...versionOf(date, text),
      schema: 'meta-day/1',
      methodology_version: METHODOLOGY,
      status: isWithdrawn ? 'withdrawn' : 'available',
      path: dayPath('meta', 'bitcoin', date),
      superseded: isWithdrawn ? [{ ...versionOf(date, text), reason: ROLLBACK.reason }] : [],
      ...(isWithdrawn && { in_force_from: stampOf(ROLLBACK.sequence).revision }),
    })),
    volumes: [
      {
        period: '2026-02',
        first_date: FIRST_DATE,
        last_date: FIRST_DATE,
        rows: 1,
        schema: 'meta-volume/1',
        parquet: { path: parquetPath, ...digestOf(parquet) },
        csv: { path: csvPath, ...digestOf(csv) },
      },
    ],
  };
  return toFiles({
    [manifestPath('meta', 'bitcoin')]: toJson('manifest', manifest),
    ...Object.fromEntries(
      days
        .filter(({ isWithdrawn }) => !isWithdrawn)
        .map(({ date, text }) => [dayPath('meta', 'bitcoin', date), text]),
    ),
    [csvPath]: csv,
    [parquetPath]: parquet,
  });
}

/** Returns what a release changed: the first one published two dates, each later one the next, but a rollback none. */
export function changesOf(stamp: VectorStamp): ReleaseChanges {
  const { revision, sequence, publishedAt, updatedThrough } = stamp;
  const first = sequence === 1 ? FIRST_DATE : updatedThrough;
  const isRollback = sequence === ROLLBACK.sequence;
  const withdrawn = publishedDates(stamp).filter((date) => date > updatedThrough);
  return {
    revision,
    sequence,
    published_at: publishedAt,
    chains: {
      bitcoin: {
        updated_through: updatedThrough,
        new: isRollback ? null : spanOf(datesOf(stamp).filter((date) => date >= first)),
        restated: null,
        withdrawn: spanOf(withdrawn),
        label_changes: [],
      },
    },
    reason: isRollback ? ROLLBACK.reason : null,
    rollback: isRollback ? stampOf(ROLLBACK.target).revision : null,
  };
}

/** Returns the members that name the release in a public document. */
export function contextOf({
  revision,
  publishedAt,
  sequence,
}: VectorStamp): Omit<Status, 'schema' | 'hold' | 'chains'> {
  return {
    published_revision: revision,
    published_at: publishedAt,
    sequence,
    methodology_version: METHODOLOGY,
  };
}

export function digestOf(content: string | Uint8Array): { sha256: string; bytes: number } {
  return { sha256: sha256Hex(content), bytes: Buffer.byteLength(content) };
}

/** Returns a document as canonical JSON. @throws SchemaError if it does not match its schema */
export function toJson(name: SchemaName, value: unknown): string {
  return canonicalJson(assertValid(name, value));
}

export function stampsUpTo({ sequence }: VectorStamp): VectorStamp[] {
  return Array.from({ length: sequence }, (_, i) => stampOf(i + 1));
}

function toFiles(contents: Readonly<Record<string, string | Uint8Array>>): VectorFiles {
  return new Map(Object.entries(contents).map(([path, content]) => [path, Buffer.from(content)]));
}

/** Returns the dates that a release contains. */
export function datesOf(stamp: VectorStamp): string[] {
  return publishedDates(stamp).filter((date) => date <= stamp.updatedThrough);
}

/** Returns the dates that a release and those before it published. */
function publishedDates(stamp: VectorStamp): string[] {
  const last = Math.max(...stampsUpTo(stamp).map(({ updatedThrough }) => Number(updatedThrough.slice(-2))));
  return Array.from({ length: last + 1 }, (_, i) => addDays(FIRST_DATE, i));
}

function spanOf(dates: readonly string[]): DateSpan | null {
  const [first] = dates;
  const last = dates.at(-1);
  if (first === undefined || last === undefined) return null;
  return { days: dates.length, first_date: first, last_date: last };
}

/** Returns the version of a date that its first release published. */
function versionOf(date: string, text: string): object {
  const { revision } = publisherOf(date);
  return { revision, in_force_from: revision, ...digestOf(text) };
}

function publisherOf(date: string): VectorStamp {
  return date === FIRST_DATE ? stampOf(1) : stampOf(Number(date.slice(-2)));
}

function revisionOf({ updatedThrough, publishedAt }: VectorStamp): object {
  return { updated_through: updatedThrough, published_at: publishedAt };
}

function chart(stamp: VectorStamp): object {
  const each = datesOf(stamp);
  return {
    schema: 'chart/1',
    chain: 'bitcoin',
    updated_through: stamp.updatedThrough,
    published_revision: stamp.revision,
    methodology_version: METHODOLOGY,
    thresholds: { enter: 1, exit: 0.3 },
    first_date: FIRST_DATE,
    labels: ['congested', 'expanding', 'strained', 'steady', 'slack', 'quiet', 'dormant', 'indeterminate'],
    signals: ['tx_count', 'active_addresses', 'fee_median'],
    days: {
      label: each.map(() => 4),
      confidence: each.map(() => 0.9893),
      demand: each.map(() => -0.3259),
      pressure: each.map(() => -1.4043),
      missing: each.map(() => 0),
    },
  };
}

function status(stamp: VectorStamp): Status {
  const { updatedThrough } = stamp;
  return {
    schema: 'status/1',
    ...contextOf(stamp),
    hold: null,
    chains: {
      bitcoin: {
        updated_through: updatedThrough,
        last_available: updatedThrough,
        freshness_at_publication: 'fresh',
        late_after: `${addDays(updatedThrough, 3)}T00:00:00Z`,
        stale_after: `${addDays(updatedThrough, 5)}T00:00:00Z`,
        expected_next_by: `${addDays(updatedThrough, 3)}T00:00:00Z`,
        expected_lag_days: 1,
        stale_after_days: 3,
        days: {
          available: datesOf(stamp).length,
          degraded: 0,
          missing: 0,
          withdrawn: publishedDates(stamp).length - datesOf(stamp).length,
        },
        sources: [{ name: 'Simulated series A', licence: 'None needed: simulated' }],
      },
    },
  };
}

/** Returns the meta day of bitcoin for a date: the same figures for every date. */
function metaDay(date: string, revision: string): MetaDay {
  return {
    schema: 'meta-day/1',
    chain: 'bitcoin',
    date,
    updated_through: date,
    published_revision: revision,
    methodology_version: 'v1',
    status: 'available',
    regime: {
      label: 'slack',
      since: '2026-02-28',
      run_days: 1,
      previous_label: 'steady',
      axes: { demand: { z: -0.325937, level: 'normal' }, pressure: { z: -1.404255625, level: 'low' } },
      determinism_hash: sha256Hex(`regime of ${date}`),
    },
    confidence: {
      score: 0.989329,
      level: 'high',
      data_quality: 1,
      completeness: 1,
      depth: 1,
      density: 1,
      margin: 0.674063,
      speed: 0.183268375,
      missing_signals: [],
    },
    scorecard: {
      demand: { score: 36.48, z: -0.325937, level: 'normal', trend: 'flat' },
      cost: { score: 6.11, z: -1.6056095, level: 'low', trend: 'rising' },
      capacity: { score: 20.39, z: -0.800194, level: 'normal', trend: 'falling' },
    },
    drivers: [],
    methodology: { version: 'v1', sha256: sha256Hex('methodology'), path: methodologyDataPath('v1') },
    inputs_sha256: sha256Hex(`inputs of ${date}`),
  };
}
