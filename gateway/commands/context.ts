import type { Environment } from '../core/configuration.js';
import type { ExitName } from '../core/exit-codes.js';
import type { Accounts } from '../io/accounts.js';
import type { ServingTerms } from './serving.js';

/** The options that every command takes. */
export type CommonOptions = { readonly json?: boolean; readonly accountsStore?: string };

/** What a command may use of the outside world. */
export type CommandContext = {
  /** Gives the result: `document` with --json, else `text`. */
  readonly show: (document: object, text: string) => void;
  /** Writes a remark. */
  readonly warn: (text: string) => void;
  /** Takes these out of whatever is shown or written from now on, and every key, token and signed URL. */
  readonly hide: (secrets: readonly string[]) => void;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Gives as many unpredictable bytes as it is asked for. */
  readonly random: (size: number) => Uint8Array;
  readonly env: Environment;
  /** Aborted when the operator interrupts. */
  readonly signal: AbortSignal;
  readonly serving: ServingTerms;
  /** Opens the accounts that the options or the environment name. @throws OperatorError, StoreError */
  readonly openAccounts: () => Promise<OpenedAccounts>;
};

/** The accounts with the address of their store. */
export type OpenedAccounts = { readonly accounts: Accounts; readonly address: string };

/** Takes the work of the command that was asked for. */
export type CommandHost = {
  readonly run: (
    options: CommonOptions,
    work: (context: CommandContext) => Promise<ExitName>,
  ) => Promise<void>;
};
