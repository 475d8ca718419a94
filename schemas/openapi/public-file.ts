import type { JsonObject } from './components.js';
import { toReads, type Content, type HeaderName } from './operations.js';
import { FILE, IF_NONE_MATCH, RANGE, RATE } from './parameters.js';

/** Options for `publicFile`. */
type PublicFileOptions = {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly content: Content;
  readonly parameters?: readonly JsonObject[];
  /** Headers of every response about the file; by default those of a file of a release. */
  readonly headers?: readonly HeaderName[];
};

/** Returns the operations on a public file. The response is a redirect if the public files are on another host. */
export function publicFile({
  content,
  parameters = [],
  headers = FILE, // no rate limit: caches send the response to other callers
  ...options
}: PublicFileOptions): JsonObject {
  return toReads({
    ...options,
    tag: 'Public files',
    parameters: [...parameters, IF_NONE_MATCH, RANGE],
    answers: {
      '200': { description: 'The file.', content, headers: [...headers, 'Accept-Ranges'] },
      '206': {
        description: 'The requested range.',
        content: binary(content),
        headers: [...headers, 'Content-Range', 'Accept-Ranges'],
      },
      '304': { description: 'Not modified. One of the ETags in If-None-Match is current.', headers },
      '307': {
        description: 'Redirect to the host that serves the public files.',
        headers: [...headers, 'Location'],
      },
    },
    problems: ['not-found', 'range-not-satisfiable', 'rate-limited', 'store-unavailable', 'not-published'],
    problemHeaders: RATE,
    uncounted: ['range-not-satisfiable'],
  });
}

function binary(content: Content): Content {
  return Object.fromEntries(Object.keys(content).map((type) => [type, null]));
}
