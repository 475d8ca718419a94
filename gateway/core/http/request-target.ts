const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the path and query of a request target in any of its four forms (RFC 9112 §3.2), always with a leading slash,
 * so that no code after this has to parse a URL. The authority of an absolute target is dropped. A target without a
 * path, such as `*`, becomes a path that does not exist.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
