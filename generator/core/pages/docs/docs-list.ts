import { EXAMPLE_NAMES, GUIDE_NAMES } from '../../../../schemas/catalog.js';
import { exampleViewPath, guidePath, PAGE_PATHS } from '../../../../schemas/paths.js';
import type { SiteTexts } from '../site-texts.js';
import { parseGuide } from './parse-guide.js';

type ListedPage = { readonly path: string; readonly name: string };

/** Returns the list of the documentation's pages, which is on each of them. `path` is the page with the list. */
export function docsList(site: SiteTexts, path: string): object[] {
  const groups: readonly { readonly name: string; readonly pages: readonly ListedPage[] }[] = [
    {
      name: 'Guides',
      pages: [
        { path: PAGE_PATHS.docs, name: 'Quickstart' },
        ...GUIDE_NAMES.map((name) => ({
          path: guidePath(name),
          name: parseGuide(site.guides[name].text).title,
        })),
      ],
    },
    {
      name: 'Reference',
      pages: [
        { path: PAGE_PATHS.api, name: 'API' },
        { path: PAGE_PATHS.apiSchemas, name: 'Schemas' },
      ],
    },
    {
      name: 'Examples',
      pages: EXAMPLE_NAMES.map((name) => ({ path: exampleViewPath(name), name })),
    },
  ];
  return groups.map(({ name, pages }) => ({
    name,
    pages: pages.map((each) => ({ ...each, current: each.path === path ? ['page'] : [] })),
  }));
}
