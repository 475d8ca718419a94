import { parseInstant, toInstant } from '../../../schemas/dates.js';
import { TIMESTAMP_MS } from '../../../schemas/trust/trust-documents.js';
import type { Timestamp } from '../../../schemas/types.generated.js';

/** The release that a timestamp names, and the site. */
type TimestampSubject = Pick<Timestamp, 'site' | 'sequence' | 'sha256'>;

/** Returns the timestamp of a release at this time. It is valid for 48 hours. */
export function toTimestamp({ site, sequence, sha256 }: TimestampSubject, nowMs: number): Timestamp {
  return {
    schema: 'timestamp/1',
    site,
    sequence,
    sha256,
    as_of: toInstant(nowMs),
    expires: toInstant(nowMs + TIMESTAMP_MS),
  };
}

/** A timestamp with less time left is renewed: over half, so that a daily run that comes a little early does it too. */
const RENEWAL_MS = 30 * 3_600_000;

/** Returns whether a timestamp can stay: it names this release, and enough of its time is left. */
export function isTimely(timestamp: Timestamp, subject: TimestampSubject, nowMs: number): boolean {
  const leftMs = (parseInstant(timestamp.expires) ?? -Infinity) - nowMs;
  return (
    timestamp.sequence === subject.sequence &&
    timestamp.sha256 === subject.sha256 &&
    timestamp.site === subject.site &&
    leftMs >= RENEWAL_MS &&
    leftMs <= TIMESTAMP_MS // otherwise it was signed by a clock that was ahead
  );
}
