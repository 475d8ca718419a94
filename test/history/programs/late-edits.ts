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
import type { AppendObservation, LateEditObservations } from '../late-edit-observations.js';
import { observeApplied } from '../observe-applied.js';
import { observeChange, observeDrop, observeEdit } from '../observe-change.js';
import {
  createPublished,
  readDigests,
  readState,
  REASON,
  type PublishedSeries,
} from '../published-series.js';

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
