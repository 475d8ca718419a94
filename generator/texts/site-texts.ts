import { readFile } from 'node:fs/promises';
import { EXAMPLE_NAMES } from '../../schemas/catalog.js';
import { compileHtmlTemplates } from '../core/text/html-template.js';
import {
  PAGE_TEMPLATES,
  type ExampleText,
  type PageTemplate,
  type SiteTexts,
} from '../core/pages/site-texts.js';

/** Reads the templates, style sheet, icon and examples of the pages. */
export async function readSiteTexts(templates: URL): Promise<SiteTexts> {
  const pages = new URL('pages/', templates);
  const read = (name: string): Promise<string> => readFile(new URL(name, pages), 'utf8');
  const sources = await Promise.all(
    PAGE_TEMPLATES.map(async (name): Promise<[PageTemplate, string]> => [
      name,
      await read(`${name}.html.hbs`),
    ]),
  );
  return {
    templates: compileHtmlTemplates(Object.fromEntries(sources) as Record<PageTemplate, string>), // has every name
    stylesheet: await read('site.css'),
    icon: await read('icon.svg'),
    examples: await readExamples(new URL('examples/', templates)),
  };
}

function readExamples(folder: URL): Promise<ExampleText[]> {
  return Promise.all(
    EXAMPLE_NAMES.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })),
  );
}
