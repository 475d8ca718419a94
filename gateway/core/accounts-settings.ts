import type { KeyMode } from './api-key.js';
import { findStrangers, type Environment } from './configuration.js';
import { OperatorError } from './exit-codes.js';
import type { Judge } from './judge.js';
import { VARIABLES, variableOf, type VariableName } from './variables.js';

/** Where the accounts are, and which keys are made for them. */
export type AccountsSettings = {
  readonly address: string;
  readonly mode: KeyMode;
  readonly s3: { readonly endpoint?: string; readonly pathStyle?: boolean };
};

/**
 * The settings of the commands that work on accounts; `address` goes before the environment's. An empty variable
 * counts as none, those that only a serving gateway needs are not looked at, and one that is none of ours is a fault.
 * @throws OperatorError 'usage' with every fault at once.
 */
export function parseAccountsSettings(env: Environment, address: string | undefined): AccountsSettings {
  const faults = findStrangers(env);
  const take = <T>(name: VariableName, judge: Judge<T>): T | undefined => {
    const text = env[name] || variableOf(name).default;
    const judged = text === undefined ? undefined : judge(text);
    if (judged === undefined) return undefined;
    if ('value' in judged) return judged.value;
    faults.push(`${name}: expected ${judged.fault}`);
    return undefined;
  };
  const at = address ?? (env['CRD_ACCOUNTS_STORE'] || undefined); // judged when it is opened
  if (at === undefined) faults.push('CRD_ACCOUNTS_STORE: required, or give --accounts-store');
  const mode = take('CRD_KEY_MODE', VARIABLES.CRD_KEY_MODE.judge);
  const endpoint = take('CRD_S3_ENDPOINT', VARIABLES.CRD_S3_ENDPOINT.judge);
  const pathStyle = take('CRD_S3_PATH_STYLE', VARIABLES.CRD_S3_PATH_STYLE.judge) === 'true';
  if (at === undefined || mode === undefined || faults.length > 0) {
    throw new OperatorError('usage', faults.join('\n'));
  }
  return { address: at, mode, s3: { ...(endpoint === undefined ? {} : { endpoint }), pathStyle } };
}
