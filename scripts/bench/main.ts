/** `npm run bench -- <name>`: measures the product against its bounds. A bench is a row of `BENCHES`. */
import path from 'node:path';
import { Command } from 'commander';
import { BenchError, type Bench, type BenchTerms } from './bench.js';
import { addGatewayBench } from './gateway-bench.js';
import { addGeneratorBench } from './generator-bench.js';
import { addPagesBench } from './pages-bench.js';
import { addS3Bench } from './s3-bench.js';

const BENCHES: Readonly<Record<string, Bench>> = {
  generator: addGeneratorBench,
  s3: addS3Bench,
  gateway: addGatewayBench,
  pages: addPagesBench,
};

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());

const terms: BenchTerms = {
  root: path.join(import.meta.dirname, '..', '..'),
  environment: process.env,
  signal: interruption.signal,
  print: (text) => void process.stdout.write(`${text}\n`),
  warn: (text) => void process.stderr.write(`${text}\n`),
  now: () => Date.now(),
  fail: () => void (process.exitCode = 1),
};

const program = new Command('bench').description('Measures the product against its bounds.');
for (const [name, add] of Object.entries(BENCHES)) add(program.command(name), terms);
try {
  await program.parseAsync();
} catch (error) {
  terms.fail();
  if (interruption.signal.aborted) terms.warn('bench: interrupted');
  else if (error instanceof BenchError) terms.warn(`bench: ${error.message}`);
  else throw error;
}
