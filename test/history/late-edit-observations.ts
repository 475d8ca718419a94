import { type Drop } from '../../generator/core/release/plan-types.js';
import type { LabelChange } from '../../schemas/types.generated.js';
import type { Edit } from './drawn-edits.js';

/** The refusal of a chain by a plan without acceptance. */
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
  /** True if the plan would publish anything. */
  readonly publishes: boolean;
};

/** A changed input: its actual and expected refusal, and the faults after acceptance. */
export type ChangeObservation = {
  readonly refused: RefusedRestatement;
  readonly expected: RefusedRestatement;
  /** Dates, day files and contents that differ from the full computation. */
  readonly faults: readonly string[];
  /** Distance to the last date whose meta record is restated, in days. Records of extremes can change any later date. */
  readonly lastLag: number;
  /** Distance to each changed label, in days. */
  readonly flipLags: readonly number[];
  /** Status of the changed date in the accepted plan. */
  readonly status: string;
};

/** A late edit of one value. */
export type EditObservation = ChangeObservation & { readonly edit: Edit };

/** A late edit that was published to the same store as the ones before it. */
export type AppliedObservation = {
  readonly edit: Edit;
  /** Outcomes of publishing without acceptance, with it, and again. */
  readonly outcomes: readonly string[];
  /** Keys that changed although the publication was refused. */
  readonly touchedByRefusal: readonly string[];
  readonly faults: readonly string[];
  /** Number of superseded records that were read back unchanged. */
  readonly readable: number;
  readonly restatedRecords: number;
};

/** The result for an input that lacks published history, with accepted restatements. */
export type DropObservation = {
  readonly outcome: string;
  readonly drops: readonly Drop[];
  readonly publishes: boolean;
};

/** The effect of publishing one more date. */
export type AppendObservation = {
  /** Earlier dates whose entries changed. */
  readonly changedEntries: readonly string[];
  /** Earlier keys that are missing or changed, without public copies, pointer and aliases.json. */
  readonly changedKeys: readonly string[];
  /** New keys of artifacts and records. */
  readonly newKeys: number;
  readonly addedDates: readonly string[];
};

/** Output of the program `late-edits`. `drawn-edits` prints only observations of edits. */
export type LateEditObservations = {
  readonly append: AppendObservation;
  /** Edits that change a label a year later. */
  readonly far: readonly EditObservation[];
  readonly applied: readonly AppliedObservation[];
  readonly verifyFaults: readonly object[];
  readonly mismatch: { readonly kind: string; readonly publishes: boolean };
  readonly drops: { readonly [name: string]: DropObservation };
  readonly rowGone: ChangeObservation;
  readonly rowFilled: ChangeObservation;
  readonly earlierStart: ChangeObservation;
};
