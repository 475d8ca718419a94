import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { OBJECTS_PREFIX } from '../../schemas/paths.js';
import { BenchError, type BenchTerms } from './bench.js';
import { runChild, settleDisk } from './child-process.js';
import type { BenchInput } from './metrics-history.js';

/** The runs that are measured. `floor` is no publish: it writes the bytes of a `cold` one. */
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

/** One run: its time, its peak resident set, and what it wrote. */
export type Sample = {
  readonly run: RunName;
  readonly round: number;
  readonly ms: number;
  readonly peakBytes: number;
  readonly objects: number;
  readonly bytes: number;
  /** Files and folders of the store that the run touched, whatever it says itself. */
  readonly touched: number;
};

/** What to publish where, and how that must end. */
export type PublishTerms = {
  readonly input: BenchInput;
  readonly store: string;
  readonly outcome: 'published' | 'unchanged';
};

/** Runs the programs that are measured, each in a process of its own on a settled disk. */
export type Runner = {
  readonly publish: (run: RunName, round: number, terms: PublishTerms) => Promise<Sample>;
  /** Writes the objects of a store into the new folder `target` as fast as can be. */
  readonly floor: (round: number, store: string, target: string) => Promise<Sample>;
};

/** A runner that keeps its notes in the new folder `notes`. */
export function createRunner(notes: string, terms: BenchTerms): Runner {
  let runs = 0;
  const run = async (script: string, args: readonly string[]): ReturnType<typeof runChild> => {
    await settleDisk(terms.signal);
    return runChild({ script, args, peakFile: path.join(notes, String((runs += 1))) }, terms);
  };
  return {
    async publish(name, round, { input, store, outcome }) {
      const startedMs = terms.now();
      const where = ['--input', input.folder, '--store', `file:${store}`, '--as-of', input.asOf];
      const { stdout, ms, peakBytes } = await run('generator/main.js', [
        'publish',
        ...where,
        '--quiet',
        '--json',
      ]);
      const report = parsePublished(stdout);
      if (report.outcome !== outcome) throw new BenchError(`${name}: ${report.outcome}, expected ${outcome}`);
      const touched = await countTouched(store, startedMs);
      return { run: name, round, ms, peakBytes, ...report.written, touched };
    },
    async floor(round, store, target) {
      const args = [path.join(store, OBJECTS_PREFIX), target];
      const { stdout, peakBytes } = await run('scripts/bench/floor.js', args);
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
  const { outcome, written } = JSON.parse(stdout) as Published; // the document of --json; its numbers are looked at next
  if (!Number.isInteger(written.objects) || !Number.isInteger(written.bytes)) {
    throw new BenchError(`the report of publish names no written objects: ${stdout.slice(0, 500)}`);
  }
  return { outcome, written: { objects: written.objects, bytes: written.bytes } };
}

/** The number of files and folders below `folder` that were made or changed since. */
async function countTouched(folder: string, sinceMs: number): Promise<number> {
  let touched = 0;
  for (const entry of await readdir(folder, { recursive: true })) {
    const { ctimeMs } = await lstat(path.join(folder, entry));
    if (ctimeMs >= sinceMs) touched += 1;
  }
  return touched;
}
