const HOUR_MS = 3_600_000;

/** Age from which a collector may delete what nothing reaches, unless it is told another one. */
export const USUAL_GRACE_MS = 168 * HOUR_MS;
/** No collector may be told less: writers rely on what they find younger than half of it. */
export const LEAST_GRACE_MS = 48 * HOUR_MS;
/** Longest time from the first write of a publication to its commit: what it relied on is too young to be collected. */
export const LONGEST_PUBLICATION_MS = LEAST_GRACE_MS / 2;
/** A collector that was not heard of for so long is dead. */
export const SILENCE_MS = HOUR_MS;
/** A collector is heard of at least so often. */
export const BEAT_MS = 5 * 60_000;
/** Number of releases, counted from the current one, of which nothing is collected. */
export const RETAINED_RELEASES = 30;
/** Nor of releases that were published so lately. */
export const RETAINED_MS = 30 * 24 * HOUR_MS;
