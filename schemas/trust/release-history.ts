import { canonicalJson } from '../canonical-json.js';
import type { PastRelease, ReleaseStatement } from '../types.generated.js';

/**
 * Returns the text whose SHA-256 is the `history_sha256` of the release with this sequence: the canonical JSON of the
 * entries up to it. `undefined` if the list does not reach it, or its sequences are not 1, 2, 3 and so on.
 */
export function historyText(releases: readonly PastRelease[], sequence: number): string | undefined {
  const past = releases.slice(0, sequence);
  if (past.length !== sequence || past.some((each, i) => each.sequence !== i + 1)) return undefined;
  return canonicalJson(past);
}

/** Returns whether a list of releases has the release of a statement at its place, after the one that the statement names before it. */
export function endsWith(
  releases: readonly PastRelease[],
  { sequence, revision, sha256, published_at, previous }: ReleaseStatement,
): boolean {
  const [before, own] = [releases[sequence - 2], releases[sequence - 1]];
  return (
    own?.revision === revision &&
    own.sha256 === sha256 &&
    own.published_at === published_at &&
    before?.revision === previous?.revision &&
    before?.sha256 === previous?.sha256
  );
}
