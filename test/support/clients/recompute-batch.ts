import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { metricsOf } from '../../../schemas/catalog.js';
import type { Methodology } from '../../../schemas/types.generated.js';

const PROGRAM = fileURLToPath(new URL('../../python/methodology/recompute_batch.py', import.meta.url));

/** A series to compute with a methodology, with the derived records of its dates or without. */
export type RecomputedSeries = {
  readonly series: InputSeries;
  readonly methodology: Methodology;
  readonly derived: boolean;
};

/** The label of a date, the determinism hash of its meta record, and the digest of its derived metrics and ratios. */
export type RecomputedDay = readonly [label: string, hash: string, derived: string | null];

/**
 * Computes all series with the methodology of the published Python client, in one run of Python 3.11 without packages.
 * Shape: a list per series, with an element per date, same order.
 * @throws Error with the output of Python if it fails.
 */
export async function recomputeInPython(all: readonly RecomputedSeries[]): Promise<RecomputedDay[][]> {
  const child = spawn('python3', [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined); // the exit code says why Python ended early
  for (const { series, ...rest } of all) {
    const supported = metricsOf(series.chain);
    child.stdin.write(`${JSON.stringify({ ...series, ...rest, supported })}\n`);
  }
  child.stdin.end();
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`python3 ${PROGRAM} ended with ${code}:\n${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecomputedDay[]); // output of the program
}
