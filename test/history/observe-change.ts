import type { InputSeries } from '../../generator/core/input/input-series.js';
import type { Plan, PlannedRelease } from '../../generator/core/release/plan-types.js';
import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import { dayPath, manifestPath } from '../../schemas/paths.js';
import type { Chain } from '../../schemas/types.generated.js';
import { applyEdit, type Edit } from './drawn-edits.js';
import { seriesOf } from './history-data.js';
import {
  compareRecords,
  findManifestFaults,
  plannedManifests,
  type ExpectedChanges,
} from './expected-changes.js';
import type {
  ChangeObservation,
  DropObservation,
  EditObservation,
  RefusedRestatement,
} from './late-edit-observations.js';
import { contentOf, toFullRecords, type FullRecords } from './full-records.js';
import { PLANNED_REVISION, REASON, type PublishedSeries } from './published-series.js';

/** Plans a changed series without acceptance, and then with acceptance of the digest of the first plan. */
export async function observeChange(
  published: PublishedSeries,
  series: InputSeries,
  changedDate: string,
): Promise<ChangeObservation> {
  const { chain } = series;
  const records = toFullRecords(series);
  const before = published.records(chain);
  const expected = compareRecords(before, records);
  const refused = await published.plan(series);
  const planDigest = refused.plan_digest ?? 'none';
  const { release } = await published.plan(series, { reason: REASON, planDigest });
  const after = release ? plannedManifests(published.state, release) : published.state.manifests;
  const change = { chain, expected, records, after, revision: PLANNED_REVISION, reason: REASON };
  const dates = records.meta.map(({ date }) => date);
  const lag = (date: string): number => dates.indexOf(date) - dates.indexOf(changedDate);
  return {
    refused: toRefused(refused, chain),
    expected: toExpected(expected, dates.length),
    faults: [
      ...findManifestFaults({ ...change, before: published.state.manifests }),
      ...(release ? findFileFaults(release, published, chain, expected) : ['nothing would be published']),
      ...(release ? findContentFaults(release, chain, records) : []),
    ],
    lastLag: lag(expected.genres.meta.at(-1) ?? ''),
    flipLags: expected.labels.map(({ date }) => lag(date)),
    status:
      after.get(manifestPath('meta', chain))?.dates.find(({ date }) => date === changedDate)?.status ?? '',
  };
}

/** Plans the published input with an edit. */
export async function observeEdit(published: PublishedSeries, edit: Edit): Promise<EditObservation> {
  const series = applyEdit(seriesOf(published.inputs, edit.chain), edit);
  return { edit, ...(await observeChange(published, series, edit.date)) };
}

/** Plans a series that lacks published history, with accepted restatements. */
export async function observeDrop(published: PublishedSeries, series: InputSeries): Promise<DropObservation> {
  const plan = await published.plan(series, { reason: REASON });
  const { outcome, refusal } = plan.chains[series.chain] ?? { outcome: 'none' };
  const drops = refusal?.kind === 'drop' ? refusal.drops : [];
  return { outcome, drops, publishes: plan.release !== undefined };
}

function toRefused(plan: Plan, chain: Chain): RefusedRestatement {
  const found = plan.chains[chain];
  const refusal = found?.refusal;
  const restatement = refusal === undefined || refusal.kind === 'drop' ? undefined : refusal.restatement;
  return {
    outcome: found?.outcome ?? 'none',
    new: found?.new ?? NaN,
    restated: found?.restated ?? NaN,
    unchanged: found?.unchanged ?? NaN,
    kind: refusal?.kind ?? 'none',
    dates: restatement?.dates ?? NaN,
    first_date: restatement?.first_date ?? '',
    last_date: restatement?.last_date ?? '',
    input_dates: restatement?.input_dates ?? [],
    label_changes: restatement?.label_changes ?? [],
    publishes: plan.release !== undefined,
  };
}

function toExpected(
  { restated, added, genres, labels }: ExpectedChanges,
  listed: number,
): RefusedRestatement {
  return {
    outcome: 'refused',
    new: added.length,
    restated: restated.length,
    unchanged: listed - added.length - restated.length,
    kind: 'restatement',
    dates: restated.length,
    first_date: restated[0] ?? '',
    last_date: restated.at(-1) ?? '',
    input_dates: genres.gold,
    label_changes: labels,
    publishes: false,
  };
}

/** Returns the files that the release would wrongly write or keep. */
function findFileFaults(
  { record, artifacts }: PlannedRelease,
  { state }: PublishedSeries,
  chain: Chain,
  { genres, added }: ExpectedChanges,
): string[] {
  const must = GENRES.flatMap((genre) =>
    [...genres[genre], ...added].map((date) => dayPath(genre, chain, date)),
  );
  const days = artifacts.map(({ path }) => path).filter((path) => /\d{4}-\d{2}-\d{2}\.json$/.test(path));
  const surplus = days
    .filter((path) => !must.includes(path))
    .map((path) => `${path} is written without need`);
  const lacking = must.filter((path) => !days.includes(path)).map((path) => `${path} is not written`);
  const others = CHAIN_IDS.filter((each) => each !== chain);
  const moved = (['manifests', 'bundles', 'public'] as const).flatMap((section) =>
    Object.entries(state.record[section])
      .filter(([path]) => others.some((other) => path.includes(`/${other}`)))
      .filter(([path, { sha256 }]) => record[section][path]?.sha256 !== sha256)
      .map(([path]) => `${path} belongs to another chain and changes`),
  );
  return [...surplus, ...lacking, ...moved];
}

/** Returns the day files of the release that differ from the full computation. */
function findContentFaults({ artifacts }: PlannedRelease, chain: Chain, { texts }: FullRecords): string[] {
  const contents = new Map(artifacts.map((artifact) => [artifact.path, artifact.content]));
  return GENRES.flatMap((genre) =>
    [...texts[genre]].flatMap(([date, text]) => {
      const path = dayPath(genre, chain, date);
      const content = contents.get(path)?.();
      const isSame = content === undefined || contentOf(content.value as object) === text; // a day file is an object
      return isSame ? [] : [`${path} differs from the full computation`];
    }),
  );
}
