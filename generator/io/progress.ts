/** The stages of a run, in order. `write` is the bulk of a first publication. */
export type Stage =
  'input' | 'state' | 'plan' | 'mark' | 'write' | 'record' | 'commit' | 'aliases' | 'verify';

/** Hears how a run gets on. */
export type Progress = {
  readonly begin: (stage: Stage, total?: number) => void;
  readonly advance: (count?: number) => void;
  readonly end: (note?: string) => void;
  /** Clears what is shown of a stage that failed; harmless after its end. */
  readonly abandon: () => void;
};

/** Hears nothing. */
export const SILENT: Progress = {
  begin: () => undefined,
  advance: () => undefined,
  end: () => undefined,
  abandon: () => undefined,
};
