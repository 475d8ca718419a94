import type { Content } from './artifact.js';

/** Maximum characters in one cache. Files beyond it are rendered again when they are written. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Creates a bounded cache of rendered texts: a function that takes rendered content and returns a function that returns
 * this content again, from the cached text while there is room, otherwise by rendering it with `make`.
 */
export function createTextKeeper(): (rendered: Content, make: () => Content) => () => Content {
  let used = 0;
  return (rendered, make) => {
    used += rendered.text.length;
    return used <= LIMIT ? keepText(rendered) : make;
  };
}

/** A text keeper that caches nothing: its functions render the content again. */
export function keepNothing(_rendered: Content, make: () => Content): () => Content {
  return make;
}

/** Returns a function that restores JSON content from its text. */
function keepText({ schema, text }: Content): () => Content {
  return () => ({ schema, text, value: JSON.parse(text) });
}
