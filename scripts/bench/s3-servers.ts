import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { S3_ENVIRONMENT, type S3Server } from '../s3/start-localstack.js';
import { BenchError, type BenchTerms } from './bench.js';

/** The variables that a process needs to speak to either server. */
export const SERVER_ENVIRONMENT = {
  ...S3_ENVIRONMENT,
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/** Starts the server that keeps nothing, in a process of its own. */
export async function startNullServer({ root }: BenchTerms): Promise<S3Server> {
  const script = path.join(root, 'dist', 'scripts', 'bench', 's3-null-server.js');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [said] = (await Promise.race([once(child.stdout, 'data'), ended])) as [unknown]; // its port, or how it ended
  const port = Number(String(said));
  if (!(port > 0)) throw new BenchError(`${script} did not start`);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
