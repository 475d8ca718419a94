import { sha256Hex } from '../../schemas/digest.js';
import { ALIASES_KEY, POINTER_KEY, PUBLIC_PATHS, publicKey } from '../../schemas/paths.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import {
  evidenceOfCopy,
  evidenceOfRecord,
  findContradiction,
  type CommitEvidence,
  type DigestedRecord,
} from '../core/release/committed-evidence.js';
import { GeneratorError } from '../core/generator-error.js';
import { metaOf } from './object-meta.js';
import { readAllRecords } from './past-releases.js';
import { pointerBytes } from './pointed-store.js';
import type { NamedRelease } from './release-lineage.js';
import { parseStored, readStoredJson } from './stored-json.js';
import { unlessDamaged } from './unless-damaged.js';

/** The release that a lost pointer shall name; the digest tells records of one revision apart. */
export type PointerRequest = { readonly revision: string; readonly sha256?: string };

/**
 * The etag of what lies where the pointer should be: `null` for nothing, that of bytes which are no pointer.
 * @throws GeneratorError 'usage' naming what a pointer holds: it is never moved.
 */
export async function readLostPointer(store: ObjectStore): Promise<Etag | null> {
  const found = await store.get(POINTER_KEY);
  if (found === undefined) return null;
  const pointer = await unlessDamaged(() => parseStored(POINTER_KEY, 'pointer', found.bytes));
  if (pointer === undefined) return found.etag;
  throw new GeneratorError(
    'usage',
    `${store.address} has its pointer, to ${pointer.revision} (sequence ${pointer.sequence}, ${pointer.sha256}): "repair" never moves it; "rollback" puts an earlier release's days in force again`,
  );
}

/**
 * Finds the one release that a lost pointer may name again.
 * @throws GeneratorError 'usage' when there is none of that revision, or several of which nothing tells which was
 * committed, or when a later or another one certainly was.
 */
export async function findCommitted(store: ObjectStore, request: PointerRequest): Promise<NamedRelease> {
  const all = await judgeRecords(store);
  const judged = all
    .filter(({ candidate }) => candidate.record.revision === request.revision)
    .filter(({ candidate: { sha256 } }) => sha256 === (request.sha256 ?? sha256));
  const [only, ...others] = judged.filter(({ against }) => against === undefined);
  if (only !== undefined && others.length === 0) return toNamed(only.candidate);
  const last = findLast(all);
  const hint =
    last === undefined ? '' : `; the last that was committed is ${last.revision} (sequence ${last.sequence})`;
  throw new GeneratorError('usage', `the pointer was not restored: ${explain(request, judged)}${hint}`);
}

/** The release that a lost pointer named last, as far as anything tells; `undefined` when nothing does. */
export async function findLastCommitted(store: ObjectStore): Promise<NamedRelease | undefined> {
  return findLast(await judgeRecords(store));
}

/** Writes a pointer where none is. @throws GeneratorError 'conflict' when there is another one by now. */
export async function putPointer(
  store: ObjectStore,
  release: NamedRelease,
  lost: Etag | null,
): Promise<void> {
  let failure: unknown;
  try {
    const swapped = await store.compareAndSwap(POINTER_KEY, pointerBytes(release), lost, metaOf(POINTER_KEY));
    if (swapped !== 'conflict') return;
  } catch (error) {
    failure = error;
  }
  const now = await readStoredJson(store, POINTER_KEY, 'pointer').catch((error: unknown) => {
    throw failure ?? error;
  });
  if (now?.value.sha256 === release.sha256) return;
  if (failure !== undefined) throw failure as Error; // what a store throws is an Error
  throw new GeneratorError(
    'conflict',
    `the pointer was not restored: another run has written one, to ${now?.value.revision ?? 'nothing'}`,
  );
}

/** What the mark of the public copies, and the copies that name their own release, tell of what was committed. */
async function readCopyEvidence(
  store: ObjectStore,
  records: readonly DigestedRecord[],
): Promise<CommitEvidence[]> {
  const mark = await unlessDamaged(() => readStoredJson(store, ALIASES_KEY, 'aliases'));
  const evidence: CommitEvidence[] = [];
  if (mark !== undefined) {
    const { sequence } = mark.value;
    evidence.push({ sequence, says: `${ALIASES_KEY} says that sequence ${sequence} was published` });
  }
  for (const name of ['release', 'status'] as const) {
    const path = PUBLIC_PATHS[name];
    const key = publicKey(path);
    const found = await store.get(key);
    const copy = found && (await unlessDamaged(() => parseStored(key, name, found.bytes)));
    if (found === undefined || copy === undefined) continue;
    const { published_revision: revision, sequence } = copy;
    evidence.push(evidenceOfCopy({ key, path, revision, sequence, sha256: sha256Hex(found.bytes) }, records));
  }
  return evidence;
}

/** The records from this one back, as far as they can be read. */
function chainOf(release: DigestedRecord, records: readonly DigestedRecord[]): DigestedRecord[] {
  const byDigest = new Map(records.map((each) => [each.sha256, each]));
  const chain: DigestedRecord[] = [];
  for (let next: DigestedRecord | undefined = release; next !== undefined;) {
    chain.push(next);
    next = byDigest.get(next.record.previous?.sha256 ?? '');
  }
  return chain;
}

/** A record, and what is against a pointer to it; `last` is the highest sequence that was certainly committed. */
type Judged = {
  readonly candidate: DigestedRecord;
  readonly against: CommitEvidence | undefined;
  readonly last: number;
};

async function judgeRecords(store: ObjectStore): Promise<Judged[]> {
  const records = await readAllRecords(store);
  const evidence = [...records.flatMap(evidenceOfRecord), ...(await readCopyEvidence(store, records))];
  const last = Math.max(0, ...evidence.map(({ sequence }) => sequence));
  return records.map((candidate) => {
    const against = findContradiction(chainOf(candidate, records), evidence);
    return { candidate, against, last };
  });
}

/** The one release that has the highest committed sequence, and nothing against it. */
function findLast(judged: readonly Judged[]): NamedRelease | undefined {
  const [only, ...others] = judged.filter(
    ({ candidate, against, last }) => against === undefined && candidate.record.sequence === last,
  );
  return only !== undefined && others.length === 0 ? toNamed(only.candidate) : undefined;
}

function toNamed({ record: { revision, sequence }, sha256 }: DigestedRecord): NamedRelease {
  return { revision, sequence, sha256 };
}

function explain({ revision, sha256 }: PointerRequest, judged: readonly Judged[]): string {
  const [first] = judged;
  if (first === undefined)
    return `there is no sound release record ${sha256 === undefined ? revision : `${revision}/${sha256}`}`;
  const possible = judged.filter(({ against }) => against === undefined);
  if (possible.length > 0) {
    const names = possible.map(({ candidate }) => `${revision}/${candidate.sha256}`).join(' or ');
    return `${revision} has several records, and nothing tells which was committed: give ${names}`;
  }
  const { candidate, against } = first;
  return `${revision} (sequence ${candidate.record.sequence}) is not what was committed last: ${against?.says ?? ''}`;
}
