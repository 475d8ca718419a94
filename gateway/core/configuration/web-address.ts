import { splitList, type Parsed } from './parser.js';
import { filePathOf } from '../../../schemas/store-address.js';

/** The address of an identity provider's keys. */
export type KeySetAddress =
  { readonly kind: 'url'; readonly url: string } | { readonly kind: 'file'; readonly path: string };

/** Parses an absolute HTTP URL to which paths are appended; removes its trailing slashes. */
export function parseBaseUrl(text: string): Parsed<string> {
  const url = parseHttpUrl(text);
  return url === undefined || text.includes('?')
    ? { expected: 'an http:// or https:// URL without credentials, query and fragment' }
    : { value: url.href.replace(/\/+$/, '') };
}

/** Parses the HTTP URL of a host without a path; removes its trailing slash. */
export function parseHostUrl(text: string): Parsed<string> {
  const url = parseHttpUrl(text);
  return url === undefined || !/^https?:\/\/[^/?]+\/?$/.test(text)
    ? { expected: 'an http:// or https:// URL of a host without a path: pages link to paths from the root' }
    : { value: url.origin };
}

/** Parses the URL of a page; plain HTTP is only allowed on this machine. */
export function parsePageUrl(text: string): Parsed<string> {
  const url = parseHttpUrl(text);
  return url !== undefined && isSecure(url)
    ? { value: url.href }
    : { expected: 'an https:// URL (http:// on loopback only) without credentials and fragment' };
}

/** Parses the address of an identity provider's keys; plain HTTP is only allowed on this machine. */
export function parseKeySetAddress(text: string): Parsed<KeySetAddress> {
  const path = filePathOf(text);
  if (path !== undefined) return { value: { kind: 'file', path } };
  const url = parseHttpUrl(text);
  return url !== undefined && isSecure(url)
    ? { value: { kind: 'url', url: url.href } }
    : {
        expected: 'an https:// URL (http:// on loopback only) without credentials and fragment, or file:PATH',
      };
}

/** Parses a list of origins, separated by commas, each as browsers send it. */
export function parseOrigins(text: string): Parsed<readonly string[]> {
  const value = splitList(text, ',');
  if (value.every(isOrigin)) return { value };
  return {
    expected:
      'origins as browsers send them, https://host or https://host:port (http:// on loopback only), separated by commas; no path and no *',
  };
}

function isOrigin(text: string): boolean {
  const url = parseHttpUrl(text);
  return url !== undefined && url.origin === text && isSecure(url);
}

function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^/\\\s][^#\\\s]*$/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
