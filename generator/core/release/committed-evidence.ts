import type { ReleaseRecord } from '../../../schemas/types.generated.js';

/** A release record with the digest that names it. */
export type DigestedRecord = { readonly record: ReleaseRecord; readonly sha256: string };

/** A sign that a release with this sequence was committed; the digest of its record, where the sign tells it. */
export type CommitEvidence = {
  readonly sequence: number;
  readonly sha256?: string;
  /** What was seen, for a person. */
  readonly says: string;
};

/** What a record tells: it may itself not have been committed, but the release before it certainly was. */
export function evidenceOfRecord({ record }: DigestedRecord): CommitEvidence[] {
  const { previous, revision, sequence } = record;
  if (previous === null) return [];
  const says = `a record of ${revision} follows ${previous.revision} (${previous.sha256})`;
  return [{ sequence: sequence - 1, sha256: previous.sha256, says }];
}

/** A public copy that names its release, and the digest of its bytes. */
export type CopyOfRelease = {
  readonly key: string;
  readonly path: string;
  readonly revision: string;
  readonly sequence: number;
  readonly sha256: string;
};

/** What a public copy tells: copies are made of committed releases alone. A damaged one still tells the sequence. */
export function evidenceOfCopy(copy: CopyOfRelease, records: readonly DigestedRecord[]): CommitEvidence {
  const { key, path, revision, sequence } = copy;
  const says = `${key} is of ${revision} (sequence ${sequence})`;
  const [made, ...others] = records.filter(
    ({ record }) => record.sequence === sequence && record.public[path]?.sha256 === copy.sha256,
  );
  return made !== undefined && others.length === 0
    ? { sequence, sha256: made.sha256, says }
    : { sequence, says };
}

/**
 * The first sign against a pointer to the release that `chain` begins with: something was committed after it, or is
 * not of its chain. Readers never follow a pointer to a lower sequence. `chain` goes back as far as it can be read.
 */
export function findContradiction(
  chain: readonly DigestedRecord[],
  evidence: readonly CommitEvidence[],
): CommitEvidence | undefined {
  const last = chain[0]?.record.sequence ?? 0;
  return evidence.find(({ sequence, sha256 }) => {
    if (sequence > last) return true;
    const same = chain.find(({ record }) => record.sequence === sequence);
    return same !== undefined && sha256 !== undefined && same.sha256 !== sha256;
  });
}
