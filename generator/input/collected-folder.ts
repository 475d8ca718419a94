import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { collectedKey, COLLECTION_KEY } from '../../schemas/paths.js';
import type { CollectedFile, CollectionPointer } from '../../schemas/types.generated.js';
import { assertValid, SchemaError } from '../../schemas/validate.js';
import { GeneratorError } from '../core/generator-error.js';
import { FileFaultError } from './file-fault.js';
import type { InputFolder } from './input-folder.js';
import { SITE_FILE } from './site-json.js';
import { chunksWithin, INPUT_LIMITS, type InputLimit } from './input-limits.js';

/**
 * Returns a folder of metrics as it is or, if `generator collect` keeps it, with the files that its pointer names and
 * the `site.json` that the operator put beside the pointer. The pointer is read once, by `list`, so that all files are of one collection.
 */
export function withCollection(folder: InputFolder): InputFolder {
  let pointer: CollectionPointer | undefined;
  let files: ReadonlyMap<string, CollectedFile> | undefined;
  return {
    address: folder.address,
    async list() {
      const names = await folder.list();
      if (!names.includes(COLLECTION_KEY)) return names;
      pointer = await readPointer(folder);
      files = new Map(Object.entries(pointer.files));
      return [...files.keys(), ...names.filter((name) => name === SITE_FILE)].sort();
    },
    async open(name, limit) {
      const file = files?.get(name);
      return file === undefined ? folder.open(name, limit) : openCollected(folder, file.sha256, limit);
    },
    collection: () => pointer,
  };
}

/** Opens the file of a collection with this digest. The stream fails with FileFaultError if it has other bytes. */
export async function openCollected(
  folder: Pick<InputFolder, 'open'>,
  sha256: string,
  limit: InputLimit,
): Promise<Readable> {
  const source = await folder.open(collectedKey(sha256), limit);
  return Readable.from(verified(source, sha256)).on('close', () => source.destroy());
}

/** Reads the pointer. @throws GeneratorError 'damaged' if it is not what it should be. */
async function readPointer(folder: InputFolder): Promise<CollectionPointer> {
  const { collectionFile } = INPUT_LIMITS;
  const chunks: Buffer[] = [];
  try {
    const source: AsyncIterable<Buffer> = await folder.open(COLLECTION_KEY, collectionFile);
    for await (const chunk of chunksWithin(source, collectionFile)) chunks.push(chunk);
    return assertValid('collection', JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch (error) {
    const isWrong = [SchemaError, SyntaxError, FileFaultError].some((each) => error instanceof each);
    if (!isWrong || !(error instanceof Error)) throw error;
    const remedy = 'Restore it from an older version or a backup of the input.';
    throw new GeneratorError('damaged', `${folder.address}: ${COLLECTION_KEY} ${error.message}. ${remedy}`, {
      cause: error,
    });
  }
}

/** Yields the chunks of a file. @throws FileFaultError at the end if they have another digest. */
async function* verified(source: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) {
    const remedy = `restore ${collectedKey(sha256)} from a backup of the input`;
    throw new FileFaultError(`has other bytes than ${COLLECTION_KEY} says`, remedy);
  }
}
