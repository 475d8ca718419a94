import type { Environment } from '../../../gateway/core/configuration.js';
import { ORIGIN_VARIABLE, SECRETS_VARIABLE } from './variables.js';

/** Reads the text of a secret, by its ARN; that of the version before, `undefined` where there is none. */
export type SecretReader = {
  readonly current: (arn: string) => Promise<string>;
  readonly previous: (arn: string) => Promise<string | undefined>;
};

/**
 * The environment with the texts of the secrets that it names, each as the variable that wants it. Of the CDN's the
 * version before is taken too: while one is changed, either may come.
 * @throws Error with each variable and ARN whose text cannot be read or was never given: nothing is served half.
 */
export async function withSecrets(env: Environment, reader: SecretReader): Promise<Environment> {
  const { [SECRETS_VARIABLE]: listed = '{}', ...rest } = env;
  const arns = Object.entries(JSON.parse(listed) as Record<string, string>); // written by the stack
  const faults: string[] = [];
  const texts = await Promise.all(
    arns.map(async ([name, arn]) => {
      try {
        return [name, await readText(name, arn, reader)] as const;
      } catch (error) {
        faults.push(`${name}: the secret ${arn} cannot be read: ${String(error)}`);
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
