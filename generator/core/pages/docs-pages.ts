import { EXAMPLE_NAMES, GUIDE_NAMES } from '../../../schemas/catalog.js';
import {
  examplePath,
  exampleViewPath,
  guidePath,
  methodologyPagePath,
  PAGE_PATHS,
} from '../../../schemas/paths.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { type GuideCode, pageFile, type SiteTexts } from './page.js';
import { renderMarkdown, renderMarkdownLine, toSlug } from './markdown-html.js';
import type { TrustedHtml } from '../text/text-template.js';

/** Returns the first page of the documentation: the quickstart, and where the rest is. */
export function docsPage(site: SiteTexts): FileTemplate {
  const { text, codes } = site.guides.quickstart;
  const { title, lead } = parseGuideHead(text);
  const sections = renderSections(text);
  return pageFile(site, {
    path: PAGE_PATHS.docs,
    template: 'docs',
    title: 'Documentation',
    description: lead,
    values: () => ({
      list: docsList(site, PAGE_PATHS.docs),
      heading: title,
      lead: renderMarkdownLine(lead),
      tabs: CODE_TABS.map(({ id, name }) => ({
        id,
        name,
        steps: sections.map((section, i) => ({
          number: i + 1,
          title: section.title,
          body: section.body,
          codes: toCodeTabs(codes, section.id, section.title).filter((tab) => tab.id === id),
        })),
      })),
      guides: GUIDE_NAMES.map((name) => {
        const guide = parseGuideHead(site.guides[name].text);
        return { path: guidePath(name), title: guide.title, words: renderMarkdownLine(guide.lead) };
      }),
      api: PAGE_PATHS.api,
      methodology: methodologyPagePath('v1'),
      examples: EXAMPLE_NAMES.map((name) => ({ path: exampleViewPath(name), name })),
    }),
  });
}

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
          name: parseGuideHead(site.guides[name].text).title,
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

/** Returns a page for each example program. */
export function examplePages(site: SiteTexts): FileTemplate[] {
  return site.examples.map(({ name, text }) => {
    const { words, command } = parseOpening(text);
    return pageFile(site, {
      path: exampleViewPath(name),
      template: 'example',
      title: name,
      description: `${words}. An example program to copy.`,
      values: () => ({
        list: docsList(site, exampleViewPath(name)),
        name,
        words,
        command,
        file: examplePath(name),
        code: { label: name, text: text.trimEnd() },
      }),
    });
  });
}

/** Returns what an example does and how it is run, from its first line: `# Does something: command`. */
function parseOpening(text: string): { readonly words: string; readonly command: string } {
  const [, words, command] = /^(?:#|\/\/) ([^:]+): (.+)\n/.exec(text) ?? [];
  if (words === undefined || command === undefined)
    throw new Error('An example begins with what it does and how to run it.');
  return { words, command };
}

/** Returns the page of each guide. */
export function guidePages(site: SiteTexts): FileTemplate[] {
  return GUIDE_NAMES.map((name) => {
    const { text, codes } = site.guides[name];
    const { title, lead } = parseGuideHead(text);
    return pageFile(site, {
      path: guidePath(name),
      template: 'guide',
      title,
      description: lead,
      values: () => ({
        list: docsList(site, guidePath(name)),
        heading: title,
        lead: renderMarkdownLine(lead),
        parts: renderSections(text).map((section) => {
          const tabs = toCodeTabs(codes, section.id, section.title);
          return { ...section, code: tabs.length === 0 ? [] : [{ tabs }] };
        }),
      }),
    });
  });
}

/** A section of a guide. */
type GuideSection = { readonly id: string; readonly title: string; readonly body: TrustedHtml };

/** The opening of a guide. Its Markdown is not rendered yet. */
type GuideHead = { readonly title: string; readonly lead: string };

/** Parses the title of a guide and the paragraph below it. @throws Error if the guide does not begin with them. */
export function parseGuideHead(text: string): GuideHead {
  const [head = ''] = splitSections(text);
  const [, title = '', lead = ''] = /^# (.+)\n\n([^]+)$/.exec(head.trim()) ?? [];
  if (title === '') throw new Error('A guide begins with "# Title", an empty line and a paragraph.');
  return { title, lead };
}

/** Renders the sections of a guide. */
function renderSections(text: string): GuideSection[] {
  const [, ...parts] = splitSections(text);
  return parts.map((part) => {
    const [heading = '', ...body] = part.split('\n');
    return { id: toSlug(heading), title: heading, body: renderMarkdown(body.join('\n'), heading).opening };
  });
}

const splitSections = (text: string): string[] => text.trim().split(/^## /m);

/** The tabs in their order, with the endings of their files. A `.sh` after another ending is a command for that tab. */
const CODE_TABS = [
  { id: 'python', name: 'Python', endings: ['.py', '.py.sh'] },
  { id: 'curl', name: 'curl', endings: ['.sh'] },
  { id: 'javascript', name: 'JavaScript', endings: ['.mjs', '.mjs.sh'] },
] as const;

/** A tab of code in a template. */
type CodeTab = {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly text: string;
};

/** Returns the code of a section in the order of the tabs. `title` names the blocks for assistive technology. */
function toCodeTabs(codes: readonly GuideCode[], section: string, title: string): CodeTab[] {
  return CODE_TABS.flatMap(({ id, name, endings }) => {
    const code = codes.find(({ file }) => endings.some((ending) => file === section + ending));
    return code === undefined ? [] : [{ id, name, label: `${title}, ${name}`, text: code.text.trimEnd() }];
  });
}
