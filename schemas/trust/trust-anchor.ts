/** What a reader trusts from the start: the name of a site and the thumbprint of its root key (RFC 7638). */
export type TrustAnchor = { readonly site: string; readonly root: string };

/** The form of a trust anchor: `SITE#THUMBPRINT`. */
export const ANCHOR = /^([!"$-~]{1,200})#([A-Za-z0-9_-]{43})$/;

/** Parses `SITE#THUMBPRINT`; `undefined` for any other text. */
export function parseTrustAnchor(text: string): TrustAnchor | undefined {
  const [, site, root] = ANCHOR.exec(text) ?? [];
  return site === undefined || root === undefined ? undefined : { site, root };
}

export function formatTrustAnchor({ site, root }: TrustAnchor): string {
  return `${site}#${root}`;
}
