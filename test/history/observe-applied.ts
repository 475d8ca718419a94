import type { InputSeries } from '../../generator/core/input/input-series.js';
import type { PublishedState } from '../../generator/core/release/plan-types.js';
import { readArtifactJson } from '../../generator/state/stored-json.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { addDays } from '../../schemas/dates.js';
import { manifestPath } from '../../schemas/paths.js';
import { publishSeries } from '../support/release/publish-series.js';
import { applyEdit, type Edit } from './drawn-edits.js';
import { compareRecords, findManifestFaults } from './expected-changes.js';
import { seriesOf } from './history-data.js';
import type { AppliedObservation } from './late-edit-observations.js';
import { contentOf, toFullRecords, type FullRecords } from './full-records.js';
import { PLANNED_REVISION, readDigests, readState } from './published-series.js';

/** Publishes edits to a store with `inputs`, one each day. */
export async function observeApplied(
  store: ObjectStore,
  inputs: readonly InputSeries[],
  edits: readonly Edit[],
): Promise<AppliedObservation[]> {
  const observations: AppliedObservation[] = [];
  let current = inputs;
  for (const [n, edit] of edits.entries()) {
    const asOf = addDays(PLANNED_REVISION.slice(0, 10), n);
    const edited = applyEdit(seriesOf(current, edit.chain), edit);
    const next = current.map((each) => (each.chain === edit.chain ? edited : each));
    observations.push(await publishEdit(store, { edit, asOf, before: current, after: next }));
    current = next;
  }
  return observations;
}

type EditOptions = {
  readonly edit: Edit;
  readonly asOf: string;
  readonly before: readonly InputSeries[];
  readonly after: readonly InputSeries[];
};

/** Publishes an edit three times: refused, accepted, and again without a change. */
async function publishEdit(
  store: ObjectStore,
  { edit, asOf, before, after }: EditOptions,
): Promise<AppliedObservation> {
  const { chain } = edit;
  const was = toFullRecords(seriesOf(before, chain));
  const records = toFullRecords(seriesOf(after, chain));
  const expected = compareRecords(was, records);
  const [state, digests] = [await readState(store), await readDigests(store)];

  const refused = await publishSeries(store, { inputs: after, asOf });
  const afterRefusal = await readDigests(store);
  const keys = new Set([...digests.keys(), ...afterRefusal.keys()]);
  const touchedByRefusal = [...keys].filter((key) => digests.get(key) !== afterRefusal.get(key));

  const reason = `edit of ${edit.date}`;
  const accepted = await publishSeries(store, { inputs: after, asOf, acceptance: { reason } });
  const restated = await readState(store);
  const repeated = await publishSeries(store, { inputs: after, asOf });
  const faults = findManifestFaults({
    chain,
    before: state.manifests,
    after: restated.manifests,
    expected,
    records,
    revision: restated.record.revision,
    reason,
  });
  return {
    edit,
    outcomes: [refused.outcome, accepted.outcome, repeated.outcome],
    touchedByRefusal,
    faults,
    readable: await countReadable(store, restated, edit, was),
    restatedRecords: expected.genres.meta.length,
  };
}

/** Returns the number of meta records superseded by this release that can be read unchanged. */
async function countReadable(
  store: ObjectStore,
  { manifests, record }: PublishedState,
  { chain }: Edit,
  was: FullRecords,
): Promise<number> {
  let readable = 0;
  for (const entry of manifests.get(manifestPath('meta', chain))?.dates ?? []) {
    const last = entry.superseded.at(-1);
    if (entry.revision !== record.revision || last === undefined) continue;
    const old = await readArtifactJson(store, last.sha256, 'meta-day');
    if (contentOf(old) === was.texts.meta.get(entry.date)) readable += 1;
  }
  return readable;
}
