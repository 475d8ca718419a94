import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { MadeFile, Stamp } from '../core/artifacts/artifact.js';
import { GeneratorError } from '../core/generator-error.js';
import type { InputSeries } from '../core/input-series.js';
import { createDayWriters } from '../core/records/day-writers.js';
import { draftGenres, type GenreDraft, type GenreDrafts } from '../core/release/genre-drafts.js';
import { readDayTexts } from './product-texts.js';
import { toJudgedBody, type FileName } from './write-artifact.js';

/** From how many files on a message is sent, and most messages that wait to be asked for more. */
const BATCH_FILES = 64;
const BATCHES_AHEAD = 8;

/** A chain to draft that was never published; the files go to `port` as they are made. */
export type DraftTask = { readonly series: InputSeries; readonly stamp: Stamp; readonly port: MessagePort };

/**
 * Some files, and their judged bytes one after the other; none at the end. After each message the receiver says that it
 * may be followed.
 */
export type DraftedFiles = { readonly files: readonly FileName[]; readonly bodies: Uint8Array };

/** What became of a task: the drafts of its chain without their days, or the message of an artifact that is not valid. */
export type DraftResult = { readonly drafts: GenreDrafts } | { readonly invalid: string };

/** Drafts a chain, in a thread of its own: it hands over what it makes as fast as it is asked for. */
export async function draftInThread({ series, stamp, port }: DraftTask): Promise<DraftResult> {
  const writers = createDayWriters(series, await readDayTexts());
  const made: MadeFile[] = [];
  const handOver = (file: MadeFile): void => void made.push(file);
  const terms = { series, writers, stamp, published: undefined, trusted: false, reason: 'first', handOver };
  let ahead = 0;
  port.on('message', () => (ahead -= 1));
  const send = async (): Promise<void> => {
    const message = toMessage(made.splice(0));
    port.postMessage(message, [message.bodies.buffer]);
    for (ahead += 1; ahead >= BATCHES_AHEAD;) await once(port, 'message');
  };
  try {
    for (const steps = draftGenres(terms); ;) {
      const step = steps.next();
      if (made.length >= BATCH_FILES) await send();
      if (step.done !== true) continue;
      if (made.length > 0) await send();
      port.postMessage(toMessage([]));
      return { drafts: withoutDays(step.value) };
    }
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'artifact-invalid')
      return { invalid: error.message };
    throw error;
  }
}

function toMessage(made: readonly MadeFile[]): DraftedFiles & { readonly bodies: Uint8Array<ArrayBuffer> } {
  const bodies = made.map(({ artifact, content }) => toJudgedBody(artifact.path, content));
  const files = made.map(({ artifact: { path, type, sha256, bytes } }) => ({ path, type, sha256, bytes }));
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const body of bodies) {
    bytes.set(body, offset);
    offset += body.length;
  }
  return { files, bodies: bytes };
}

/** What a thread can tell of drafts: their days were handed over. */
function withoutDays({ meta, gold, derived, briefs }: GenreDrafts): GenreDrafts {
  const plain = (draft: GenreDraft): GenreDraft => ({ ...draft, days: [] });
  return { meta: plain(meta), gold: plain(gold), derived: plain(derived), briefs: plain(briefs) };
}
