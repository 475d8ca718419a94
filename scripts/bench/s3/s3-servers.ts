import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { S3_ENVIRONMENT, type S3Server } from '../../localstack/start-localstack.js';
import { BenchError, type BenchOptions } from '../bench.js';

/** Environment variables for a process that uses one of the servers. */
export const SERVER_ENVIRONMENT = {
  ...S3_ENVIRONMENT,
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/** Starts the server that discards all data, in a new process. @throws BenchError if it does not start. */
export async function startDiscardingServer({ root }: BenchOptions): Promise<S3Server> {
  const script = path.join(root, 'dist', 'scripts', 'bench', 's3', 'discarding-server.js');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [output] = (await Promise.race([once(child.stdout, 'data'), ended])) as [unknown]; // its port, or its exit code
  const port = Number(String(output));
  if (!(port > 0)) throw new BenchError(`${script} did not start`);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
