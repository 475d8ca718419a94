import { canonicalJson } from '../../schemas/canonical-json.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { RefusalNote } from '../core/release/publish-report.js';
import {
  findRefusals,
  mergeRefusals,
  refusalDigest,
  sinceOf,
  stillWaiting,
  withoutNew,
  type JudgedRefusals,
} from '../core/release/refusal-record.js';
import { readRefusals, withWritableCommand, writeRefusals } from '../state/stored-refusals.js';
import { readProductTexts } from '../texts/product-texts.js';
import type { PreparedPlan } from './prepare-plan.js';

/** Options for `recordRefusals`. */
export type RecordOptions = {
  /** Time of the run. */
  readonly at: string;
  /** Arguments of the run. */
  readonly args: readonly string[];
  /** True to compare without writing. */
  readonly dryRun: boolean;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
};

/**
 * Compares what a plan refuses with the record in the store, and updates the record. It is best effort: a record that
 * cannot be read or written is a warning, and the run ends as it would without it. A run with faults in its input exits
 * 3, not 5, so it does not record what it refuses for the first time.
 */
export async function recordRefusals(
  store: ObjectStore,
  { plan, input, start: { state } }: PreparedPlan,
  { at, args, dryRun, warn }: RecordOptions,
): Promise<RefusalNote> {
  if (state === undefined) return { digest: null, sameAsBefore: false, known: [] };
  const { record } = state;
  const judged = findRefusals({ plan, inputs: input.series, record, texts: await readProductTexts(), args });
  try {
    const { refused: recorded, etag } = await readRefusals(store);
    const before = stillWaiting(recorded, record);
    const refused = mergeRefusals(before, judged, at).map(withWritableCommand);
    const recordable = input.faults.length === 0 ? refused : withoutNew(before, judged);
    const isChanged = canonicalJson(recordable) !== canonicalJson(recorded);
    if (isChanged && !dryRun) await writeRefusals(store, recordable, etag).catch(warnOfFailure);
    const digest = judged.found.length === 0 ? null : refusalDigest(refused); // also of those that are not recorded
    const known = judged.found.flatMap((each) => {
      const since = sinceOf(before, each);
      return since === undefined ? [] : [{ chain: each.chain, since }];
    });
    return { digest, sameAsBefore: known.length > 0 && known.length === judged.found.length, known };
  } catch (error) {
    warnOfFailure(error);
    return withoutRecord(judged, at);
  }

  function warnOfFailure(error: unknown): void {
    const cause = error instanceof Error ? error.message : String(error);
    warn(
      judged.found.length === 0
        ? `The record of earlier refusals was not updated, so status may still show them: ${cause}`
        : `The record of refusals was not updated, so the next run may report a refusal as new: ${cause}`,
    );
  }
}

/** Returns the note of a run that could not read the record. */
function withoutRecord(judged: JudgedRefusals, at: string): RefusalNote {
  const digest = judged.found.length === 0 ? null : refusalDigest(mergeRefusals([], judged, at));
  return { digest, sameAsBefore: false, known: [] };
}
