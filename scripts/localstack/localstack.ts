/** Runs LocalStack, an S3 server on this machine, prints how to use it, and stops it on an interrupt: `npm run localstack`. */
import { S3_ENVIRONMENT, startLocalstack } from './start-localstack.js';

const server = await startLocalstack();
const settings = Object.entries({ ...S3_ENVIRONMENT, CRD_TEST_S3_ENDPOINT: server.endpoint });
process.stdout.write(`${settings.map(([name, value]) => `export ${name}=${value}`).join('\n')}\n`);
await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
await server.stop();
