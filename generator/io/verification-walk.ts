import { objectKey } from '../../schemas/paths.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import type { Chain, GoldDay, Manifest, ReleaseRecord } from '../../schemas/types.generated.js';
import type { SchemaName } from '../../schemas/validate.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import {
  checkBytes,
  checkJsonDocument,
  type CheckedDocument,
  type DocumentTerms,
} from '../core/verification/check-document.js';
import type { StoreFault } from '../core/verification/fault.js';
import type { Progress } from './progress.js';

/** A verification under way: what is judged, what was read on the way, and what was found. */
export type Walk = {
  readonly store: ObjectStore;
  readonly record: ReleaseRecord;
  readonly manifests: Map<string, Manifest>;
  readonly gold: Map<Chain, GoldDay[]>;
  readonly faults: StoreFault[];
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  artifacts: number;
  days: number;
};

/** Runs `work`; what is found to be damaged becomes a fault. */
export async function collecting<T>(faults: StoreFault[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.fault === undefined) throw error;
    faults.push(error.fault);
    return undefined;
  }
}

/** Reads and judges an artifact: JSON by its own schema, text by its bytes. */
export async function checkStoredFile(
  walk: Walk,
  path: string,
  terms: (DocumentTerms & { readonly type?: string }) | undefined,
): Promise<CheckedDocument> {
  if (terms === undefined) {
    walk.faults.push({ key: path, message: 'is not listed in the release' });
    return { faults: [] };
  }
  walk.signal?.throwIfAborted();
  const key = objectKey(terms.sha256);
  const found = await walk.store.get(key);
  walk.artifacts += 1;
  const isText = terms.type !== undefined && !terms.type.startsWith('application/json');
  const checked =
    found === undefined
      ? { faults: ['is missing'] }
      : isText
        ? { faults: checkBytes(found.bytes, terms) }
        : checkJson(found.bytes, terms);
  for (const message of checked.faults) walk.faults.push({ key, message: `${path}: ${message}` });
  return checked;
}

/** A public document names its own schema; a description of the interface has no place for that. */
function checkJson(bytes: Uint8Array, terms: DocumentTerms): CheckedDocument {
  const checked = checkJsonDocument(bytes, terms);
  if (terms.schema !== undefined || checked.value === undefined) return checked;
  const { schema, openapi } = checked.value as { schema?: unknown; openapi?: unknown }; // any document
  const name = openapi === undefined ? (String(schema).split('/')[0] ?? '') : 'openapi';
  if (!Object.hasOwn(SCHEMAS, name))
    return { ...checked, faults: [...checked.faults, `names no schema of ours: ${name}`] };
  return checkJsonDocument(bytes, { ...terms, schema: name as SchemaName }); // it is one of them
}
