import { itemsOf, type Judged } from './judge.js';
import { filePathOf } from './store-address.js';

/** Where the keys of an identity provider are. */
export type KeySetAddress =
  { readonly kind: 'url'; readonly url: string } | { readonly kind: 'file'; readonly path: string };

/** Judges an absolute HTTP address that others are put behind; its closing slash is cut. */
export function parseBaseUrl(text: string): Judged<string> {
  const url = parseHttpUrl(text);
  return url === undefined || text.includes('?')
    ? { fault: 'an http:// or https:// URL without credentials, query and fragment' }
    : { value: url.href.replace(/\/+$/, '') };
}

/** Judges the address of a host, where paths begin at the root; its closing slash is cut. */
export function parseHostUrl(text: string): Judged<string> {
  const url = parseHttpUrl(text);
  return url === undefined || !/^https?:\/\/[^/?]+\/?$/.test(text)
    ? { fault: 'an http:// or https:// URL of a host alone: its paths begin at the root, as pages link them' }
    : { value: url.origin };
}

/** Judges the address of a page: unprotected HTTP is for this machine alone. */
export function parsePageUrl(text: string): Judged<string> {
  const url = parseHttpUrl(text);
  return url !== undefined && isProtected(url)
    ? { value: url.href }
    : { fault: 'an https:// URL (http:// on loopback only) without credentials and fragment' };
}

/** Judges the address of an identity provider's keys: unprotected HTTP is for this machine alone. */
export function parseKeySetAddress(text: string): Judged<KeySetAddress> {
  const path = filePathOf(text);
  if (path !== undefined) return { value: { kind: 'file', path } };
  const url = parseHttpUrl(text);
  return url !== undefined && isProtected(url)
    ? { value: { kind: 'url', url: url.href } }
    : { fault: 'an https:// URL (http:// on loopback only) without credentials and fragment, or file:PATH' };
}

/** Judges a list of origins, separated by commas, each as browsers send it. */
export function parseOrigins(text: string): Judged<readonly string[]> {
  const value = itemsOf(text, ',');
  if (value.every(isOrigin)) return { value };
  return {
    fault:
      'origins as browsers send them, https://host or https://host:port (http:// on loopback only), separated by commas; no path and no *',
  };
}

function isOrigin(text: string): boolean {
  const url = parseHttpUrl(text);
  return url !== undefined && url.origin === text && isProtected(url);
}

function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^/\\\s][^#\\\s]*$/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
