import type { ReleaseRecord } from '../../../schemas/types.generated.js';

/** A release record with its digest. */
export type DigestedRecord = { readonly record: ReleaseRecord; readonly sha256: string };

/** Evidence that a release with this sequence was committed, with the digest of its record if known. */
export type CommitEvidence = {
  readonly sequence: number;
  readonly sha256?: string;
  /** Describes the evidence to a person. */
  readonly says: string;
};

/** Returns the evidence of a record: it may not have been committed itself, but the release before it was. */
export function evidenceOfRecord({ record }: DigestedRecord): CommitEvidence[] {
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
export function evidenceOfCopy(copy: CopyOfRelease, records: readonly DigestedRecord[]): CommitEvidence {
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
export function findContradiction(
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
