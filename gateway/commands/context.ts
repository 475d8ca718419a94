import type { DestinationStream } from 'pino';
import type { Paint } from '../../infra/process/paint.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { BillingSettings } from '../core/billing/billing-settings.js';
import type { Environment } from '../core/configuration/configuration.js';
import type { ExitName } from '../core/exit-codes.js';
import type { AccountFiles } from '../core/http/account-page.js';
import type { Accounts } from '../io/accounts/accounts.js';
import type { BillingPort } from '../io/billing/billing-port.js';

/** The options that most commands have. */
export type CommonOptions = { readonly json?: boolean; readonly accountsStore?: string };

/** The effects that a command may use. */
export type CommandContext = {
  /** Shows the result: `document` with --json, otherwise `text`. */
  readonly show: (document: object, text: string) => void;
  /** Colours an outcome in a text for `show`, which colours the one at its beginning itself. */
  readonly paint: Paint;
  /** The words that start the program, for commands to paste. */
  readonly program: readonly string[];
  /** Writes a line of diagnostics. */
  readonly warn: (text: string) => void;
  /** Removes these secrets, and every key, token and signed URL, from all later output. */
  readonly hide: (secrets: readonly string[]) => void;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns this many unpredictable bytes. */
  readonly random: (size: number) => Uint8Array;
  readonly env: Environment;
  /** Aborted when the operator interrupts. */
  readonly signal: AbortSignal;
  readonly serving: ServingOptions;
  /** Opens the accounts store of the options or the environment. @throws OperatorError, StoreError */
  readonly openAccounts: () => Promise<OpenedAccounts>;
};

/** Further effects, which only `serve`, `reconcile` and `doctor` use. */
export type ServingOptions = {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** Returns a new request id. */
  readonly newId: () => string;
  readonly fetch: typeof fetch;
  readonly openBilling: OpenBilling;
  /** Reads the texts of the account page. */
  readonly readAccountFiles: () => Promise<AccountFiles>;
  /** The destination of the log. */
  readonly logDestination: DestinationStream;
};

/** Opens the billing provider, and loads its SDK. `onError` is called for each failed request. */
export type OpenBilling = (
  settings: BillingSettings,
  options: { readonly now: () => number; readonly onError: (error: unknown) => void },
) => BillingPort | Promise<BillingPort>;

/** The accounts, with their store and its address. */
export type OpenedAccounts = {
  readonly accounts: Accounts;
  readonly store: ObjectStore;
  readonly address: string;
};

/** Runs commands. A command's action passes it the work to do. */
export type CommandHost = {
  readonly run: (
    options: CommonOptions,
    work: (context: CommandContext) => Promise<ExitName>,
  ) => Promise<void>;
};
