import { secretsOf, type Configuration } from '../core/configuration/configuration.js';
import { OperatorError } from '../core/exit-codes.js';
import { readConfiguration } from '../io/configuration/environment.js';
import type { CommandContext } from './context.js';

/** Reads the configuration and hides its secrets. @throws OperatorError 'usage' with every fault. */
export async function requireConfiguration({ env, hide }: CommandContext): Promise<Configuration> {
  const parsed = await readConfiguration(env);
  if ('faults' in parsed) {
    throw new OperatorError('usage', `The configuration is invalid:\n  ${parsed.faults.join('\n  ')}`, {
      next: ['doctor'],
    });
  }
  hide(secretsOf(parsed.configuration));
  return parsed.configuration;
}
