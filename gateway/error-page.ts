import { SITE_NAME } from '../schemas/site-name.js';
import { toStylesheet, type AccountFiles } from './core/http/account-page.js';
import { compileErrorPage } from './core/http/error-page.js';
import type { ErrorPage } from './http/problem-handler.js';
import type { Releases } from './io/releases/releases.js';

/** Returns the name of the service on its pages, from the current release. */
export function siteNameOf(releases: Pick<Releases, 'current'>): string {
  return releases.current()?.siteName ?? SITE_NAME;
}

/** Creates the page of a problem. `origin` is absent if public files have another host, to which no key may be sent. */
export function createErrorPage(
  { error, css }: Pick<AccountFiles, 'error' | 'css'>,
  releases: Pick<Releases, 'current'>,
  origin?: () => string,
): ErrorPage {
  const render = compileErrorPage(error, toStylesheet(css).path);
  return (facts) => {
    const publicPaths = new Set(releases.current()?.publicFiles.keys());
    return render({ ...facts, origin: origin?.(), publicPaths, siteName: siteNameOf(releases) });
  };
}
