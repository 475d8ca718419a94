import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ReleaseStamp, RenderedFile } from '../core/artifacts/artifact.js';
import { draftGenres, type GenreDraft, type GenreDrafts } from '../core/draft/genre-drafts.js';
import type { InputSeries } from '../core/input/input-series.js';
import { createDayWriters } from '../core/records/day-writers.js';
import { nextStamp, planSteps } from '../core/release/plan-release.js';
import type { Plan, PlanRequest } from '../core/release/plan-types.js';
import type { VolumeDraft } from '../core/volumes/draft-volumes.js';
import { assertReserve, assertSpaceForHistory } from '../state/disk-space.js';
import { toValidBody } from '../state/stored-json.js';
import { runInterruptibly } from '../run/progress.js';
import {
  beginWriting,
  type FileToWrite,
  writeFiles,
  type WriteOptions,
  type Writing,
} from './publish-release.js';

/** Minimum number of dates of a first release that is written while it is planned. A shorter one fits into memory. */
const MIN_DATES = 1_000;
/** Number of files between two looks at the reserve of the disk. */
const FILES_A_LOOK = 64;

/** Returns whether a first release is long and cannot be refused, so that it can be written while it is planned. */
export function mayPlanAhead(request: PlanRequest): boolean {
  const withheld = request.inputInvalid === true && request.allOrNothing === true;
  return request.previous === undefined && !withheld && countDates(request) >= MIN_DATES;
}

/** Returns the number of dates of all chains. */
function countDates({ inputs }: PlanRequest): number {
  return inputs.reduce((sum, { dates }) => sum + dates.length, 0);
}

/**
 * Writes the day files and volumes of a first release while it drafts them, so that no more than a few are in memory, and
 * then plans the release from the drafts. Ends the stage 'plan', which the caller began, and leaves the stage 'write' open.
 * @throws StoreError 'unavailable' if the disk has too little space; the errors of drafting and writing; the reason of the signal once it is aborted.
 */
export async function planAhead(
  request: PlanRequest,
  options: WriteOptions,
): Promise<{ readonly plan: Plan; readonly writing: Writing }> {
  const dates = countDates(request);
  await assertSpaceForHistory(options.store, { dates, chains: request.inputs.length });
  options.progress.end('first release, written while it is planned');
  const writing = await beginWriting(options, dates * GENRES.length);
  const stamp = nextStamp(undefined, request.asOfMs);
  const drafted = new Map<Chain, GenreDrafts>();
  for (const chain of CHAIN_IDS) {
    const series = request.inputs.find((each) => each.chain === chain);
    if (series === undefined) continue;
    const files = draftFiles(series, request, stamp, (drafts) => drafted.set(chain, drafts));
    await writeFiles(writing, withReserve(files, options), options);
  }
  const plan = await runInterruptibly(planSteps({ ...request, drafted }), options.signal);
  return { plan, writing };
}

/** Drafts a chain without any release. Yields its files as they are rendered, and hands over the drafts at the end. */
function* draftFiles(
  series: InputSeries,
  { texts }: PlanRequest,
  stamp: ReleaseStamp,
  handOverDrafts: (drafts: GenreDrafts) => void,
): Generator<FileToWrite> {
  const rendered: RenderedFile[] = [];
  const steps = draftGenres({
    series,
    writers: createDayWriters(series, texts),
    stamp,
    published: undefined,
    keepsPublishedDays: false,
    reason: 'first',
    handOver: (file) => void rendered.push(file),
  });
  for (;;) {
    const step = steps.next();
    for (const { artifact, content } of rendered.splice(0)) {
      yield { ...artifact, body: () => toValidBody(artifact.path, content) };
    }
    if (step.done !== true) continue;
    handOverDrafts(withoutFiles(step.value));
    return;
  }
}

/** Yields the files, and looks at the reserve of the disk once in a while. */
async function* withReserve(
  files: Iterable<FileToWrite>,
  { store }: WriteOptions,
): AsyncGenerator<FileToWrite> {
  let count = 0;
  for (const file of files) {
    if (count % FILES_A_LOOK === 0) await assertReserve(store);
    count += 1;
    yield file;
  }
}

/** Returns the drafts without their files, which are already written. */
function withoutFiles({ meta, gold, derived, briefs, volumes }: GenreDrafts): GenreDrafts {
  const clearDays = (draft: GenreDraft): GenreDraft => ({ ...draft, days: [] });
  const clearFiles = (draft: VolumeDraft): VolumeDraft => ({ ...draft, files: [] });
  return {
    meta: clearDays(meta),
    gold: clearDays(gold),
    derived: clearDays(derived),
    briefs: clearDays(briefs),
    volumes: {
      meta: clearFiles(volumes.meta),
      gold: clearFiles(volumes.gold),
      derived: clearFiles(volumes.derived),
    },
  };
}
