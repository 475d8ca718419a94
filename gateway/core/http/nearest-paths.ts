import leven from 'leven';

/** Longer paths are compared by their beginning, so that a hostile one costs no more than a long one of ours. */
const MAX_LENGTH = 100;
const MAX_DISTANCE = 8;
/** Distance of the right name in another folder. */
const FOLDER_DISTANCE = 2;

/**
 * Returns the `count` paths of `known` that are most like `path`, the nearest first: by the number of letters to change, to
 * add or to remove (Levenshtein distance), in the whole path or in its last part. Paths that share little with it are
 * omitted.
 */
export function nearestPaths(path: string, known: Iterable<string>, count: number): string[] {
  const wanted = normalize(path);
  const name = lastPart(wanted);
  const ranked: { readonly path: string; readonly distance: number }[] = [];
  for (const each of known) {
    const distance = Math.min(
      boundedDistance(wanted, normalize(each), limitFor(wanted)),
      FOLDER_DISTANCE + boundedDistance(name, lastPart(normalize(each)), limitFor(name) - 1),
    );
    if (distance < Infinity) ranked.push({ path: each, distance });
  }
  return ranked
    .sort((one, other) => one.distance - other.distance || one.path.length - other.path.length)
    .slice(0, count)
    .map((each) => each.path);
}

/** A third of a text may differ, but no more than a few letters of a long one. */
function limitFor(text: string): number {
  return Math.min(Math.ceil(text.length / 3), MAX_DISTANCE);
}

function normalize(path: string): string {
  return path
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/\.html?$/, '')
    .replace(/\/$/, '');
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the Levenshtein distance of two texts, or `Infinity` if it is more than `limit`. */
function boundedDistance(one: string, other: string, limit: number): number {
  const distance = leven(one, other, { maxDistance: limit + 1 });
  return distance > limit ? Infinity : distance;
}
