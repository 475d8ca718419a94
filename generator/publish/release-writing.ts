import pMap from 'p-map';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Artifact } from '../core/artifacts/artifact.js';
import { count } from '../core/text/count.js';
import { bytesWords } from '../core/text/number-words.js';
import type { Progress } from '../run/progress.js';
import { watchGc, type GcWatch } from '../state/gc-lease.js';
import { markStore } from '../state/store-mark.js';
import { toBody, writeBody, type FileInfo, type WriteResult } from '../state/write-artifact.js';

/** Number of artifacts written at a time. Fewer large ones, so that memory stays bounded. */
export const CONCURRENCY = 64;
const LARGE_CONCURRENCY = 2;
const LARGE_BYTES = 65_536;

/** A file to write. `body` returns its validated bytes when it is about to be written. */
export type FileToWrite = FileInfo & { readonly body: () => Uint8Array | Promise<Uint8Array> };

/** Options for writing a release. `now` returns milliseconds since the epoch. */
export type WriteOptions = {
  readonly store: ObjectStore;
  readonly now: () => number;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
};

/** Number and size of the objects that a run created. */
export type Written = { objects: number; bytes: number };

/** A publish in progress. It is invisible to readers until its commit. */
export type Writing = {
  readonly gc: GcWatch;
  readonly written: Written;
  /** Number of this release's files that the store has so far, including those that it had before. */
  files: number;
};

/**
 * Starts a publish: starts the watch for garbage collection, marks the store, and opens the stage of `total` artifacts.
 * @throws GeneratorError 'conflict' if a garbage collection is running.
 */
export async function beginWriting({ store, progress, now }: WriteOptions, total: number): Promise<Writing> {
  progress.begin('mark');
  const gc = await watchGc(store, now);
  const bytes = await markStore(store);
  progress.end();
  progress.begin('write', total);
  return { gc, written: { objects: bytes > 0 ? 1 : 0, bytes }, files: 0 };
}

/** Writes files as they arrive, `concurrency` at a time. */
export async function writeFiles(
  writing: Writing,
  files: Iterable<FileToWrite> | AsyncIterable<FileToWrite>,
  { store, progress, signal }: WriteOptions,
  concurrency = CONCURRENCY,
): Promise<void> {
  const write = async (file: FileToWrite): Promise<void> => {
    signal?.throwIfAborted();
    countWrite(writing, await writeBody(store, file, await file.body()), file.bytes);
    writing.files += 1;
    progress.advance();
  };
  await pMap(files, write, { concurrency });
}

/** Writes the artifacts of the release in addition to the files already written, and ends the stage. */
export async function writeArtifacts(
  writing: Writing,
  artifacts: readonly Artifact[],
  options: WriteOptions,
): Promise<void> {
  const { progress } = options;
  progress.expect(writing.files + artifacts.length);
  const isLarge = (artifact: Artifact): boolean => artifact.bytes > LARGE_BYTES;
  const toFiles = (some: readonly Artifact[]): FileToWrite[] =>
    some.map((artifact) => ({ ...artifact, body: () => toBody(artifact) }));
  await writeFiles(writing, toFiles(artifacts.filter((artifact) => !isLarge(artifact))), options);
  await writeFiles(writing, toFiles(artifacts.filter(isLarge)), options, LARGE_CONCURRENCY);
  progress.end(`${count(writing.files, 'file')}, ${bytesWords(writing.written.bytes)} new`);
}

/** Counts an object if this run created it. */
export function countWrite({ written }: Writing, result: WriteResult, bytes: number): void {
  if (result !== 'created') return;
  written.objects += 1;
  written.bytes += bytes;
}
