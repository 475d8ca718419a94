import { formatFailure } from '../../infra/process/exit-codes.js';
import { createStoppableStore } from '../../infra/store/stoppable-store.js';
import { parseAccountsSettings } from '../core/configuration/accounts-settings.js';
import type { Environment } from '../core/configuration/configuration.js';
import { EXIT_CODES, type ExitName } from '../core/exit-codes.js';
import { createScrubber } from '../core/scrub.js';
import { openAccountsStore } from '../io/accounts/accounts-store.js';
import { createAccounts } from '../io/accounts/accounts.js';
import type { CommandContext, CommonOptions, OpenedAccounts, ServingOptions } from './context.js';
import { explainError } from './explain-error.js';

/** The effects that running a command line needs. */
export type RunOptions = {
  /** Writes results. */
  readonly print: (text: string) => void;
  /** Writes diagnostics. */
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
  readonly env: Environment;
  readonly serving: ServingOptions;
  /** Aborted when the operator interrupts. */
  readonly stopped: AbortSignal;
};

/** Runs the work of a command, and explains a failure. */
export async function runCommand(
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitName>,
  runOptions: RunOptions,
): Promise<ExitName> {
  const { now, random, env, stopped, serving } = runOptions;
  let shownDocument: object | undefined;
  const hidden: string[] = [];
  let scrub = (text: string): string => text; // before `hide` is called: `keys create` must print a key
  const print = (text: string): void => runOptions.print(scrub(text));
  const warn = (text: string): void => runOptions.warn(scrub(text));
  try {
    return await work({
      show(document, text) {
        shownDocument = document;
        print(options.json === true ? JSON.stringify(document, null, 2) : text);
      },
      warn,
      hide(secrets) {
        hidden.push(...secrets);
        scrub = createScrubber(hidden);
      },
      now,
      random,
      env,
      signal: stopped,
      serving,
      openAccounts: () => openAccounts(options, runOptions),
    });
  } catch (error) {
    const { exit, message } = explainError(error);
    if (options.json === true && shownDocument === undefined)
      print(formatFailure(EXIT_CODES, { exit, message }));
    warn(`gateway: ${message}`);
    return exit;
  }
}

async function openAccounts(
  { accountsStore }: CommonOptions,
  { env, now, random, stopped }: RunOptions,
): Promise<OpenedAccounts> {
  const { address, mode, s3 } = parseAccountsSettings(env, accountsStore);
  const store = createStoppableStore(await openAccountsStore(address, { s3, signal: stopped }), stopped);
  return { accounts: createAccounts(store, { now, random, mode }), store, address: store.address };
}
