import Handlebars from 'handlebars';
import { sha256Hex } from '../../../schemas/digest.js';
import { PAGE_COLOURS } from '../../../schemas/palette.js';
import {
  ACCOUNT_PATHS,
  accountAssetPath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
} from '../../../schemas/paths.js';

/** The texts of the account page and of error pages, as the build made them. */
export type AccountFiles = {
  readonly html: string;
  readonly css: string;
  readonly script: string;
  /** Template of the page of a problem, which has the same stylesheet. */
  readonly error: string;
};

/** A script or a stylesheet. Its path contains its digest, so that caches may keep it. */
export type AccountAsset = { readonly path: string; readonly mediaType: string; readonly bytes: Uint8Array };

/** The account page, its Content-Security-Policy, and what it loads. */
export type AccountPage = {
  /** Returns the HTML with the name of the service. */
  readonly html: (siteName: string) => Uint8Array;
  readonly policy: string;
  readonly assets: readonly AccountAsset[];
};

/** Assembles the page. It may send requests to its own origin and to `origins`, those of the identity provider. */
export function assembleAccountPage(
  { html, css, script }: Omit<AccountFiles, 'error'>,
  origins: readonly string[],
): AccountPage {
  const stylesheet = toStylesheet(css);
  const program = toAsset('js', 'text/javascript; charset=utf-8', script);
  const values: Readonly<Record<string, string>> = {
    ...PAGE_PATHS,
    stylesheet: stylesheet.path,
    script: program.path,
    account: ACCOUNT_PATHS.page,
    digests: PUBLIC_PATHS.release,
    openapi: PUBLIC_PATHS.openapi,
    methodology: methodologyPagePath('v1'),
  };
  const toHtml = (siteName: string): Uint8Array =>
    encode(
      html.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) =>
        Handlebars.escapeExpression(valueOf({ ...values, name: siteName }, name)),
      ),
    );
  return { html: toHtml, policy: policyFor(origins), assets: [stylesheet, program] };
}

/** Returns the stylesheet with the colours of all pages. */
export function toStylesheet(css: string): AccountAsset {
  return toAsset('css', 'text/css; charset=utf-8', `${colourVariables()}${css}`);
}

/** Scripts only as files of the same origin, and no text that becomes markup (Trusted Types without any policy). */
function policyFor(origins: readonly string[]): string {
  return [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"],
    `connect-src ${["'self'", ...origins].join(' ')}`,
    ...["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join(';');
}

/** Returns the colours of all pages as variables, light and dark. */
function colourVariables(): string {
  const toRule = (scheme: 'light' | 'dark'): string =>
    `:root{${Object.entries(PAGE_COLOURS)
      .map(([name, shade]) => `--${name}:${shade[scheme]};`)
      .join('')}}`;
  return `${toRule('light')}@media (prefers-color-scheme:dark){${toRule('dark')}}\n`;
}

function toAsset(extension: string, mediaType: string, text: string): AccountAsset {
  const path = accountAssetPath(`account-${sha256Hex(text).slice(0, 16)}.${extension}`);
  return { path, mediaType, bytes: encode(text) };
}

function valueOf(values: Readonly<Record<string, string>>, name: string): string {
  const value = values[name];
  if (value === undefined) throw new Error(`the account page has no value for {{${name}}}`);
  return value;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
