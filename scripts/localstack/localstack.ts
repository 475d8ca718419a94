/**
 * Runs LocalStack, an S3 server on this machine.
 *
 *   npm run localstack                 starts it, prints how to use it, and stops it on an interrupt
 *   npm run localstack -- COMMAND ...  runs a command with CRD_TEST_S3_ENDPOINT set, then stops it
 *
 * If CRD_TEST_S3_ENDPOINT is set already, the command runs against that server.
 */
import { spawn } from 'node:child_process';
import { S3_ENVIRONMENT, startLocalstack } from './start-localstack.js';

const command = process.argv.slice(2);
process.exitCode = command.length === 0 ? await serve() : await runWithS3(command);

async function serve(): Promise<number> {
  const server = await startLocalstack();
  const settings = Object.entries({ ...S3_ENVIRONMENT, CRD_TEST_S3_ENDPOINT: server.endpoint });
  process.stdout.write(`${settings.map(([name, value]) => `export ${name}=${value}`).join('\n')}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await server.stop();
  return 0;
}

async function runWithS3(args: readonly string[]): Promise<number> {
  if (process.env['CRD_TEST_S3_ENDPOINT'] !== undefined) return run(args, process.env);
  const server = await startLocalstack();
  try {
    return await run(args, { ...process.env, ...S3_ENVIRONMENT, CRD_TEST_S3_ENDPOINT: server.endpoint });
  } finally {
    await server.stop();
  }
}

/** Runs a command. Signals are passed on to it, so that it ends before the server. */
function run([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const child = spawn(program, args, { stdio: 'inherit', env });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
