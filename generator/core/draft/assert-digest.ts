import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { ManifestDate } from '../../../schemas/types.generated.js';
import type { DayRecord } from '../records/day-writers.js';

/** Throws if a record that was made again has other bytes than the manifest lists. */
export function assertDigest(record: DayRecord, { path, sha256 }: ManifestDate): void {
  if (sha256Hex(canonicalJson(record)) !== sha256)
    throw new Error(`${path}: the writers produce other bytes than the manifest lists`);
}
