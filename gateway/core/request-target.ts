const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * The path and query of a request target in any of its four forms (RFC 9112 §3.2): the authority of an absolute one is
 * left out, and what has no path, such as `*`, becomes one that no file has. It always begins with a slash, so that
 * nobody after this has to take a URL apart.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
