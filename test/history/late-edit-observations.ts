import type { Drop } from '../../generator/core/release/restatement.js';
import type { LabelChange } from '../../schemas/types.generated.js';
import type { Edit } from './drawn-edits.js';

/** What a plan without acceptance says of a chain whose published history would change. */
export type RefusedRestatement = {
  readonly outcome: string;
  readonly new: number;
  readonly restated: number;
  readonly unchanged: number;
  readonly kind: string;
  readonly dates: number;
  readonly first_date: string;
  readonly last_date: string;
  readonly input_dates: readonly string[];
  readonly label_changes: readonly LabelChange[];
  /** Whether the plan would publish anything. */
  readonly publishes: boolean;
};

/** A changed input: refused as it was, and as it had to be; and what was wrong once it was accepted. */
export type ChangeObservation = {
  readonly refused: RefusedRestatement;
  readonly expected: RefusedRestatement;
  /** Listed dates, day files and their content that are not what the naive implementation says. */
  readonly faults: readonly string[];
  /** How many dates after its own the last date lies that was restated. */
  readonly lastLag: number;
  /** How many dates after its own each flipped label lies. */
  readonly flipLags: readonly number[];
  /** Status of the changed date in the accepted plan. */
  readonly status: string;
};

/** A late edit of one value. */
export type EditObservation = ChangeObservation & { readonly edit: Edit };

/** A late edit that was really published, to the same store as those before it. */
export type AppliedObservation = {
  readonly edit: Edit;
  /** Outcomes of publishing without acceptance, with it, and once more. */
  readonly outcomes: readonly string[];
  /** Keys of the store that were not as before after the refusal. */
  readonly touchedByRefusal: readonly string[];
  readonly faults: readonly string[];
  /** How many superseded records were read back and said what they had said before. */
  readonly readable: number;
  readonly restatedRecords: number;
};

/** What became of an input that has lost published history, although restatements were accepted. */
export type DropObservation = {
  readonly outcome: string;
  readonly drops: readonly Drop[];
  readonly publishes: boolean;
};

/** What publishing one more date did to a store. */
export type AppendObservation = {
  /** Listed dates of before that are not listed exactly as before. */
  readonly changedEntries: readonly string[];
  /** Keys that had been written before and have gone or changed, public copies and marks apart. */
  readonly changedKeys: readonly string[];
  /** Keys of artifacts and records that were not there before. */
  readonly newKeys: number;
  readonly addedDates: readonly string[];
};

/** Everything that the program `late-edits` observes; `drawn-edits` prints observations of edits alone. */
export type LateEditObservations = {
  readonly append: AppendObservation;
  readonly far: readonly EditObservation[];
  readonly applied: readonly AppliedObservation[];
  readonly verifyFaults: readonly object[];
  readonly mismatch: { readonly kind: string; readonly publishes: boolean };
  readonly drops: { readonly [name: string]: DropObservation };
  readonly rowGone: ChangeObservation;
  readonly rowFilled: ChangeObservation;
  readonly earlierStart: ChangeObservation;
};
