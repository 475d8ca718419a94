import { objectKey } from '../../schemas/paths.js';
import type { Chain, GoldDay, Manifest, Methodology, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import {
  checkBytes,
  checkJsonDocument,
  type CheckedDocument,
  type DocumentOptions,
} from '../core/verification/check-document.js';
import { NOT_LISTED } from '../core/verification/check-release.js';
import type { StoreFault } from '../core/store-fault.js';
import type { Progress } from '../run/progress.js';

/** The state of a running verification: the release, the documents read so far, and the faults found. */
export type Verifier = {
  readonly store: ObjectStore;
  readonly record: ReleaseRecord;
  readonly methodology: Methodology;
  readonly manifests: Map<string, Manifest>;
  readonly gold: Map<Chain, GoldDay[]>;
  readonly faults: StoreFault[];
  readonly lagging: StoreFault[];
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  artifacts: number;
  days: number;
};

/** Runs `work`. If it finds damage, adds that to `faults` and returns `undefined`. */
export async function catchFault<T>(faults: StoreFault[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.fault === undefined) throw error;
    faults.push(error.fault);
    return undefined;
  }
}

/** Reads an artifact and checks its digest, and its schema if it is JSON. */
export async function checkStoredFile(
  verifier: Verifier,
  path: string,
  options: (DocumentOptions & { readonly type?: string }) | undefined,
): Promise<CheckedDocument> {
  if (options === undefined) {
    verifier.faults.push({ key: path, message: NOT_LISTED });
    return { faults: [] };
  }
  verifier.signal?.throwIfAborted();
  const key = objectKey(options.sha256);
  const found = await verifier.store.get(key);
  verifier.artifacts += 1;
  const isText = options.type !== undefined && !options.type.startsWith('application/json');
  const checked =
    found === undefined
      ? { faults: ['is missing'] }
      : isText
        ? { faults: checkBytes(found.bytes, options) }
        : checkJsonDocument(found.bytes, options);
  for (const message of checked.faults) verifier.faults.push({ key, message: `${path}: ${message}` });
  return checked;
}
