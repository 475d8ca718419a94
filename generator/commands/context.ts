import type { ObjectStore } from '../../infra/store/object-store.js';
import type { ExitName } from '../core/generator-error.js';
import type { Progress } from '../io/progress.js';

/** The options that every command takes. */
export type CommonOptions = {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logJson?: boolean;
  readonly report?: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
};

/** What a command may use of the outside world. */
export type CommandContext = {
  /** Gives the result: `document` with --json, else `text` unless --quiet; the run report keeps the document. */
  readonly show: (document: object, text: string) => void;
  /** Writes a line of diagnosis. */
  readonly warn: (text: string) => void;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly progress: Progress;
  /** Aborted when the operator interrupts. */
  readonly signal: AbortSignal;
  /** Opens the store at an address. @throws StoreError 'address'. */
  readonly openStore: (address: string) => Promise<ObjectStore>;
};

/** Takes the work of the command that was asked for. */
export type CommandHost = {
  readonly now: () => number;
  readonly run: (
    name: string,
    options: CommonOptions,
    work: (context: CommandContext) => Promise<ExitName>,
  ) => Promise<void>;
};
