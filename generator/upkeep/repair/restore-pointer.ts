import { sha256Hex } from '../../../schemas/digest.js';
import { ALIASES_KEY, POINTER_KEY, PUBLIC_PATHS, publicKey } from '../../../schemas/paths.js';
import type { Etag, ObjectStore } from '../../../infra/store/object-store.js';
import { withoutOption } from '../../../infra/process/shell-command.js';
import { GeneratorError, type NextWords } from '../../core/generator-error.js';
import { readAllRecords } from './past-releases.js';
import { assertMoved, movePointer } from '../../state/move-pointer.js';
import type { NamedRelease } from '../../state/published-state.js';
import { getDocument, parseStored, readStoredJson, unlessDamaged } from '../../state/stored-json.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';

/** The release that a lost pointer should name. The digest is needed if several records have the revision. */
export type PointerRequest = { readonly revision: string; readonly sha256?: string };

/**
 * Returns the etag of a damaged pointer; `null` if it is missing.
 * @throws GeneratorError 'usage' if the pointer is intact, because repair never moves it.
 */
export async function readLostPointer(store: ObjectStore): Promise<Etag | null> {
  const found = await getDocument(store, POINTER_KEY, 'pointer');
  if (found === undefined) return null;
  const pointer = await unlessDamaged(() => parseStored(POINTER_KEY, 'pointer', found.bytes));
  if (pointer === undefined) return found.etag;
  throw new GeneratorError(
    'usage',
    `The pointer of ${store.address} is intact and points to ${pointer.revision} (sequence ${pointer.sequence}, ${pointer.sha256}). repair never moves an intact pointer. To go back to an earlier release:`,
    { next: ['rollback', '--to', 'REVISION', '--reason', 'TEXT', '--store', store.address] },
  );
}

/**
 * Returns the release that a lost pointer may name again.
 * @throws GeneratorError 'usage' if no record or more than one possible record has that revision, or if another release
 * was certainly committed last.
 */
export async function findCommitted(store: ObjectStore, request: PointerRequest): Promise<NamedRelease> {
  const assessed = await assessRecords(store);
  const candidates = assessed
    .filter(({ candidate }) => candidate.record.revision === request.revision)
    .filter(({ candidate: { sha256 } }) => sha256 === (request.sha256 ?? sha256));
  const [only, ...others] = candidates.filter(({ against }) => against === undefined);
  if (only !== undefined && others.length === 0) return toNamed(only.candidate);
  const last = findLast(assessed);
  const hint =
    last === undefined ? '' : ` The last committed release is ${last.revision} (sequence ${last.sequence}).`;
  const next: NextWords =
    last && ((args) => [...withoutOption(args, '--pointer'), '--pointer', last.revision]);
  throw new GeneratorError('usage', `The pointer was not restored: ${explain(request, candidates)}${hint}`, {
    next,
  });
}

/** Returns the release that a lost pointer named last, if the store contains enough evidence to decide. */
export async function findLastCommitted(store: ObjectStore): Promise<NamedRelease | undefined> {
  return findLast(await assessRecords(store));
}

/**
 * Writes a pointer in place of a lost one. `lost` is the etag of the damaged pointer; `null` if it is missing.
 * @throws GeneratorError 'conflict' if another run has written a pointer, 'store-unavailable' if the outcome is unknown.
 */
export async function putPointer(
  store: ObjectStore,
  release: NamedRelease,
  lost: Etag | null,
  signal: AbortSignal,
): Promise<void> {
  const move = await movePointer(store, release, { expected: lost, signal });
  assertMoved(
    store,
    move,
    (revision) =>
      `Another run has written a pointer to ${revision}, so this run did not restore it. Run again.`,
  );
}

/** Reads the evidence of committed releases in aliases.json and in the public copies that name their own release. */
async function readCopyEvidence(
  store: ObjectStore,
  records: readonly DigestedRecord[],
): Promise<CommitEvidence[]> {
  const aliases = await unlessDamaged(() => readStoredJson(store, ALIASES_KEY, 'aliases'));
  const evidence: CommitEvidence[] = [];
  if (aliases !== undefined) {
    const { sequence } = aliases.value;
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

/** Returns the readable part of the chain of `previous` from a release; newest first. */
function chainOf(release: DigestedRecord, records: readonly DigestedRecord[]): DigestedRecord[] {
  const byDigest = new Map(records.map((each) => [each.sha256, each]));
  const chain: DigestedRecord[] = [];
  for (let next: DigestedRecord | undefined = release; next !== undefined;) {
    chain.push(next);
    next = byDigest.get(next.record.previous?.sha256 ?? '');
  }
  return chain;
}

type AssessedRecord = {
  readonly candidate: DigestedRecord;
  /** Evidence that the record is not the one that was committed last. */
  readonly against: CommitEvidence | undefined;
  /** Highest sequence that was certainly committed. */
  readonly last: number;
};

async function assessRecords(store: ObjectStore): Promise<AssessedRecord[]> {
  const records = await readAllRecords(store);
  const evidence = [...records.flatMap(evidenceOfRecord), ...(await readCopyEvidence(store, records))];
  const last = Math.max(0, ...evidence.map(({ sequence }) => sequence));
  return records.map((candidate) => {
    const against = findContradiction(chainOf(candidate, records), evidence);
    return { candidate, against, last };
  });
}

/** Returns the release with the highest committed sequence, if there is exactly one without evidence against it. */
function findLast(assessed: readonly AssessedRecord[]): NamedRelease | undefined {
  const [only, ...others] = assessed.filter(
    ({ candidate, against, last }) => against === undefined && candidate.record.sequence === last,
  );
  return only !== undefined && others.length === 0 ? toNamed(only.candidate) : undefined;
}

function toNamed({ record: { revision, sequence }, sha256 }: DigestedRecord): NamedRelease {
  return { revision, sequence, sha256 };
}

function explain({ revision, sha256 }: PointerRequest, candidates: readonly AssessedRecord[]): string {
  const [first] = candidates;
  if (first === undefined)
    return `there is no sound release record ${sha256 === undefined ? revision : `${revision}/${sha256}`}.`;
  const possible = candidates.filter(({ against }) => against === undefined);
  if (possible.length > 0) {
    const names = possible.map(({ candidate }) => `${revision}/${candidate.sha256}`).join(' or ');
    return `${revision} has several records, and nothing shows which one was committed. Use --pointer ${names}.`;
  }
  const { candidate, against } = first;
  return `${revision} (sequence ${candidate.record.sequence}) was not committed last: ${against?.says ?? ''}.`;
}

/** A release record with its digest. */
type DigestedRecord = { readonly record: ReleaseRecord; readonly sha256: string };

/** Evidence that a release with this sequence was committed, with the digest of its record if known. */
type CommitEvidence = {
  readonly sequence: number;
  readonly sha256?: string;
  /** Describes the evidence to a person. */
  readonly says: string;
};

/** Returns the evidence of a record: it may not have been committed itself, but the release before it was. */
function evidenceOfRecord({ record }: DigestedRecord): CommitEvidence[] {
  const { previous, revision, sequence } = record;
  if (previous === null) return [];
  const says = `a record of ${revision} follows ${previous.revision} (${previous.sha256})`;
  return [{ sequence: sequence - 1, sha256: previous.sha256, says }];
}

/** A public copy that names its release, with the digest of its bytes. */
type CopyOfRelease = {
  readonly key: string;
  readonly path: string;
  readonly revision: string;
  readonly sequence: number;
  readonly sha256: string;
};

/** Returns the evidence of a public copy: only committed releases are copied. A damaged copy still names its sequence. */
function evidenceOfCopy(copy: CopyOfRelease, records: readonly DigestedRecord[]): CommitEvidence {
  const { key, path, revision, sequence } = copy;
  const says = `${key} belongs to ${revision} (sequence ${sequence})`;
  const [match, ...others] = records.filter(
    ({ record }) => record.sequence === sequence && record.public[path]?.sha256 === copy.sha256,
  );
  return match !== undefined && others.length === 0
    ? { sequence, sha256: match.sha256, says }
    : { sequence, says };
}

/**
 * Returns the first evidence against a pointer to the newest of these releases: a release committed after it, or one that
 * it does not descend from. Readers never follow a pointer to a lower sequence. `lineage` is that release and the ones
 * before it, as far back as they can be read.
 */
function findContradiction(
  lineage: readonly DigestedRecord[],
  evidence: readonly CommitEvidence[],
): CommitEvidence | undefined {
  const last = lineage[0]?.record.sequence ?? 0;
  return evidence.find(({ sequence, sha256 }) => {
    if (sequence > last) return true;
    const same = lineage.find(({ record }) => record.sequence === sequence);
    return same !== undefined && sha256 !== undefined && same.sha256 !== sha256;
  });
}
