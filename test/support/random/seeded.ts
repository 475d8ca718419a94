/** Returns a generator of numbers in [0, 1) from a seed (mulberry32). A text is a seed by its FNV-1a hash. */
export function createRandom(seed: number | string): () => number {
  let state = typeof seed === 'number' ? seed >>> 0 : hashOf(seed);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** Returns the value that a number in [0, 1) selects. */
export function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('cannot pick from an empty list');
  return value;
}
