/** Runs a bench: `npm run bench -- <name>`. */
import path from 'node:path';
import { Command } from 'commander';
import { addBeforeBench } from './before-bench.js';
import { addClientBench } from './client-bench.js';
import { addCollectionBench } from './collection-bench.js';
import { addGatewayBench } from './gateway-bench.js';
import { addGeneratorBench } from './generator-bench.js';
import { type Bench, BenchError, type BenchOptions } from './harness.js';
import { addPagesBench } from './pages-bench.js';
import { addS3Bench } from './s3-bench.js';

const BENCHES: Readonly<Record<string, Bench>> = {
  generator: addGeneratorBench,
  s3: addS3Bench,
  gateway: addGatewayBench,
  pages: addPagesBench,
  collection: addCollectionBench,
  client: addClientBench,
  before: addBeforeBench,
};

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());

const options: BenchOptions = {
  root: path.join(import.meta.dirname, '..', '..'),
  environment: process.env,
  signal: interruption.signal,
  print: (text) => void process.stdout.write(`${text}\n`),
  warn: (text) => void process.stderr.write(`${text}\n`),
  now: () => Date.now(),
  fail: () => void (process.exitCode = 1),
};

const program = new Command('bench').description(
  'Measures the product and compares the results with bounds.',
);
for (const [name, add] of Object.entries(BENCHES)) add(program.command(name), options);
try {
  await program.parseAsync();
} catch (error) {
  options.fail();
  if (interruption.signal.aborted) options.warn('bench: interrupted');
  else if (error instanceof BenchError) options.warn(`bench: ${error.message}`);
  else throw error;
}
