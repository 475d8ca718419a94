import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import path from 'node:path';
import { pino } from 'pino';
import { readAccountFiles } from '../io/account-page/read-account-files.js';
import { createGatewayFunction } from './gateway-function.js';
import { withSecrets } from './secrets.js';

let client: SecretsManagerClient | undefined;

/** Reads a secret with the credentials of the function's role. @throws Error when it does not exist or has no text. */
async function readSecret(arn: string, stage = 'AWSCURRENT'): Promise<string> {
  client ??= new SecretsManagerClient();
  const command = new GetSecretValueCommand({ SecretId: arn, VersionStage: stage });
  const { SecretString: text } = await client.send(command);
  if (!text) throw new Error('the secret has no text value');
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

// A function is frozen between events: a buffered log line could appear much later.
const log = pino.destination({ dest: 1, sync: true });

/** The gateway as an AWS Lambda function. It is created while the function starts and has a full processor. */
export const handler = await createGatewayFunction(
  await withSecrets(process.env, reader),
  log,
  await readAccountFiles(path.join(import.meta.dirname, 'templates')), // beside the bundle
);
