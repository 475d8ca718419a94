import type { Content } from './artifact.js';

/** Characters that one keeper holds: beyond them a file is made a second time when it is written. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Gives, for content that was just made, a function that gives it again: from the kept text while there is room, by
 * `make` afterwards. Memory stays bounded whatever the length of history.
 */
export function createTextKeeper(): (made: Content, make: () => Content) => () => Content {
  let used = 0;
  return (made, make) => {
    used += made.text.length;
    return used <= LIMIT ? keepText(made) : make;
  };
}

/** Has content made again whenever it is asked for. */
export function keepNothing(_made: Content, make: () => Content): () => Content {
  return make;
}

/** Gives JSON content again, from its text alone. */
export function keepText({ schema, text }: Content): () => Content {
  return () => ({ schema, text, value: JSON.parse(text) });
}
