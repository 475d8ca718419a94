import type { Environment } from '../core/configuration/configuration.js';
import { ORIGIN_VARIABLE, SECRETS_VARIABLE } from './variables.js';

/** Reads the current text of a secret by its ARN, and the previous text, or `undefined` if the secret never changed. */
export type SecretReader = {
  readonly current: (arn: string) => Promise<string>;
  readonly previous: (arn: string) => Promise<string | undefined>;
};

/**
 * Returns the environment with the text of each listed secret in its variable. The CDN's secret comes with its previous
 * version, because both are in use during a rotation.
 * @throws Error with each variable and ARN whose text cannot be read.
 */
export async function withSecrets(env: Environment, reader: SecretReader): Promise<Environment> {
  const { [SECRETS_VARIABLE]: listed = '{}', ...rest } = env;
  const arns = Object.entries(JSON.parse(listed) as Record<string, string>); // from the stack
  const faults: string[] = [];
  const texts = await Promise.all(
    arns.map(async ([name, arn]) => {
      try {
        return [name, await readText(name, arn, reader)] as const;
      } catch (error) {
        faults.push(`${name}: cannot read the secret ${arn}: ${String(error)}`);
        return [name, ''] as const;
      }
    }),
  );
  if (faults.length > 0) throw new Error(faults.toSorted().join('; '));
  return { ...rest, ...Object.fromEntries(texts) };
}

async function readText(name: string, arn: string, reader: SecretReader): Promise<string> {
  const current = await reader.current(arn);
  const previous = name === ORIGIN_VARIABLE ? await reader.previous(arn) : undefined;
  return previous === undefined ? current : `${current},${previous}`;
}
