import { ACCOUNT_PATHS, methodologyPagePath, PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { siteLinks } from '../../../schemas/site-links.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import type { Site } from '../../../schemas/types.generated.js';

/** Returns the variables of the header and the footer, which are those of the published pages. An optional part is a list. */
export function toFrame(site: Site | undefined) {
  return {
    ...PAGE_PATHS,
    account: ACCOUNT_PATHS.page,
    digests: PUBLIC_PATHS.release,
    methodology: methodologyPagePath('v1'),
    openapi: PUBLIC_PATHS.openapi,
    name: site?.name ?? SITE_NAME,
    publisher: site?.publisher === undefined ? [] : [site.publisher],
    notice: site?.notice === undefined ? [] : [site.notice],
    links: site === undefined ? [] : siteLinks(site),
  };
}
