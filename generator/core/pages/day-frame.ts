import { DAY_MARKS, dayPagePath, PAGE_PATHS } from '../../../schemas/paths.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { feedsOf } from './chain-page.js';
import { pageFile, type SiteTexts } from './page.js';

/** Returns the frame of the pages about days: the gateway fills in its marks (`DAY_MARKS`) for a chain and a date. */
export function dayFrame(site: SiteTexts): FileTemplate {
  const { title, description, chain, name, date, content } = DAY_MARKS;
  const toMark = (path: string): string => path.replace('{chain}', chain);
  return pageFile(site, {
    path: PAGE_PATHS.dayFrame,
    canonical: toMark(dayPagePath('{chain}', date)),
    template: 'day',
    title,
    description,
    feeds: feedsOf(name, '{chain}').map((feed) => ({ ...feed, path: toMark(feed.path) })),
    styles: [site.pageStyle],
    values: () => ({ content }),
  });
}
