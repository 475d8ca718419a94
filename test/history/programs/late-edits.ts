/** Changes published history in selected ways, and prints the resulting plans and stores. */
import pMap from 'p-map';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { applyEdit, farReachingEdits, valueOf, type Edit } from '../drawn-edits.js';
import { cutBetween, withoutColumn, withoutRow } from '../edited-series.js';
import { seriesOf } from '../history-data.js';
import { drawnEdits, FIRST, LAST, LAST_BUT_ONE, readEditedHistory, SECOND } from '../late-edit-input.js';
import type {
  AppendObservation,
  LateEditObservations,
  AppliedObservation,
} from '../late-edit-observations.js';
import { observeChange, observeDrop, observeEdit } from '../observe-change.js';
import {
  createPublished,
  readDigests,
  readState,
  REASON,
  type PublishedSeries,
  PLANNED_REVISION,
} from '../published-series.js';
import type { PublishedState } from '../../../generator/core/release/plan-types.js';
import { readArtifactJson } from '../../../generator/state/stored-json.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { addDays } from '../../../schemas/dates.js';
import { manifestPath } from '../../../schemas/paths.js';
import { compareRecords, findManifestFaults } from '../expected-changes.js';
import { contentOf, toFullRecords, type FullRecords } from '../full-records.js';

/** Publishes edits to a store with `inputs`, one each day. */
async function observeApplied(
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

/** A date in the middle of bitcoin's labelled dates. */
const LOST_ROW = '2023-03-15';

/** Publishes the history without its last date, and then all of it, to the same store. */
async function observeAppend(
  inputs: readonly InputSeries[],
): Promise<{ readonly append: AppendObservation; readonly published: PublishedSeries }> {
  const store = createMemoryStore();
  const shorter = inputs.map((series) => cutBetween(series, FIRST, LAST_BUT_ONE));
  await publishSeries(store, { inputs: shorter, asOf: '2023-12-31' });
  const [state, digests] = [await readState(store), await readDigests(store)];
  const published = await createPublished(inputs, store);
  const later = await readDigests(store);
  const isImmutable = (key: string): boolean => /^(objects|releases)\//.test(key);
  const entries = [...published.state.manifests].flatMap(([path, { dates }]) =>
    dates.map((entry) => ({ key: `${path} ${entry.date}`, date: entry.date, text: JSON.stringify(entry) })),
  );
  const before = new Map(
    [...state.manifests].flatMap(([path, { dates }]) =>
      dates.map((entry) => [`${path} ${entry.date}`, JSON.stringify(entry)]),
    ),
  );
  const after = new Map(entries.map(({ key, text }) => [key, text]));
  const append = {
    changedEntries: [...before].filter(([key, text]) => after.get(key) !== text).map(([key]) => key),
    changedKeys: [...digests]
      .filter(([key, digest]) => isImmutable(key) && later.get(key) !== digest)
      .map(([key]) => key),
    newKeys: [...later.keys()].filter((key) => isImmutable(key) && !digests.has(key)).length,
    addedDates: [...new Set(entries.filter(({ key }) => !before.has(key)).map(({ date }) => date))],
  };
  return { append, published };
}

/** Plans an edit with the accepted plan digest of another one. */
async function observeMismatch(
  published: PublishedSeries,
  [one, other]: readonly Edit[],
): Promise<LateEditObservations['mismatch']> {
  if (one === undefined || other === undefined) throw new Error('two edits are needed');
  const edited = (edit: Edit): InputSeries => applyEdit(seriesOf(published.inputs, edit.chain), edit);
  const planDigest = (await published.plan(edited(one))).plan_digest ?? 'none';
  const plan = await published.plan(edited(other), { reason: REASON, planDigest });
  return { kind: plan.chains[other.chain]?.refusal?.kind ?? 'none', publishes: plan.release !== undefined };
}

async function observeDrops(published: PublishedSeries): Promise<LateEditObservations['drops']> {
  const series = seriesOf(published.inputs, 'bitcoin');
  const column = series.metrics.fees_total ?? [];
  const emptied = { ...series, metrics: { ...series.metrics, fees_total: column.map(() => null) } };
  return {
    laterStart: await observeDrop(published, cutBetween(series, SECOND, LAST)),
    earlierEnd: await observeDrop(published, cutBetween(series, FIRST, LAST_BUT_ONE)),
    goneColumn: await observeDrop(published, withoutColumn(series, 'fees_total')),
    emptyColumn: await observeDrop(published, emptied),
  };
}

/** Returns five edits for one store: of three chains, with one value edited twice and then restored. */
function chooseApplied(inputs: readonly InputSeries[], far: readonly Edit[], drawn: readonly Edit[]): Edit[] {
  const first = far.at(-1);
  const [bitcoin, arbitrum] = (['bitcoin', 'arbitrum'] as const).map((chain) =>
    drawn.find((edit) => edit.chain === chain && edit.metric === 'tx_count'),
  );
  if (first === undefined || bitcoin === undefined || arbitrum === undefined) {
    throw new Error('the draw has too few edits');
  }
  const original = valueOf(seriesOf(inputs, first.chain), first.metric, first.date) ?? NaN;
  return [first, bitcoin, { ...first, value: original * 2 }, arbitrum, { ...first, value: original }];
}

async function observeLateEdits(): Promise<LateEditObservations> {
  const inputs = await readEditedHistory();
  const { append, published } = await observeAppend(inputs);
  const bitcoin = seriesOf(inputs, 'bitcoin');
  const far = farReachingEdits(inputs);
  const holed = await createPublished([withoutRow(bitcoin, LOST_ROW)]);
  const later = await createPublished([cutBetween(bitcoin, SECOND, LAST)]);
  return {
    append,
    far: await pMap(far, (edit) => observeEdit(published, edit), { concurrency: 1 }),
    mismatch: await observeMismatch(published, far),
    drops: await observeDrops(published),
    rowGone: await observeChange(published, withoutRow(bitcoin, LOST_ROW), LOST_ROW),
    rowFilled: await observeChange(holed, bitcoin, LOST_ROW),
    earlierStart: await observeChange(later, bitcoin, FIRST),
    applied: await observeApplied(published.store, inputs, chooseApplied(inputs, far, drawnEdits(inputs))),
    verifyFaults: (await verifyStore(published.store, { deep: true })).faults,
  };
}

process.stdout.write(JSON.stringify(await observeLateEdits()));
