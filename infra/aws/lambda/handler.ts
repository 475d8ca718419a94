import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { pino } from 'pino';
import { createGatewayFunction } from './gateway-function.js';
import { withSecrets } from './secrets.js';

let client: SecretsManagerClient | undefined;

/** Reads a secret by the credentials of the function's role. @throws Error when there is none, or it has no text. */
async function readSecret(arn: string, stage = 'AWSCURRENT'): Promise<string> {
  client ??= new SecretsManagerClient();
  const command = new GetSecretValueCommand({ SecretId: arn, VersionStage: stage });
  const { SecretString: text } = await client.send(command);
  if (!text) throw new Error('it has no text');
  return text;
}

const reader = {
  current: readSecret,
  previous: (arn: string) =>
    readSecret(arn, 'AWSPREVIOUS').catch((error: unknown) => {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }),
};

// A function is frozen between two events: what is not written at once may be written much later.
const log = pino.destination({ dest: 1, sync: true });

/** The gateway as an AWS Lambda function. It is made while the function starts, when it has a whole processor. */
export const handler = await createGatewayFunction(await withSecrets(process.env, reader), log);
