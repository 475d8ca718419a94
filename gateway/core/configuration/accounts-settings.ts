import type { KeyMode } from '../access/api-key.js';
import { findUnknownVariables, type Environment } from './configuration.js';
import { OperatorError, RUN_AGAIN } from '../exit-codes.js';
import type { Parser } from './parser.js';
import { VARIABLES, variableOf, type VariableName } from './variables.js';

/** Settings of the commands that work on accounts. */
type AccountsSettings = {
  readonly address: string;
  readonly mode: KeyMode;
  readonly s3: { readonly endpoint?: string; readonly pathStyle?: boolean };
};

/**
 * Returns the settings of the commands that work on accounts. `address` takes precedence over the environment. An empty
 * variable counts as unset, and variables that only a serving gateway needs are not checked.
 * @throws OperatorError 'usage' with every fault at once, unknown variables included.
 */
export function parseAccountsSettings(env: Environment, address: string | undefined): AccountsSettings {
  const faults = findUnknownVariables(env);
  const parse = <T>(name: VariableName, parser: Parser<T>): T | undefined => {
    const text = env[name] || variableOf(name).default;
    const parsed = text === undefined ? undefined : parser(text);
    if (parsed === undefined) return undefined;
    if ('value' in parsed) return parsed.value;
    faults.push(`${name}: expected ${parsed.expected}`);
    return undefined;
  };
  const storeAddress = address ?? (env['CRD_ACCOUNTS_STORE'] || undefined); // validated when the store is opened
  if (storeAddress === undefined) faults.push('CRD_ACCOUNTS_STORE: required, or use --accounts-store');
  const mode = parse('CRD_KEY_MODE', VARIABLES.CRD_KEY_MODE.parse);
  const endpoint = parse('CRD_S3_ENDPOINT', VARIABLES.CRD_S3_ENDPOINT.parse);
  const pathStyle = parse('CRD_S3_PATH_STYLE', VARIABLES.CRD_S3_PATH_STYLE.parse) === 'true';
  if (storeAddress === undefined || mode === undefined || faults.length > 0) {
    const next = storeAddress === undefined ? undefined : RUN_AGAIN; // the rest are variables
    throw new OperatorError('usage', faults.join('\n'), { next });
  }
  return { address: storeAddress, mode, s3: { ...(endpoint === undefined ? {} : { endpoint }), pathStyle } };
}
