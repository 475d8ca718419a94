import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { OBJECTS_PREFIX } from '../../../schemas/paths.js';
import { BenchError, type BenchOptions } from '../bench.js';
import { runChild, settleDisk } from '../child-process.js';
import type { BenchInput } from '../metrics-history.js';

/** The measured runs. All except `floor` publish; `floor` only writes the bytes of a `cold` publish. */
export type RunName =
  | 'cold'
  | 'floor'
  | 'unchanged'
  | 'new-day'
  | 'bitcoin'
  | 'bitcoin-8-years'
  | 'bitcoin-16-years'
  | 'new-day-of-1-year'
  | 'new-day-of-10-years';

/** Measurements of a run. `objects` and `bytes` were written. */
export type Sample = {
  readonly run: RunName;
  readonly round: number;
  readonly ms: number;
  readonly peakBytes: number;
  readonly objects: number;
  readonly bytes: number;
  /** Number of files and folders of the store that were created or changed, from the file system. */
  readonly touched: number;
};

/** An input, the folder of the store to publish it to, and the expected outcome. */
type PublishOptions = {
  readonly input: BenchInput;
  readonly store: string;
  readonly outcome: 'published' | 'unchanged';
};

/** Runs the measured programs, each in a new process when no writes to disk are pending. */
export type Runner = {
  readonly publish: (run: RunName, round: number, options: PublishOptions) => Promise<Sample>;
  /** Writes the objects of a store to the new folder `target`, as fast as the disk allows. */
  readonly floor: (round: number, store: string, target: string) => Promise<Sample>;
};

/** Creates a runner. Processes write their peak memory to files in the folder `peaks`. */
export function createRunner(peaks: string, options: BenchOptions): Runner {
  let runs = 0;
  const run = async (script: string, args: readonly string[]): ReturnType<typeof runChild> => {
    await settleDisk(options.signal);
    return runChild({ script, args, peakFile: path.join(peaks, String((runs += 1))) }, options);
  };
  return {
    async publish(name, round, { input, store, outcome }) {
      const startedMs = options.now();
      const where = ['--input', input.folder, '--store', `file:${store}`, '--as-of', input.asOf];
      const { stdout, ms, peakBytes } = await run('generator/main.js', [
        'publish',
        ...where,
        '--quiet',
        '--json',
      ]);
      const report = parsePublished(stdout);
      if (report.outcome !== outcome)
        throw new BenchError(`${name}: the outcome is ${report.outcome}, not ${outcome}`);
      const touched = await countTouched(store, startedMs);
      return { run: name, round, ms, peakBytes, ...report.written, touched };
    },
    async floor(round, store, target) {
      const args = [path.join(store, OBJECTS_PREFIX), target];
      const { stdout, peakBytes } = await run('scripts/bench/generator/floor.js', args);
      const { elapsed_ms: ms, files, bytes } = JSON.parse(stdout) as FloorReport; // printed by floor.ts
      return { run: 'floor', round, ms, peakBytes, objects: files, bytes, touched: files };
    },
  };
}

type FloorReport = { readonly elapsed_ms: number; readonly files: number; readonly bytes: number };
type Published = {
  readonly outcome: string;
  readonly written: { readonly objects: number; readonly bytes: number };
};

function parsePublished(stdout: string): Published {
  const { outcome, written } = JSON.parse(stdout) as Published; // the document of --json; its numbers are checked next
  if (!Number.isInteger(written.objects) || !Number.isInteger(written.bytes)) {
    throw new BenchError(
      `The result of publish has no numbers of written objects and bytes: ${stdout.slice(0, 500)}`,
    );
  }
  return { outcome, written: { objects: written.objects, bytes: written.bytes } };
}

/** Returns the number of files and folders below `folder` that were created or changed since a time. */
async function countTouched(folder: string, sinceMs: number): Promise<number> {
  let touched = 0;
  for (const entry of await readdir(folder, { recursive: true })) {
    const { ctimeMs } = await lstat(path.join(folder, entry));
    if (ctimeMs >= sinceMs) touched += 1;
  }
  return touched;
}
