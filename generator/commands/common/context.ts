import type { Paint } from '../../../infra/process/paint.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { ExitName } from '../../core/generator-error.js';
import type { Progress } from '../../run/progress.js';
import type { Signing } from '../../signing/signing.js';
import type { CommandLine } from './accept-command.js';

/** The options that every command has. */
export type CommonOptions = {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logJson?: boolean;
  readonly report?: string;
  readonly endpoint?: string;
  readonly pathStyle?: boolean;
};

/** The effects that a command may use. */
export type CommandContext = {
  /** Shows the result: `document` with --json, otherwise `text` unless --quiet. The run report contains `document`. */
  readonly show: (document: object, text: string) => void;
  /** Colours an outcome in a text for `show`, which colours the one at its beginning itself. */
  readonly paint: Paint;
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
  /** The command line of this run. */
  readonly commandLine: CommandLine;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly progress: Progress;
  /** Aborted when the operator interrupts. */
  readonly signal: AbortSignal;
  /** Opens the store at an address. @throws StoreError 'address'. */
  readonly openStore: (address: string) => Promise<ObjectStore>;
  /**
   * Opens the key that signs the releases of a store; `undefined` if they are not signed. With `isChecked`, the current release
   * may be one that nobody has signed. @throws GeneratorError 'usage', 'damaged'
   */
  readonly openSigning: (
    store: ObjectStore,
    options?: { readonly isChecked?: boolean },
  ) => Promise<Signing | undefined>;
};

/** Runs commands. A command's action passes it the work to do. */
export type CommandHost = {
  readonly run: (
    name: string,
    options: CommonOptions,
    work: (context: CommandContext) => Promise<ExitName>,
  ) => Promise<void>;
};
