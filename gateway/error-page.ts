import { toStylesheet, type AccountFiles } from './core/http/account-page.js';
import { compileErrorPage } from './core/http/error-page.js';
import type { ErrorPage } from './http/problem-handler.js';
import type { Releases } from './io/releases/releases.js';

/** Creates the page of a problem. `origin` is absent if public files have another host, to which no key may be sent. */
export function createErrorPage(
  { error, css }: Pick<AccountFiles, 'error' | 'css'>,
  releases: Pick<Releases, 'current'>,
  origin?: () => string,
): ErrorPage {
  const render = compileErrorPage(error, toStylesheet(css).path);
  return (facts) => {
    const publicPaths = new Set(releases.current()?.publicFiles.keys());
    return render({ ...facts, origin: origin?.(), publicPaths, site: releases.current()?.site });
  };
}
