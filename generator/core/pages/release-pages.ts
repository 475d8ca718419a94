import type { ReleaseChanges } from '../../../schemas/types.generated.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import type { ReleaseOptions } from '../artifacts/release-files.js';
import { changesPage } from './changes-page.js';
import { feedFile } from './site-files.js';
import type { SiteTexts } from './site-texts.js';
import { statusPage } from './status-page.js';

/** Returns the pages and the feed that name their own release. `releases` are the newest first, with this one. */
export function releasePages(
  site: SiteTexts,
  options: ReleaseOptions,
  releases: readonly ReleaseChanges[],
): FileTemplate[] {
  return [statusPage(site, options, releases), changesPage(site, releases), feedFile(site, releases)];
}
