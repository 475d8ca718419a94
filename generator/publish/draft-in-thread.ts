import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { ReleaseStamp, RenderedFile } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputSeries } from '../core/input/input-series.js';
import { createDayWriters } from '../core/records/day-writers.js';
import type { VolumeDraft } from '../core/volumes/draft-volumes.js';
import { draftGenres, type GenreDraft, type GenreDrafts } from '../core/draft/genre-drafts.js';
import { readDayTexts } from '../texts/product-texts.js';
import { toValidBody, type FileInfo } from '../state/write-artifact.js';

/** Minimum number of files in a message. */
const BATCH_FILES = 64;
/** Maximum number of messages sent before the receiver acknowledges one. */
const BATCHES_AHEAD = 8;

/** A chain without any release to draft. Its files are sent to `port` as they are rendered. */
export type DraftTask = {
  readonly series: InputSeries;
  readonly stamp: ReleaseStamp;
  readonly port: MessagePort;
};

/** A message with some files and their concatenated validated bytes; without files at the end. */
export type DraftedFiles = { readonly files: readonly FileInfo[]; readonly bodies: Uint8Array };

/** The drafts of a chain without its days, or the error message about an invalid artifact. */
export type DraftResult = { readonly drafts: GenreDrafts } | { readonly invalid: string };

/** Drafts a chain in a worker thread. Sends the files as they are rendered, and pauses while the receiver is behind. */
export async function draftInThread({ series, stamp, port }: DraftTask): Promise<DraftResult> {
  const writers = createDayWriters(series, await readDayTexts());
  const rendered: RenderedFile[] = [];
  const handOver = (file: RenderedFile): void => void rendered.push(file);
  const options = { series, writers, stamp, published: undefined, trusted: false, reason: 'first', handOver };
  let unacknowledged = 0;
  port.on('message', () => (unacknowledged -= 1));
  const send = async (): Promise<void> => {
    const message = toMessage(rendered.splice(0));
    port.postMessage(message, [message.bodies.buffer]);
    for (unacknowledged += 1; unacknowledged >= BATCHES_AHEAD;) await once(port, 'message');
  };
  try {
    for (const steps = draftGenres(options); ;) {
      const step = steps.next();
      if (rendered.length >= BATCH_FILES) await send();
      if (step.done !== true) continue;
      if (rendered.length > 0) await send();
      port.postMessage(toMessage([]));
      return { drafts: withoutFiles(step.value) };
    }
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'artifact-invalid')
      return { invalid: error.message };
    throw error;
  }
}

function toMessage(
  rendered: readonly RenderedFile[],
): DraftedFiles & { readonly bodies: Uint8Array<ArrayBuffer> } {
  const bodies = rendered.map(({ artifact, content }) => toValidBody(artifact.path, content));
  const files = rendered.map(({ artifact: { path, type, sha256, bytes } }) => ({
    path,
    type,
    sha256,
    bytes,
  }));
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const body of bodies) {
    bytes.set(body, offset);
    offset += body.length;
  }
  return { files, bodies: bytes };
}

/** Returns the drafts without their files, which were sent already and cannot be cloned to another thread. */
function withoutFiles({ meta, gold, derived, briefs, volumes }: GenreDrafts): GenreDrafts {
  const clearDays = (draft: GenreDraft): GenreDraft => ({ ...draft, days: [] });
  const clearFiles = (draft: VolumeDraft): VolumeDraft => ({ ...draft, files: [] });
  return {
    meta: clearDays(meta),
    gold: clearDays(gold),
    derived: clearDays(derived),
    briefs: clearDays(briefs),
    volumes: {
      meta: clearFiles(volumes.meta),
      gold: clearFiles(volumes.gold),
      derived: clearFiles(volumes.derived),
    },
  };
}
