import { createStoppableStore } from '../../infra/store/stoppable-store.js';
import { parseAccountsSettings } from '../core/accounts-settings.js';
import type { Environment } from '../core/configuration.js';
import { EXIT_CODES, type ExitName } from '../core/exit-codes.js';
import { createScrubber } from '../core/scrub.js';
import { openAccountsStore } from '../io/accounts-store.js';
import { createAccounts } from '../io/accounts.js';
import type { CommandContext, CommonOptions, OpenedAccounts } from './context.js';
import { explainError } from './explain-error.js';
import type { ServingTerms } from './serving.js';

/** What running a command needs of the outside world. */
export type RunTerms = {
  /** Writes results. */
  readonly print: (text: string) => void;
  /** Writes remarks and failures. */
  readonly warn: (text: string) => void;
  readonly now: () => number;
  readonly random: (size: number) => Uint8Array;
  readonly env: Environment;
  readonly serving: ServingTerms;
  /** Aborted when the operator interrupts. */
  readonly stopped: AbortSignal;
};

/** Runs the work of a command to its end, and explains a failure. */
export async function runCommand(
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitName>,
  terms: RunTerms,
): Promise<ExitName> {
  const { now, random, env, stopped, serving } = terms;
  let shown: object | undefined;
  let scrub = (text: string): string => text;
  const print = (text: string): void => terms.print(scrub(text));
  const warn = (text: string): void => terms.warn(scrub(text));
  try {
    return await work({
      show(document, text) {
        shown = document;
        print(options.json === true ? JSON.stringify(document, null, 2) : text);
      },
      warn,
      hide(secrets) {
        scrub = createScrubber(secrets);
      },
      now,
      random,
      env,
      signal: stopped,
      serving,
      openAccounts: () => openAccounts(options, terms),
    });
  } catch (error) {
    const { exit, message } = explainError(error);
    if (options.json === true && shown === undefined)
      print(JSON.stringify(toFailure(exit, message), null, 2));
    warn(`gateway: ${message}`);
    return exit;
  }
}

async function openAccounts(
  { accountsStore }: CommonOptions,
  { env, now, random, stopped }: RunTerms,
): Promise<OpenedAccounts> {
  const { address, mode, s3 } = parseAccountsSettings(env, accountsStore);
  const store = createStoppableStore(await openAccountsStore(address, { s3, signal: stopped }), stopped);
  return { accounts: createAccounts(store, { now, random, mode }), address: store.address };
}

/** What `--json` prints of a run that failed before it had a result. */
export function toFailure(exit: ExitName, message: string): object {
  return { outcome: 'failed', error: { name: exit, code: EXIT_CODES[exit].code, message } };
}
