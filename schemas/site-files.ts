import { PAGE_PATHS } from './paths.js';
import type { ReleaseRecord, SiteFiles } from './types.generated.js';

/** Returns the digest of the list of the site's files that a release record names; `undefined` before there were such lists. */
export function siteDigestOf({ public: listed }: ReleaseRecord): string | undefined {
  return listed[PAGE_PATHS.siteFiles]?.sha256;
}

/**
 * Returns the record with the files of the site among its public files. They have the revision of their list: that of the
 * last release that changed the site.
 */
export function withSiteFiles(record: ReleaseRecord, { files }: SiteFiles): ReleaseRecord {
  const revision = record.public[PAGE_PATHS.siteFiles]?.revision ?? record.revision;
  const entries = Object.entries(files).map(([path, entry]) => [path, { ...entry, revision }] as const);
  return { ...record, public: { ...Object.fromEntries(entries), ...record.public } };
}

/** Returns the record as it is stored: without the files that the list of the site names. */
export function withoutSiteFiles(record: ReleaseRecord, { files }: SiteFiles): ReleaseRecord {
  const others = Object.entries(record.public).filter(([path]) => !Object.hasOwn(files, path));
  return { ...record, public: Object.fromEntries(others) };
}
