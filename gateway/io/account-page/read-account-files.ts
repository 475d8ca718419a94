import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AccountFiles } from '../../core/http/account-page.js';

/** The texts of the account page, of error pages and of the pages about days in a folder of templates. `npm run build` bundles the script and the styles. */
export const ACCOUNT_FILES = {
  html: 'pages/account.html.hbs',
  css: 'browser/styles/account.css',
  script: 'browser/account.js',
  error: 'pages/error.html.hbs',
  day: 'pages/day-content.html.hbs',
} as const satisfies Record<keyof AccountFiles, string>;

/** Reads the texts of the account page, of error pages and of the pages about days from a folder of built templates. @throws Error if a file is missing. */
export async function readAccountFiles(templates: string): Promise<AccountFiles> {
  const read = (name: keyof AccountFiles): Promise<string> =>
    readFile(path.join(templates, ACCOUNT_FILES[name]), 'utf8');
  const [html, css, script, error, day] = await Promise.all([
    read('html'),
    read('css'),
    read('script'),
    read('error'),
    read('day'),
  ]);
  return { html, css, script, error, day };
}
