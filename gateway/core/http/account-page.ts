import Handlebars from 'handlebars';
import { nameByContent } from '../../../schemas/digest.js';
import { accountAssetPath } from '../../../schemas/paths.js';
import type { Site } from '../../../schemas/types.generated.js';
import { toFrame } from './page-frame.js';

/** The texts of the account page and of error pages, as the build made them. */
export type AccountFiles = {
  readonly html: string;
  readonly css: string;
  readonly script: string;
  /** Template of the page of a problem, which has the same stylesheet. */
  readonly error: string;
  /** Template of the content of a page about a day. */
  readonly day: string;
};

/** A script or a stylesheet. Its path contains its digest, so that caches may keep it. */
export type AccountAsset = { readonly path: string; readonly mediaType: string; readonly bytes: Uint8Array };

/** The account page, its Content-Security-Policy, and what it loads. */
type AccountPage = {
  /** Returns the HTML with the name of the service and the links of its publisher. */
  readonly html: (site: Site | undefined) => Uint8Array;
  readonly policy: string;
  readonly assets: readonly AccountAsset[];
};

/** Assembles the page. It may send requests, and the form that signs out, to its own origin and to `origins`, those of the identity provider. */
export function assembleAccountPage(
  { html, css, script }: Omit<AccountFiles, 'error' | 'day'>,
  origins: readonly string[],
): AccountPage {
  const stylesheet = toStylesheet(css);
  const program = toAsset('js', 'text/javascript; charset=utf-8', script);
  const template = Handlebars.create().compile<object>(html, { strict: true, knownHelpersOnly: true });
  const loaded = { stylesheet: stylesheet.path, script: program.path };
  const toHtml = (site: Site | undefined): Uint8Array => encode(template({ ...toFrame(site), ...loaded }));
  return { html: toHtml, policy: policyFor(origins), assets: [stylesheet, program] };
}

/** Returns the stylesheet of the account page and of error pages. */
export function toStylesheet(css: string): AccountAsset {
  return toAsset('css', 'text/css; charset=utf-8', css);
}

/** Scripts only as files of the same origin, and no text that becomes markup (Trusted Types without any policy). */
function policyFor(origins: readonly string[]): string {
  const own = ["'self'", ...origins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${own}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    `form-action ${origins.length === 0 ? "'none'" : own}`, // browsers also apply it to where the provider redirects to
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join(';');
}

function toAsset(extension: string, mediaType: string, text: string): AccountAsset {
  const path = accountAssetPath(nameByContent('account', extension, text));
  return { path, mediaType, bytes: encode(text) };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
