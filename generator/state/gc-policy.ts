const HOUR_MS = 3_600_000;

/** Default minimum age of an unreachable object before garbage collection may delete it. */
export const DEFAULT_GRACE_MS = 168 * HOUR_MS;
/** Lower bound for the grace period: a running publish relies on objects younger than half of it. */
export const MIN_GRACE_MS = 48 * HOUR_MS;
/** Longest time from the first write of a publish or copy to its commit: after it, its files may be deleted. */
export const MAX_PUBLISH_MS = MIN_GRACE_MS / 2;
/** Age at which a writer renews an object that it relies on and that no release reaches yet. */
export const RENEWAL_AGE_MS = MIN_GRACE_MS / 2;
/** A garbage collection whose heartbeat is older than this is considered dead. */
export const HEARTBEAT_TIMEOUT_MS = HOUR_MS;
/** Interval at which a running garbage collection writes its heartbeat. */
export const HEARTBEAT_INTERVAL_MS = 5 * 60_000;
/** Garbage collection keeps everything in the newest releases: at least this many ... */
export const RETAINED_RELEASES = 30;
/** ... and all releases published within this period. */
export const RETENTION_MS = 30 * 24 * HOUR_MS;
