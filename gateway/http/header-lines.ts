import type { IncomingMessage } from 'node:http';

/**
 * Returns whether a header was sent more than once; `name` is in lower case. For most headers, `req.headers` has only the
 * first value.
 */
export function isRepeated({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
