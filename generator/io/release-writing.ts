import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { STORE_KEY } from '../../schemas/paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Artifact } from '../core/artifacts/artifact.js';
import { watchCollections, type CollectionWatch } from './collection-mark.js';
import { metaOf } from './object-meta.js';
import type { Progress } from './progress.js';
import { toBody, writeBody, type FileName, type WriteResult } from './write-artifact.js';

/** Number of artifacts that are written at a time; of large ones fewer, so that memory stays bounded. */
export const CONCURRENCY = 64;
const LARGE_CONCURRENCY = 2;
const LARGE_BYTES = 65_536;

/** A file that is to be written, and its judged bytes when their turn comes. */
export type FileToWrite = FileName & { readonly body: () => Uint8Array };

/** Where a release is written, and what that may use of the outside world. */
export type WriteTerms = {
  readonly store: ObjectStore;
  readonly now: () => number;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
};

/** What was written: objects that were not there before, and their bytes. */
export type Written = { objects: number; bytes: number };

/** A publication that has begun to write: nothing of it is visible before its commit. */
export type Writing = {
  readonly startedMs: number;
  readonly collections: CollectionWatch;
  readonly written: Written;
  /** Number of files that were seen to be there, new or not. */
  files: number;
};

/**
 * Begins a publication: looks out for collectors, marks the store, and opens the stage of `total` artifacts.
 * @throws GeneratorError 'conflict' while a collector is at work.
 */
export async function beginWriting({ store, progress, now }: WriteTerms, total: number): Promise<Writing> {
  const startedMs = now();
  progress.begin('mark');
  const collections = await watchCollections(store);
  const writing = { startedMs, collections, written: { objects: 0, bytes: 0 }, files: 0 };
  const mark = Buffer.from(canonicalJson({ format: 1 }));
  countWrite(writing, await store.putIfAbsent(STORE_KEY, mark, metaOf(STORE_KEY)), mark.length);
  progress.end();
  progress.begin('write', total);
  return writing;
}

/** Writes files as they come, so many at a time. */
export async function writeFiles(
  writing: Writing,
  files: Iterable<FileToWrite> | AsyncIterable<FileToWrite>,
  { store, progress, signal }: WriteTerms,
  concurrency = CONCURRENCY,
): Promise<void> {
  const write = async (file: FileToWrite): Promise<void> => {
    signal?.throwIfAborted();
    countWrite(writing, await writeBody(store, file, file.body()), file.bytes);
    writing.files += 1;
    progress.advance();
  };
  await pMap(files, write, { concurrency });
}

/** Writes the release's artifacts beside those files that were written already, and ends the stage. */
export async function writeArtifacts(
  writing: Writing,
  artifacts: readonly Artifact[],
  terms: WriteTerms,
): Promise<void> {
  const { progress } = terms;
  progress.expect(writing.files + artifacts.length);
  const isLarge = (artifact: Artifact): boolean => artifact.bytes > LARGE_BYTES;
  const toFiles = (some: readonly Artifact[]): FileToWrite[] =>
    some.map((artifact) => ({ ...artifact, body: () => toBody(artifact) }));
  await writeFiles(writing, toFiles(artifacts.filter((artifact) => !isLarge(artifact))), terms);
  await writeFiles(writing, toFiles(artifacts.filter(isLarge)), terms, LARGE_CONCURRENCY);
  progress.end(`${writing.files} files, ${(writing.written.bytes / 1e6).toFixed(1)} MB new`);
}

/** Counts an object that was created. */
export function countWrite({ written }: Writing, result: WriteResult, bytes: number): void {
  if (result !== 'created') return;
  written.objects += 1;
  written.bytes += bytes;
}
